"""Report files back to reports, whole or row by row, and the reports of several parts to what they say together."""

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TypeVar

import msgspec

from harness import errors
from harness.encoding import misencoded
from harness.fixture import Digest
from harness.json_lines import shape_error_of, struct_of
from harness.repeats import check_line, decode_unique
from harness.report.contradiction import contradiction_in
from harness.report.report import FORMAT_VERSION, Head, Origin, Report, Result, Summary
from harness.report.summary import summary_of
from harness.report.tally import Tally
from harness.report.typed_diff import typed_diff_of
from harness.report.writing import CLOSING, OPENING, About, head_in
from harness.value import decode, decoder_of, encode


class _GatedHead(Head, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """As `--baseline --json` writes it: what the baseline said is left aside."""

    gate: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _GatedReport(Report, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    gate: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_report: "msgspec.json.Decoder[_GatedReport]" = decoder_of(_GatedReport)
_head: "msgspec.json.Decoder[_GatedHead]" = decoder_of(_GatedHead)
_result: "msgspec.json.Decoder[Result]" = decoder_of(Result)


_Struct = TypeVar("_Struct")


_SHARED = ("semantics_version", "origin", "inputs")


class _Version(msgspec.Struct, rename="camel"):
    format_version: int


def read_report(raw: bytes, *, file: str) -> Report:
    """The report in a file's bytes, however it is spaced; raises `BadReport`, also where it does not add up."""
    head, rows = read_results(BytesIO(raw), file=file)
    return Report(**msgspec.structs.asdict(head), results=list(rows))


def _checked(head: Head, results: Iterable[Result], file: str) -> Iterator[Result]:
    """The results, each looked at as it comes: one that its findings do not give, or that stands twice, is refused.

    A trial that stands twice counts twice, in a report that adds up all the same. The summary is held against them
    when they have all come.
    """
    tally, places = Tally(), set[tuple[str, int]]()
    for one in results:
        found = contradiction_in(one)
        if found is not None:
            sentence = f"the {found[0]} of {one.case}, trial {one.trial}, is not what its findings give"
            raise errors.BadReport(sentence, file=file, expected=found[1], found=found[2])
        if (one.case, one.trial) in places:
            raise errors.BadReport(f"{one.case}, trial {one.trial}, stands twice", file=file)
        places.add((one.case, one.trial))
        tally.add(one)
        yield one
    _check_summary(head.summary, summary_of(tally), file)


def _check_summary(found: Summary, given: Summary, file: str) -> None:
    """Evidence is bound to a report: verdicts or figures that somebody edited must not be taken for a judge's."""
    if found == given:
        return
    first = typed_diff_of(decode(encode(given)), decode(encode(found)), path="summary")[0]
    sentence = f"{first.path} is not what the results give"
    raise errors.BadReport(sentence, file=file, expected=first.expected, found=first.actual)


def read_results(lines: Iterable[bytes], *, file: str) -> tuple[Head, Iterator[Result]]:
    """A report's head and its results, read line by line as they are asked for; raises `BadReport`.

    A file that another program has spaced otherwise is read whole. Whether the summary adds up is looked at when the
    last result was asked for.
    """
    lines = iter(lines)
    first = next(lines, b"")
    opening = b"," + OPENING
    if not first.rstrip().endswith(opening):
        raw = b"".join([first, *lines])
        _check_version(raw, file)
        report = _whole(raw, file)
        return head_in(report), _checked(report, report.results, file)
    raw = first.rstrip().removesuffix(opening) + b"}"
    _check_version(raw, file)
    head = head_in(_decoded(raw, _head, file, 1))
    return head, _checked(head, _rows(lines, file), file)


def _rows(lines: Iterator[bytes], file: str) -> Iterator[Result]:
    number, more = 1, True
    for number, line in enumerate(lines, 2):
        row = line.rstrip()
        if row == CLOSING:
            break
        if not more:
            raise errors.BadReport("the line before ends without a comma", file=file, line=number)
        more = row.endswith(b",")
        yield _decoded(row.removesuffix(b","), _result, file, number)
    else:
        raise errors.BadReport(
            "the report ends before its last line", file=file, line=number, expected=CLOSING.decode()
        )
    if any(line.strip() for line in lines):
        raise errors.BadReport("something follows the last line of the report", file=file, line=number + 1)


def _decoded(raw: bytes, decoder: "msgspec.json.Decoder[_Struct]", file: str, line: int) -> _Struct:
    try:
        found = struct_of(raw, decoder, file=file, line=line)
        check_line(raw, file=file, line=line)
    except errors.MalformedLine as error:
        raise _report_error(error, line) from None
    return found


def _report_error(error: errors.MalformedLine, line: int | None) -> errors.BadReport:
    """The same facts as of a report: it is no evidence that could be recorded again."""
    facts = {"expected": error.expected, "found": error.found, "nearest": error.nearest}
    return errors.BadReport(error.subject, file=error.file, line=line, **facts)


def _whole(raw: bytes, file: str) -> _GatedReport:
    """A report that stands in as many lines as it likes; a message names the path where a line would not help."""
    try:
        report = _report.decode(raw)
        decode_unique(raw)
    except msgspec.ValidationError as error:
        raise _report_error(shape_error_of(str(error), Report, file, 1), None) from None
    except (ValueError, RecursionError) as error:
        raise misencoded(raw, errors.BadReport, file=file) or errors.BadReport(
            f"no report: {error}", file=file
        ) from None
    return report


def _check_version(raw: bytes, file: str) -> None:
    try:
        found = msgspec.json.decode(raw, type=_Version).format_version
    except ValueError:
        return
    if found != FORMAT_VERSION:
        expected = str(FORMAT_VERSION)
        raise errors.BadReport("a report of another format version", file=file, expected=expected, found=str(found))


def about_parts(heads: Sequence[Head], files: Sequence[str]) -> About:
    """What the report of several parts says beside its results; raises `BadReport` where they do not belong together.

    Parts that were judged as shards must be all there, each once.
    """
    first = heads[0]
    for head, file in zip(heads, files, strict=True):
        for name, one, other in zip(_SHARED, _shared(first), _shared(head), strict=True):
            if one != other:
                sentence = f"{name} differs from that of {files[0]}"
                raise errors.BadReport(sentence, file=file, expected=one, found=other)
    _check_shards(heads, files)
    return About(all(head.complete for head in heads), None, _origin_of(heads), first.inputs)


def _shared(head: Head) -> list[str]:
    """What all parts must say alike; which models answered is each part's own."""
    asked = head.origin and msgspec.structs.replace(head.origin, model_answered=None)
    return [_text(one) for one in (head.semantics_version, asked, head.inputs)]


def _origin_of(heads: Sequence[Head]) -> Origin | None:
    origins = [head.origin for head in heads if head.origin]
    answered = {name for one in origins if one.model_answered for name in one.model_answered.split(", ")}
    if not origins:
        return None
    return msgspec.structs.replace(origins[0], model_answered=", ".join(sorted(answered)) or None)


def _text(value: object) -> str:
    return encode(value).decode()


def _check_shards(heads: Sequence[Head], files: Sequence[str]) -> None:
    if not any(head.shard for head in heads):
        if len(heads) > 1 and heads[0].origin is not None:
            expected = "shards of one run: fc-judge RUN --shard 1/2"
            raise errors.BadReport("reports of two runs are not parts of one", file=files[1], expected=expected)
        return
    counts = {head.shard.count if head.shard else 1 for head in heads}
    if len(counts) > 1:
        expected = f"shards of {min(counts)}"
        raise errors.BadReport("not all are shards of one run", file=files[0], expected=expected, found=str(counts))
    wanted = range(1, counts.pop() + 1)
    found = sorted(head.shard.index for head in heads if head.shard)
    _check_wholes([head.shard.of for head in heads if head.shard], files)
    if found != list(wanted):
        expected, seen = (", ".join(map(str, numbers)) for numbers in (wanted, found))
        raise errors.BadReport("the shards are not all there, each once", file=files[0], expected=expected, found=seen)


def _check_wholes(wholes: Sequence[Digest | None], files: Sequence[str]) -> None:
    for whole, file in zip(wholes, files, strict=True):
        if whole is None:
            sentence = "the shard does not say of what it is a part: judge it again"
            raise errors.BadReport(sentence, file=file)
        if whole != wholes[0]:
            sentence = f"a shard of another run, or of other files, than {files[0]}"
            raise errors.BadReport(sentence, file=file, expected=wholes[0], found=whole)
