"""What came of a section, kept in a file of its own."""

import json
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from page import Section


@dataclass
class Entry:
    """A section's parts as Markdown.

    Attributes:
        parts: in order.
        slower: the paragraphs that say where others are faster or better.
        failed: what went wrong, if anything did.
        when: the day and time (UTC) it was begun.
        seconds: how long it took.
        where: on what machine.
    """

    parts: list[str] = field(default_factory=list)
    slower: list[str] = field(default_factory=list)
    failed: str = ""
    when: str = ""
    seconds: float = 0.0
    where: str = ""


class Kept:
    """A folder with one JSON file a section, and their plots."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def has(self, name: str) -> bool:
        """Whether a section was ever run."""
        return self._path(name).exists()

    def take_over(self, sections: Sequence[Section], written: str, images: Path) -> None:
        """Keep what a page shows of sections that were not run here, and of peers that are not here."""
        machine = re.search(r"^(\d+ cores of .*?), \d", written, re.MULTILINE)
        for section in sections:
            heading = (
                rf"^## {re.escape(section.title)}\n\n(.*?)\n\n"
                r"\*Measured ([\d: -]+) UTC in ([\d,]+) s(?:, on ([^\n]*))?\.\*$"
            )
            found = re.search(heading, written, re.MULTILINE | re.DOTALL)
            if found is None or self.has(section.name):
                continue
            parts = parts_of(found[1])[section.introduction.count("\n\n") + 1 :]
            slower = re.findall(rf"^- {re.escape(section.title)}: (.*)$", written, re.MULTILINE)
            where = found[4] or (machine[1] if machine else "")
            seconds = float(found[3].replace(",", ""))
            self._write(section.name, Entry(parts, slower, "", found[2], seconds, where))
        plots = self.folder / "images"
        plots.mkdir(exist_ok=True)
        for plot in images.glob("bench-*.svg"):
            if not (plots / plot.name).exists():
                shutil.copyfile(plot, plots / plot.name)
        if not (place := self.folder / "versions").exists():
            rows = re.findall(
                r"^\| ([\w-]+) \| ([^|]*) \|$", written.partition("| environment |")[2], re.MULTILINE
            )
            place.write_text(json.dumps(dict(rows[1:])))

    def versions(self, made: Mapping[str, str]) -> dict[str, str]:
        """What each environment had installed when it was last there; those that are there now are given."""
        place = self.folder / "versions"
        found: dict[str, str] = json.loads(place.read_text()) if place.exists() else {}
        found.update(made)
        place.write_text(json.dumps(found))
        return found

    def _write(self, name: str, entry: Entry) -> None:
        self._path(name).write_text(json.dumps(asdict(entry), indent=1))

    def read(self, name: str) -> Entry:
        """What came of it the last time."""
        return Entry(**json.loads(self._path(name).read_text()))

    @contextmanager
    def writing(self, name: str, where: str) -> Iterator[Entry]:
        """An entry to fill; it is kept at the end, also when the run is broken off."""
        entry = Entry(when=time.strftime("%Y-%m-%d %H:%M", time.gmtime()), where=where)
        begun = time.perf_counter()
        try:
            yield entry
        except BaseException:
            entry.failed = entry.failed or "broken off"
            raise
        finally:
            entry.seconds = time.perf_counter() - begun
            self._write(name, entry)


def parts_of(text: str) -> list[str]:
    """The parts that a section of the page was made of: its paragraphs, and its tables with their titles."""
    unfolded = re.sub(
        r"<details>\n<summary>(.*?)</summary>\n\n(.*?)\n\n</details>", _unfold, text, flags=re.DOTALL
    )
    return re.split(r"(?<!\*\*)\n\n", unfolded)


def _unfold(found: re.Match[str]) -> str:
    return found[2] if found[1] == "Numbers" else f"**{found[1]}**\n\n{found[2]}"
