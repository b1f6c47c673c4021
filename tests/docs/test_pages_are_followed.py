"""README.md and every page of docs/ followed word by word: files are written, commands run, outputs compared.

A page needs no word here to be followed; those that start from more than an empty directory say so in `STARTS`.
"""

import json
import re
import tomllib

import pytest
import yaml
from loopback import Loopback
from pages import PAGES, ROOT, blocks_of, commands_of, each_page, missing_in
from stage import Stage, obliging

# What a page finds where it starts, beside nothing: parts of this repository, the files of another page; and what the
# model does there.
STARTS = {"ci.md": ["fixtures", "recordings", "scenarios"], "expectations.md": ["fixtures", "scenarios"]}
AFTER = dict.fromkeys(("cases.md", "evidence.md", "library.md"), "domains.md")
PLANS = {
    "cases.md": [("move_parcel", {"code": "K8", "place": "Oslo"})],
    "ci.md": {
        "L71": [("request_renewal", {"loan_id": "L71", "weeks": 2}), ("confirm_ticket", {"ticket_id": "T-L71-1"})],
        "B33": [("get_book", {"book_id": "B33"})],
    },
    **{name: [("find_parcel", {"code": "K7"})] for name in ("domains.md", "evidence.md", "library.md")},
    "scenarios.md": [("book_table", {"table_id": "T4", "guests": 4})],
    "pytest.md": [("find_order", {"order_id": 4021}), ("create_refund", {"order_id": 4021, "amount": 89.99})],
}
READERS = {"json": json.loads, "jsonl": lambda text: [*map(json.loads, text.splitlines())], "toml": tomllib.loads}
READERS |= {"yaml": yaml.safe_load, "python": lambda text: compile(text, "page", "exec")}
KINDS = {*READERS, "sh", "text", "js"}


@pytest.mark.parametrize(**each_page)
def test_a_page_can_be_followed(page, tmp_path):
    with Loopback(obliging(PLANS.get(page.name, ()))) as server:
        stage = Stage(tmp_path, server)
        stage.copy(*STARTS.get(page.name, ()))
        if page.name in AFTER:
            write_files(page.with_name(AFTER[page.name]), stage)
        said, section = "", 0
        for block in blocks_of(page):
            place = f"{page.name}:{block.line}"
            said, section = said if block.section == section else "", block.section
            if block.file and block.kind != "sh":
                stage.write(block.file, block.text)
            if block.kind == "sh":
                said = followed(commands_of(block.text), stage, place)
            elif block.kind == "yaml":
                followed(commands_in(yaml.safe_load(block.text)), stage, place)
            elif block.kind == "text" and said and not block.file:
                assert missing_in(said, block.text) == [], f"{place}: not in\n{said}"


def write_files(page, stage):
    for block in blocks_of(page):
        if block.file and block.kind != "sh":
            stage.write(block.file, block.text)


def commands_in(recipe):
    """The commands of a CI recipe, in its order: GitHub's `run` and GitLab's `script`."""
    match recipe:
        case {"run": str(text)}:
            return commands_of(text)
        case {"script": list(lines)}:
            return [command for line in lines for command in commands_of(line)]
        case dict():
            return [command for value in recipe.values() for command in commands_in(value)]
        case list():
            return [command for value in recipe for command in commands_in(value)]
        case _:
            return []


def followed(commands, stage, place):
    """All that the commands printed."""
    said = ""
    for command in commands:
        code, output = stage.run(command.words)
        assert code == command.exit, f"{place}: {command.words}\nexit {code}, expected {command.exit}\n{output}"
        said += output
    return said


@pytest.mark.parametrize(**each_page)
def test_each_block_is_what_it_says_it_is(page):
    for block in blocks_of(page):
        assert block.kind in KINDS, f"{page.name}:{block.line}: say which language this is"
        if block.kind in READERS:
            READERS[block.kind](block.text)


@pytest.mark.parametrize(**each_page)
def test_each_link_leads_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in link]

    assert [link for link in links if not leads(page, link)] == []


def leads(page, link):
    name, _, fragment = link.partition("#")
    target = page.parent / name if name else page
    return target.exists() and (not fragment or fragment in headings_of(target))


def headings_of(page):
    """The fragments of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_front_page_leads_to_every_page():
    front = PAGES[0].read_text("utf-8")

    assert [page.name for page in PAGES[1:] if f"(docs/{page.name})" not in front] == []


@pytest.mark.parametrize(**each_page)
def test_a_page_is_short(page):
    most = 1200 if page.name == "formats.md" else 200

    assert len(page.read_text("utf-8").splitlines()) <= most


def test_starts_and_plans_are_of_pages_that_are_there():
    assert {*STARTS, *AFTER, *AFTER.values(), *PLANS} <= {page.name for page in PAGES}
    assert all((ROOT / part).exists() for parts in STARTS.values() for part in parts)
