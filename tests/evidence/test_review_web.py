"""fc-judge review --web: one page on this machine, deaf to everyone who was not told its address."""

import json
import signal
import subprocess
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from evidence_project import start
from evidence_samples import saved_answers


def test_an_answer_is_on_the_disk_when_the_page_hears_of_it(site, tmp_path):
    one = site()

    status, body, _ = one.answer({"place": 1, "answer": "golden_error", "note": "两个 orders"})

    assert status == 200
    assert saved_answers(tmp_path / "review.json") == [("fc-d2-002", "golden_error", "两个 orders")]
    assert json.loads(body)["open"] == [0, 2]


def test_it_listens_on_this_machine_only_and_its_address_is_random(site):
    one, other = site(), site()

    assert one.server.server_address[0] == "127.0.0.1"
    assert len(one.server.word) >= 32
    assert one.server.word != other.server.word


REFUSED = {
    "another host name": ("GET", "", {"host": "evil.example"}, 403),
    "this machine by another name": ("GET", "", {"host": "localhost"}, 403),
    "a page from elsewhere": (
        "POST",
        "answer",
        {"origin": "http://evil.example", "content_type": "application/json"},
        403,
    ),
    "a page without an origin": ("POST", "answer", {"origin": "null", "content_type": "application/json"}, 403),
    "a form": ("POST", "answer", {"content_type": "text/plain"}, 415),
    "without the word": ("GET", "/", {}, 404),
    "another word": ("GET", "/0000/", {}, 404),
    "another place": ("GET", "review.json", {}, 404),
    "an answer by GET": ("GET", "answer", {}, 404),
    "another method": ("PUT", "answer", {}, 501),
}


@pytest.mark.parametrize("asked", REFUSED.values(), ids=REFUSED)
def test_who_was_not_told_the_address_gets_nothing(site, tmp_path, asked):
    one, (method, place, headers, status) = site(), asked
    body = json.dumps({"place": 0, "answer": "unclear"}) if method == "POST" else None

    found, told, _ = one.ask(method, place, body=body, **headers)

    assert found == status
    assert one.server.word not in told
    assert saved_answers(tmp_path / "review.json") == []


WRONG = {
    "no JSON": (b"{", 400),
    "no object": ([1], 400),
    "no such result": ({"place": 3, "answer": "unclear"}, 400),
    "a place before the first": ({"place": -1, "answer": "unclear"}, 400),
    "an unknown answer": ({"place": 0, "answer": "fine"}, 400),
    "an answer that does not suit": ({"place": 0, "answer": "correct"}, 400),
    "an unknown field": ({"place": 0, "answer": "unclear", "reviewer": "eve"}, 400),
    "a lone surrogate": (b'{"place": 0, "answer": "unclear", "note": "\\ud800"}', 400),
    "a note that is too long": ({"place": 0, "answer": "unclear", "note": "x" * 4001}, 400),
    "a body that is too long": ({"place": 0, "answer": "unclear", "note": "x" * 70_000}, 413),
}


@pytest.mark.parametrize(("body", "status"), WRONG.values(), ids=WRONG)
def test_what_is_no_answer_is_refused_and_nothing_is_written(site, tmp_path, body, status):
    assert site().answer(body)[0] == status
    assert saved_answers(tmp_path / "review.json") == []


def test_what_another_process_wrote_is_not_written_over(site, tmp_path):
    one = site()
    (tmp_path / "review.json").write_text("{}")

    status, told, _ = one.answer({"place": 0, "answer": "unclear"})

    assert status == 409
    assert "another process has changed this file" in told
    assert (tmp_path / "review.json").read_text() == "{}"


def test_the_page_may_load_nothing_and_is_kept_nowhere(site):
    _, page, headers = site().ask()

    assert "default-src 'none'" in page
    assert (headers["Cache-Control"], headers["Referrer-Policy"]) == ("no-store", "no-referrer")


@pytest.mark.parametrize("how", ["the page", "Ctrl-C", "SIGTERM"])
def test_the_server_ends_when_it_is_told_to(project, how):
    words = ("review", "recordings/one", "--web", "--reviewer", "ada")
    with start(project, *words, stderr=subprocess.PIPE, text=True) as serving:
        parts = urlsplit(serving.stderr.readline().split()[1])

        if how == "the page":
            connection = HTTPConnection(parts.netloc, timeout=10)
            connection.request("POST", f"{parts.path}finish", "{}", {"Content-Type": "application/json"})
            assert connection.getresponse().status == 200
            connection.close()
        else:
            serving.send_signal(signal.SIGINT if how == "Ctrl-C" else signal.SIGTERM)

        assert serving.wait(20) == 6  # nothing was answered
