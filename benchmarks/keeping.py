"""What came of a section, kept in a file of its own."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Entry:
    """A section's parts as Markdown.

    Attributes:
        parts: in order.
        slower: the paragraphs that say where others are faster or better.
        failed: what went wrong, if anything did.
        when: the day and time (UTC) it was begun.
        seconds: how long it took.
    """

    parts: list[str] = field(default_factory=list)
    slower: list[str] = field(default_factory=list)
    failed: str = ""
    when: str = ""
    seconds: float = 0.0


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

    def read(self, name: str) -> Entry:
        """What came of it the last time."""
        return Entry(**json.loads(self._path(name).read_text()))

    @contextmanager
    def writing(self, name: str) -> Iterator[Entry]:
        """An entry to fill; it is kept at the end, also when the run is broken off."""
        entry = Entry(when=time.strftime("%Y-%m-%d %H:%M", time.gmtime()))
        begun = time.perf_counter()
        try:
            yield entry
        except BaseException:
            entry.failed = entry.failed or "broken off"
            raise
        finally:
            entry.seconds = time.perf_counter() - begun
            self._path(name).write_text(json.dumps(asdict(entry), indent=1))
