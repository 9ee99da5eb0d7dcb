"""Making figures: several at a time, each written when it is done, and a page about all of them."""

import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from noiseless.errors import NoiselessError, OutputError
from noiseless.gallery import every_figure, named_figure
from noiseless.gallery.data import Data
from noiseless.gallery.figure import Figure, Outcome
from noiseless.gallery.sources import Source

PAGE = "index.html"
"""The file of the page."""

Progress = Callable[[int, int, str], None]
"""Told how many figures of how many are made, and which was the last."""


@dataclass(frozen=True)
class Made:
    """A figure that was made and written.

    Attributes:
        figure: the figure.
        outcome: what it shows.
        missing: the data sets that stand-ins took the place of.
        files: the names of its files in the folder, by their kind: "png", "svg" and "csv".
        pictures: its panels as SVG elements for a page.
    """

    figure: Figure
    outcome: Outcome
    missing: tuple[Source, ...]
    files: dict[str, str]
    pictures: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it under the names it has in JSON."""
        return {
            "name": self.figure.name,
            "file": self.files["png"],
            "svg": self.files["svg"],
            "data": self.files["csv"],
            "paper": self.figure.paper,
            "title": self.figure.title,
            "claim": self.figure.claim,
            "measured": "; ".join(check.measured.rstrip(".") for check in self.outcome.checks),
            "agrees": self.outcome.agrees,
            "synthetic": self.outcome.synthetic,
            "checks": [asdict(check) for check in self.outcome.checks],
            "remarks": list(self.outcome.remarks),
            "missing": [asdict(source) for source in self.missing],
        }


def reproduce(
    folder: Path | str,
    names: Iterable[str] = (),
    *,
    data: Data | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[Made, ...]:
    """Make figures and write them into a folder: pictures, numbers, and a page about those of this call.

    Args:
        folder: where to; it is made if need be.
        names: of the figures, each made once; all of them if none is named.
        data: the data sets; those that `NOISELESS_DATA` names if not given.
        jobs: how many figures are made at a time, each in a process of its own. With more than one, a script
            that calls this has to guard its main part with `if __name__ == "__main__"`.
        progress: told of every figure that is done.

    Raises:
        RequestError: there is no figure of some name.
        SourceError: a data set is there and cannot be read.
        OutputError: nothing can be written there.
    """
    from noiseless.gallery.pages import write_page

    figures = tuple({figure.name: figure for figure in map(named_figure, names)}.values()) or every_figure()
    sets = Data.found() if data is None else data
    out = _made_folder(Path(folder))
    made = dict[str, Made]()
    for done in _all(figures, sets, out, jobs):
        made[done.figure.name] = done
        if progress is not None:
            progress(len(made), len(figures), done.figure.name)
    ordered = tuple(made[figure.name] for figure in figures)
    write_page(ordered, out / PAGE)
    return ordered


def make(figure: Figure, data: Data) -> Outcome:
    """Make a figure on those of the data sets that it needs; on stand-ins it says so."""
    own = data.needing(figure.needs)
    outcome = figure.make(own)
    return replace(outcome, synthetic=own.synthetic)


def _made_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            str(folder), f"cannot be made a folder ({error.strerror}); choose another"
        ) from None
    return folder


def _all(figures: Sequence[Figure], data: Data, folder: Path, jobs: int) -> Iterator[Made]:
    """Each figure when it is done."""
    if jobs <= 1 or len(figures) == 1:
        for figure in figures:
            yield _one(figure, data, folder)
        return
    # Those on real data take longest: they go first, so that none is left alone at the end.
    order = sorted(figures, key=lambda figure: not figure.needs)
    workers = min(jobs, len(figures))
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_at_once) as pool:
        waiting = {pool.submit(_in_a_process, figure.name, data, folder): figure for figure in order}
        try:
            for done in as_completed(waiting):
                yield _received(waiting[done], data, done.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one(figure: Figure, data: Data, folder: Path) -> Made:
    from noiseless.gallery.files import write_files
    from noiseless.gallery.inlining import pictures_of

    outcome = make(figure, data)
    files = write_files(figure, outcome, folder)
    return Made(figure, outcome, data.needing(figure.needs).missing, files, pictures_of(outcome, figure.name))


_Parts = tuple[Outcome, dict[str, str], tuple[str, ...]]


def _in_a_process(name: str, data: Data, folder: Path) -> _Parts | str:
    """The parts of a figure that can be sent, or what is wrong: our errors cannot be sent as they are."""
    try:
        made = _one(named_figure(name), data, folder)
    except NoiselessError as error:
        return str(error)
    return made.outcome, made.files, made.pictures


def _received(figure: Figure, data: Data, parts: _Parts | str) -> Made:
    if isinstance(parts, str):
        raise NoiselessError(parts)
    outcome, files, pictures = parts
    return Made(figure, outcome, data.needing(figure.needs).missing, files, pictures)


def _end_at_once() -> None:
    """An interrupt ends such a process without a word; the first one says what there is to say."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
