import io
import json
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from noiseless.collection import stream_state as state
from noiseless.collection import streams as running
from noiseless.collection.local.quantization import Quantized, quantize_pipe
from noiseless.collection.local.scalar import LocalQuantizer
from noiseless.collection.local.schedule import Schedule
from noiseless.collection.stream_state import StreamState
from noiseless.collection.streams import FileSink, quantize_stream
from noiseless.errors import DomainError, OutputError, RequestError, SourceError
from noiseless.questions import Continuum

FINE = LocalQuantizer.finest(Continuum.of(0, 8), 4, "x")
STOP = Schedule.stopping(FINE, 6)
DAY = b"who,x\na,1\nb,3\na,5\n"


class Folder:
    """A state and an output in a folder."""

    def __init__(self, path: Path) -> None:
        self.path, self.state = path, path / "state"

    def run(self, data: bytes, out: str = "out.csv", schedule: Schedule = STOP, **options: Any) -> Quantized:  # noqa: ANN401
        named = {"unit": "who", **options}
        return quantize_stream(io.BytesIO(data), schedule, self.path / out, self.state, **named)

    def text(self, out: str = "out.csv") -> str:
        return (self.path / out).read_text()

    def readings(self, *persons: str, schedule: Schedule = STOP) -> dict[str, int]:
        with StreamState(self.state, schedule) as state:
            return state.readings(persons)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_budgets_last_from_run_to_run(folder: Folder) -> None:
    first = folder.run(DAY)
    assert (first.rows, first.persons, first.most_readings, first.silent) == (3, 2, 2, 0)
    assert folder.text() == "who,x\na,1\nb,3\na,5\n"
    second = folder.run(DAY, "second.csv")
    assert folder.text("second.csv") == "who,x\na,1\nb,3\na,\n"
    assert (second.rows, second.persons, second.most_readings, second.silent) == (3, 2, 4, 1)
    assert folder.readings("a", "b", "c") == {"a": 4, "b": 2}
    assert stat.S_IMODE(folder.state.stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.path.iterdir()) == ["out.csv", "second.csv", "state"]


@pytest.mark.parametrize("is_there", [False, True])
def test_the_state_behind_a_link_is_for_its_owner_alone(folder: Folder, is_there: bool) -> None:
    target = folder.path / "target"
    folder.state.symlink_to(target)
    if is_there:
        target.touch(0o644)
    folder.run(DAY)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert folder.readings("a") == {"a": 2}


def test_persons_are_told_apart_by_every_byte(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name goes on after a NUL, where SQLite's JSON ends it: the budget would begin anew each time."""
    monkeypatch.setattr(state, "_PERSONS", 2)
    names = ["a\0b", "a", "'", "\N{GREEK SMALL LETTER ALPHA}", '"']
    lines = "".join(f"{json.dumps({'who': name, 'x': 1})}\n" for name in names * 2).encode()
    for out in ("first.jsonl", "second.jsonl"):
        folder.run(lines, out)
    assert folder.readings(*names) == dict.fromkeys(names, 4)
    told = [json.loads(line)["x"] for line in folder.text("second.jsonl").splitlines()]
    assert told == [1.0] * 5 + [None] * 5  # the budget pays for three readings


def test_the_next_batch_waits_until_the_last_one_is_durable_and_written(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read ahead or not, steps come in the same order: kept, then written, one batch after the other."""
    monkeypatch.setattr(running, "CHUNK", 20)
    rows = b"".join(b"%c,%d\n" % (97 + i % 3, i % 9) for i in range(40))
    steps: list[str] = []
    for owner, name in ((StreamState, "save"), (FileSink, "write")):
        monkeypatch.setattr(owner, name, noted(getattr(owner, name), name, steps))
    texts = []
    for large in (0, 2**20):
        monkeypatch.setattr(running, "_LARGE", large)
        steps.clear()
        with source_of(folder, b"who,x\n" + rows) as stream:
            quantize_stream(stream, STOP, folder.path / f"{large}.csv", folder.path / f"{large}", unit="who")
        assert steps == ["save", "write"] * (len(steps) // 2) + ["save"]  # the last one: finished
        assert len(steps) > 6
        texts.append(folder.text(f"{large}.csv"))
    assert texts[0] == texts[1]


def test_a_disk_that_fails_lets_nothing_out(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_LARGE", 0)

    def fail(*_: object) -> None:
        raise OutputError("state", "cannot be written")

    with source_of(folder, DAY) as stream:
        out = io.BytesIO()
        monkeypatch.setattr(running._StreamRun, "_keep", fail)
        with pytest.raises(OutputError, match="cannot be written"):
            quantize_stream(stream, STOP, out, folder.state, unit="who")
    assert out.getvalue() == b"who,x\n"


def noted(function: Callable[..., None], name: str, steps: list[str]) -> Callable[..., None]:
    """A function that leaves its name when it has ended."""

    def run(*values: object) -> None:
        function(*values)
        steps.append(name)

    return run


def source_of(folder: Folder, data: bytes) -> BinaryIO:
    """A real file, which one can wait at."""
    (folder.path / "source").write_bytes(data)
    return (folder.path / "source").open("rb")


def test_a_finished_run_is_not_run_again(folder: Folder) -> None:
    before = folder.run(DAY, resume=True)  # nothing to go on with: it begins
    again = folder.run(DAY, resume=True)
    assert again.to_dict() == before.to_dict()
    assert folder.readings("a") == {"a": 2}
    assert folder.text() == "who,x\na,1\nb,3\na,5\n"


def test_what_is_refused_can_be_mended_and_the_run_goes_on(folder: Folder) -> None:
    bad = DAY + b"c,1\na,99\na,2\n"
    with pytest.raises(DomainError, match=r"1 value is outside 0..8; see line 6; declare wider bounds"):
        folder.run(bad)
    assert folder.text() == "who,x\na,1\nb,3\na,5\nc,1\n"
    assert folder.readings("a", "b", "c") == {"a": 2, "b": 1, "c": 1}
    with pytest.raises(RequestError, match="has not finished; go on with --resume"):
        folder.run(bad)
    with pytest.raises(SourceError, match="give the same input again"):
        folder.run(bad.replace(b"b,3", b"b,4"), resume=True)
    found = folder.run(bad.replace(b"99", b"7"), resume=True)
    assert (found.rows, found.silent) == (6, 1)
    assert folder.text() == "who,x\na,1\nb,3\na,5\nc,1\na,7\na,\n"
    assert folder.readings("a", "c") == {"a": 4, "c": 1}


def test_a_run_can_be_abandoned_but_what_was_told_stays_charged(folder: Folder) -> None:
    with pytest.raises(SourceError, match="line 3 has 1 fields"):
        folder.run(b"who,x\na,1\na\n")
    with pytest.raises(OutputError, match="is there already"):
        folder.run(DAY, abandon=True)
    folder.run(DAY, "other.csv", abandon=True)
    assert folder.readings("a", "b") == {"a": 3, "b": 1}


def test_other_options_are_no_resumption(folder: Folder) -> None:
    with pytest.raises(SourceError):
        folder.run(b"who,x\na,1\na\n")
    for options in ({"clamp": True}, {"release_as": "cell"}, {"out": "else.csv"}):
        with pytest.raises(RequestError, match="had other options"):
            folder.run(DAY, resume=True, **options)
    with pytest.raises(RequestError, match="counted with other cells or another budget"):
        folder.run(DAY, schedule=Schedule.stopping(FINE, 8), resume=True)


def test_the_output_must_be_what_it_was(folder: Folder) -> None:
    with pytest.raises(SourceError):
        folder.run(DAY + b"a\n")
    whole = folder.text()
    (folder.path / "out.csv").write_text(whole + "half a li")
    mended = DAY + b"c,1\n"
    folder.run(mended, resume=True)
    assert folder.text() == whole + "c,1\n"
    folder.state.unlink()
    (folder.path / "out.csv").unlink()
    with pytest.raises(SourceError):
        folder.run(DAY + b"a\n")
    (folder.path / "out.csv").write_text("")
    with pytest.raises(OutputError, match="has fewer than the 6 bytes"):
        folder.run(mended, resume=True)


def test_a_state_is_in_one_hand(folder: Folder) -> None:
    with StreamState(folder.state, STOP), pytest.raises(OutputError, match="in use by another run"):
        StreamState(folder.state, STOP)
    (folder.path / "text").write_text("no database, but a text that is long enough to be read as one " * 20)
    with pytest.raises(OutputError, match="is no state of a stream"):
        StreamState(folder.path / "text", STOP)
    with pytest.raises(OutputError, match="cannot be opened"):
        StreamState(folder.path / "nowhere" / "state", STOP)


def test_a_reader_gets_the_last_batch_again_or_what_it_lacks(folder: Folder) -> None:
    bad = DAY + b"a\n"

    def run(data: bytes, **options: Any) -> bytes:  # noqa: ANN401
        out = io.BytesIO()
        with suppress(SourceError):
            quantize_stream(io.BytesIO(data), STOP, out, folder.state, unit="who", **options)
        return out.getvalue()

    assert run(bad) == DAY
    assert run(bad, resume=True) == b"a,1\nb,3\na,5\n"
    assert run(bad, resume=True, received=14) == b"a,5\n"
    assert run(bad, resume=True, received=18) == b""
    with pytest.raises(RequestError, match="the reader has 6 bytes at least, and 18 at most"):
        run(bad, resume=True, received=5)
    assert run(DAY + b"b,7\n", resume=True, received=18) == b"b,7\n"
    assert run(DAY + b"b,7\n", resume=True) == b""
    assert run(DAY + b"b,7\n", resume=True, received=20) == b"7\n"
    with pytest.raises(RequestError, match="what the reader of a pipe has"):
        folder.run(DAY, received=3)


def test_without_persons_a_state_is_there_to_resume(folder: Folder) -> None:
    found = folder.run(DAY, schedule=Schedule.endless(FINE), unit=None)
    assert (found.rows, found.persons) == (3, None)
    plain = io.BytesIO()
    quantize_pipe(io.BytesIO(DAY), FINE, plain)
    assert folder.text().encode() == plain.getvalue()


def test_dropped_rows_and_moved_values_are_counted_over_runs(folder: Folder) -> None:
    lines = b'{"who": "a", "x": 9}\n{"who": "a", "x": null}\n{"who": "b", "x": 1}\n'
    with pytest.raises(SourceError, match="line 4"):
        folder.run(lines + b"{\n", "out.jsonl", clamp=True, missing="drop")
    found = folder.run(lines + lines, "out.jsonl", clamp=True, missing="drop", resume=True)
    assert (found.rows, found.dropped, found.clamped, found.farthest) == (4, 2, 2, {"x": 0})
    assert folder.text("out.jsonl").count("\n") == 4
    assert folder.readings("a", "b") == {"a": 2, "b": 2}


def test_nothing_is_remembered_of_what_never_began(folder: Folder) -> None:
    for data, options in ((b"", {}), (DAY, {"unit": "nobody"}), (DAY, {"out": "out.jsonl"})):
        with pytest.raises(Exception, match=r"is empty|not in the table|change the ending"):
            folder.run(data, **options)  # type: ignore[arg-type]
    folder.run(DAY)
    assert folder.readings("a") == {"a": 2}
