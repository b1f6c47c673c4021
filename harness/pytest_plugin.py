"""The fixture `fc` for pytest: an agent's run is replayed from its recording, or recorded on wish.

Imported at every start of pytest where this package is installed: pytest and the standard library only.
"""

import shlex
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.session.slugs import slug_of

if TYPE_CHECKING:
    from harness.session.kept import End
    from harness.session.session import Session
    from harness.session.under_pytest import Outcome, TestSession

_MARK = "fc"
_MARK_OPTIONS = ("allow", "timing", "reachable")
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY")
_ADVICE = (
    'a client made at import needs a key, in replay any: os.environ.setdefault("{}", "placeholder") in conftest.py'
)


class _State:
    """What the hooks know of one test that uses `fc`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.twin = ""
        self.end: End = "broken"
        self.records_now = False
        self.outcome: Outcome | None = None


_STATE = pytest.StashKey[_State]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """How to record; where recordings are."""
    group = parser.getgroup("fc", "recorded agents")
    add = group.addoption
    # Whole words as options: a mode after a blank would take the path that follows it.
    add("--fc-record", "--fc-record=all", dest="fc_record", action="store_const", const="all", help="Record every run.")
    help_new = "Record the runs that have no recording; replay the others."
    add("--fc-record=new", dest="fc_record", action="store_const", const="new", help=help_new)
    help_stale = "Replay; record again the runs that drifted, and those without a recording."
    add("--fc-record=stale", dest="fc_record", action="store_const", const="stale", help=help_stale)
    add("--fc-fixtures", action="store_true", help="Replay and judge the files of fixtures/ too, each as a test.")
    parser.addini("fc_fixtures", "The directory of fixtures, from the root directory.", default="fixtures")
    parser.addini("fc_recordings", "The directory of recordings, from the root directory.", default="recordings")
    parser.addini("fc_reachable", "Hosts that a replay may connect to; this machine always may.", "args", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """The marker's line for `pytest --markers`."""
    line = "fc(allow=(), timing='instant', reachable=()): drifts that may pass, recorded waits, hosts within reach."
    config.addinivalue_line("markers", line)
    fixtures = _fixtures(config)
    if fixtures is not None and not any(Path(arg).absolute().is_relative_to(fixtures) for arg in config.args):
        config.args.append(str(fixtures))


def _fixtures(config: pytest.Config) -> Path | None:
    """The directory of fixtures, where they are asked for."""
    directory = config.rootpath / str(config.getini("fc_fixtures"))
    return directory if config.getoption("fc_fixtures") and directory.is_dir() else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Each file of the directory of fixtures, where they are asked for."""
    fixtures = _fixtures(parent.config)
    if fixtures is None or file_path.suffix != ".jsonl" or not file_path.is_relative_to(fixtures):
        return None
    from harness.session.fixture_items import FixtureFile

    return FixtureFile.from_parent(parent, path=file_path)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A client that a module makes when it is imported wants a key before any test has placeholders."""
    report = yield
    if report.failed:
        report.sections += [("fc", _ADVICE.format(key)) for key in _KEYS if key in str(report.longrepr)]
    return report


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each test with `fc` its recording's name, and find those that share one."""
    owners: dict[Path, str] = {}
    for item in items:
        if "fc" not in getattr(item, "fixturenames", ()):
            continue
        path = _path_of(config, item)
        state = item.stash[_STATE] = _State(path)
        state.twin = owners.setdefault(path, item.nodeid)


def _path_of(config: pytest.Config, item: pytest.Item) -> Path:
    return config.rootpath / str(config.getini("fc_recordings")) / f"{slug_of(item.nodeid)}.jsonl"


@pytest.fixture
def fc(request: pytest.FixtureRequest) -> Iterator["Session"]:
    """One run of an agent: `fc.http_client()`, `fc.tools(…)`, `fc.trace`; replayed, or recorded with --fc-record."""
    state: _State = request.node.stash.setdefault(_STATE, _State(_path_of(request.config, request.node)))
    if state.twin not in {"", request.node.nodeid}:
        advice = "rename one of the tests, or give its case another id: pytest.param(…, id=…)"
        pytest.fail(f"{state.twin} has the same recording, {state.path}: {advice}", pytrace=False)
    session = _opened(request, state)
    with session.surroundings():
        yield session.session
        state.outcome = session.finish(state.end)
    if state.outcome.failure:
        pytest.fail(state.outcome.failure, pytrace=False)


def _opened(request: pytest.FixtureRequest, state: _State) -> "TestSession":
    from harness.errors import HarnessError
    from harness.session.session import Place
    from harness.session.under_pytest import TestSession, Wish

    node, config = request.node, request.config
    mode = config.getoption("fc_record")
    records = state.records_now or mode == "all" or (mode is not None and not state.path.exists())
    command = f"pytest --fc-record {shlex.quote(node.nodeid)}"
    place = Place(state.path, _shown(state.path, config), f"test:{node.nodeid}", command)
    options: dict[str, Any] = {"reachable": tuple(config.getini("fc_reachable")), **_mark_options(node)}
    try:
        return TestSession(Wish(place, records, **options))
    except HarnessError as error:
        refusal = str(error)
    pytest.fail(refusal, pytrace=False)


def _shown(path: Path, config: pytest.Config) -> str:
    """The path as a reader finds it from where pytest was started."""
    start = config.invocation_params.dir
    return str(path.relative_to(start) if path.is_relative_to(start) else path)


def _mark_options(node: pytest.Item) -> dict[str, Any]:
    mark = node.get_closest_marker(_MARK)
    if mark is None:
        return {}
    unknown = [name for name in mark.kwargs if name not in _MARK_OPTIONS]
    if mark.args or unknown:
        known = ", ".join(_MARK_OPTIONS)
        pytest.fail(f"@pytest.mark.fc takes {known}, by name: {mark.args or unknown}", pytrace=False)
    return {name: value if name == "timing" else _several(value) for name, value in mark.kwargs.items()}


def _several(value: Any) -> tuple[str, ...]:  # noqa: ANN401  whatever a test's author wrote
    return (value,) if isinstance(value, str) else tuple(value)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """How the test ended decides what becomes of its recording; what a session came to travels with its teardown."""
    report = yield
    state = item.stash.get(_STATE, None)
    if state is not None:
        if call.when == "call":
            state.end = _end_of(call, report)
        elif call.when == "teardown" and state.outcome is not None:
            report.fc_outcome = list(state.outcome)  # type: ignore[attr-defined]
    return report


def _end_of(call: pytest.CallInfo[None], report: pytest.TestReport) -> "End":
    if report.passed:
        return "passed"
    own = call.excinfo is not None and call.excinfo.errisinstance((AssertionError, pytest.fail.Exception))
    return "failed" if own else "broken"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> object:
    """With --fc-record=stale: replay first, without a word, and record where that drifted."""
    state = item.stash.get(_STATE, None)
    if state is None or item.config.getoption("fc_record") != "stale" or not state.path.exists():
        return None
    from _pytest.runner import runtestprotocol

    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if state.outcome is not None and state.outcome.drifts:
        state.records_now, state.end, state.outcome = True, "broken", None
        item._initrequest()  # type: ignore[attr-defined]  # noqa: SLF001  as pytest's own rerunners do
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def pytest_terminal_summary(terminalreporter: Any) -> None:  # noqa: ANN401  pytest's own, of no public type
    """What all runs came to, in a few lines; nothing where no test used `fc`."""
    reports = (report for reports in terminalreporter.stats.values() for report in reports)
    found = [outcome for report in reports if (outcome := getattr(report, "fc_outcome", None)) is not None]
    if not found:
        return
    from harness.session.under_pytest import Outcome, summary_lines

    terminalreporter.section("fc")
    for line in summary_lines([Outcome(*one) for one in found]):
        terminalreporter.line(line)
