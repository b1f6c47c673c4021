"""fc-judge review: a person says of each failure, and of some passes, whether the verdict is right."""

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from harness.cli.common import colours, print_json
from harness.cli.examples import CommandWithExamples
from harness.cli.options import DIRECTORY, FILE
from harness.cli.outputs import refuse_overwriting
from harness.excerpt import visible_of

if TYPE_CHECKING:
    from harness.cli.evidence.review_file import Reviewer, ReviewFile
    from harness.evidence.review import Method

EXAMPLES = """\
Examples:
  fc-judge review recordings/nightly                 one keystroke a result; saved in recordings/nightly/review.json
  fc-judge review recordings/nightly --web           the same as a page on this machine
  fc-judge review recordings/nightly --answers a.jsonl --reviewer triage
                                                     lines of {"case", "trial", "answer", "note"}; marked as assisted
  fc-judge review recordings/nightly --list --json   what a script is to answer: cases, trials, verdicts, choices
  fc-judge review recordings/nightly --status        what it came to so far; asks nothing
  fc-judge review recordings/second --after recordings/first/review.json
                                                     keep what the first review found wrong, now that it is mended

Answers: model_error (of a FAIL: the model was wrong), correct (of a PASS: the model was right), judge_error,
golden_error, unclear. All failures are asked about, and at least ten passes, drawn by the hashes of the inputs.
An unfinished review is gone on with; one that was made for other inputs or recordings is refused.

Exit codes: 0 all is answered; 2 usage; 4 unreadable, or of another run; 6 something is still open.
"""


class Options(NamedTuple):
    """What was asked for, beside the run."""

    output: str | None
    reviewer: str | None
    web: bool
    port: int
    answers: str | None
    after: str | None
    passes: int | None
    again: bool
    replace: bool
    status: bool
    listed: bool
    scenarios: str
    suite: str | None


@click.command("review", cls=CommandWithExamples, epilog=EXAMPLES)
@click.argument("run", metavar="RUN", type=click.Path())
@click.option("--output", metavar="FILE", type=click.Path(), help="The review.  [default: review.json in the run]")
@click.option("--reviewer", metavar="NAME", help="Who answers.  [default: the login name]")
@click.option("--web", is_flag=True, help="Answer in a browser: a page on 127.0.0.1, behind a random address.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port of --web.  [default: any free one]")
@click.option("--answers", metavar="FILE", type=FILE, help="Take the answers from JSONL; marked as assisted.")
@click.option("--after", metavar="REVIEW", type=FILE, help="Keep what this earlier review found wrong.")
@click.option("--passes", type=click.IntRange(min=10), help="How many passes to ask about.  [default: 10]")
@click.option("--again", is_flag=True, help="Ask anew about what no person has answered.")
@click.option("--replace", is_flag=True, help="Let --answers replace what a person answered; that is kept beside.")
@click.option("--status", is_flag=True, help="Ask nothing, say what it came to so far.")
@click.option("--list", "listed", is_flag=True, help="Ask nothing, list what is asked about, with each answer.")
@click.option("--json", "as_json", is_flag=True, help="The review, or the list, as one JSON object on stdout.")
@click.option("--scenarios", type=DIRECTORY, default="scenarios", show_default=True, help="Where the suites are.")
@click.option("--suite", metavar="DIR", type=DIRECTORY, help="The run's suite, where it is not among them.")
def review(run: str, *, as_json: bool, **named: Any) -> None:  # noqa: ANN401  `Options` says what they are
    """Say of each failure of a run, and of some passes, whether the verdict is right.

    RUN is a run's directory or a report's file.
    """
    options = Options(**named)
    _check_one_way(options)
    refuse_overwriting({"--output": options.output}, [run], kind="review")
    book = _opened(run, options)
    if not (options.status or options.listed):
        book.begin()
        _ask(book, options)
    if options.listed:
        _list(book, as_json=as_json)
    else:
        _tell(book, run, options, as_json=as_json)
    sys.exit(6 if book.sheet.open_places(book.review) else 0)


def _check_one_way(options: Options) -> None:
    from harness.errors import WrongOption

    ways = {
        "--status": options.status,
        "--list": options.listed,
        "--web": options.web,
        "--answers": options.answers is not None,
    }
    said = [option for option, there in ways.items() if there]
    if len(said) > 1:
        raise WrongOption(f"{' and '.join(said)}: a review is done in one of these ways")
    if options.replace and options.answers is None:
        raise WrongOption("--replace is for --answers: whom a person replaces, the review keeps by itself")


def _opened(run: str, options: Options) -> "ReviewFile":
    from pathlib import Path

    from harness.cli.evidence.evidence_files import run_taken, sound
    from harness.cli.evidence.review_file import ReviewFile, review_path

    source = Path(run)
    suite, output, after = (Path(one) if one else None for one in (options.suite, options.output, options.after))
    loaded = sound(run_taken(source, Path(options.scenarios), suite))
    book = ReviewFile(output or review_path(source), loaded, passes=options.passes, after=after)
    if book.set_aside:
        click.echo(f"{book.set_aside} answers are kept aside: the judge sees their results otherwise now", err=True)
    return book


def _ask(book: "ReviewFile", options: Options) -> None:
    if options.answers:
        from pathlib import Path

        from harness.cli.evidence.review_file import answers_in

        answers = answers_in(Path(options.answers), book.sheet, _reviewer(options, "assisted"))
        if not options.replace:
            book.refuse_replacing(answers)
        book.answer_all(answers)
    elif options.web:
        from harness.cli.evidence.review_web import review_in_browser

        review_in_browser(book, _reviewer(options, "human"), port=options.port, again=options.again)
    elif book.sheet.open_places(book.review, again=options.again):
        from harness.cli.evidence.review_terminal import review_in_terminal

        review_in_terminal(book, _reviewer(options, "human"), again=options.again)


def _reviewer(options: Options, method: "Method") -> "Reviewer":
    from harness.cli.evidence.review_file import Reviewer, login_name
    from harness.errors import WrongOption

    name = (options.reviewer or login_name()).strip()
    if not name:
        raise WrongOption("a review says who answered: give --reviewer NAME")
    return Reviewer(name, method)


def _list(book: "ReviewFile", *, as_json: bool) -> None:
    """What is asked about: for a script that is to answer."""
    from harness.evidence.review import asked_in

    asked = asked_in(book.sheet, book.review)
    if as_json:
        print_json({"asked": asked})
        return
    for one in asked:
        said = f"{one.answer}, by {one.reviewer}, {one.method}" if one.answer else f"open: {', '.join(one.choices)}"
        click.echo(visible_of(f"{one.verdict}  {one.case}, trial {one.trial}  {said}"))


def _tell(book: "ReviewFile", run: str, options: Options, *, as_json: bool) -> None:
    from harness.evidence.review_text import lines_of_review
    from harness.report.terminal import text_of

    if as_json:
        print_json(book.review)
        return
    click.echo(text_of(lines_of_review(book.review), colour=colours(sys.stdout)), nl=False)
    if book.is_there:
        click.echo(f"review: {visible_of(str(book.path))}", err=True)
        return
    output = f" --output {options.output}" if options.output else ""
    click.echo(visible_of(f"not begun, {book.path} is not there yet: fc-judge review {run}{output}"), err=True)
