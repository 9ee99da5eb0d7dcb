"""The whole page: what was run where, where others are faster, and the sections."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from environments import PEERS, made, versions_of
from keeping import Entry
from page import Form, Section, table

OURS = ("noiseless", "duckdb", "numpy", "numba", "scipy", "pyarrow", "pandas", "python-flint")

HEAD = """\
# Benchmarks

`make bench` runs everything on this page and writes the page itself, sentences and plots included. Work is
done side by side: the same work in the same run, the best of several turns, compiled kernels warmed up for
everybody. A ratio travels better between machines than a second does. Peers live in virtual environments of
their own, and each of their calls is timed in a fresh process with its data already in memory. A peer that
takes longer than {limit} seconds is *stopped*, and *not run* at larger sizes. Beside the times stand limits
of the machine: a copy of the columns in memory, or DuckDB's scan of the file. An exponent is the power of
the size with which time grows, over the sizes that were finished."""

SMALL = """\
**This page is from a small run** (`--small`): it shows that all works. Its numbers say little, for at these
sizes everything is start-up."""

ABSENT = """\
ARX (Java) and sdcMicro (R) are not compared: they are no Python packages, and neither could be downloaded
where this page is made."""


def page(entries: Sequence[tuple[Section, Entry]], form: Form) -> str:
    """The page as Markdown."""
    text = [HEAD.format(limit=form.limit)]
    if form.small:
        text.append(SMALL)
    text += [_machine(), table(_versions()), ABSENT]
    text += ["## Where others are faster or better", *_slower(entries)]
    failed = [f"{section.title}: `{entry.failed}`" for section, entry in entries if entry.failed]
    if failed:
        text += ["## Sections that failed", "\n".join(f"- {line}" for line in failed)]
    for section, entry in entries:
        text += [f"## {section.title}", section.introduction, *entry.parts]
        if entry.failed:
            text.append(f"**This section failed here:** `{entry.failed}`")
        text.append(f"*Measured {entry.when} UTC in {entry.seconds:,.0f} s.*")
    return "\n\n".join(part for part in text if part) + "\n"


def _slower(entries: Sequence[tuple[Section, Entry]]) -> list[str]:
    lines = [f"- {section.title}: {words}" for section, entry in entries for words in entry.slower]
    begin = "These sentences, like all about who is faster, are made from the numbers below."
    return [begin, "\n".join(lines)] if lines else ["Nowhere in what was run."]


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    return (
        f"{cores} cores of {_processor()}, {_memory():.0f} GB of memory, Python {platform.python_version()}."
    )


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _memory() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def _versions() -> list[dict[str, str]]:
    rows = [{"environment": "ours", "versions": ", ".join(_named(OURS))}]
    for peer in PEERS:
        if made(peer):
            found = versions_of(peer)
            names = (peer, "pycanon", "numpy", "pandas", "scipy", "scikit-learn")
            rows.append({"environment": peer, "versions": ", ".join(_of(found, names))})
    return rows


def _named(names: Sequence[str]) -> list[str]:
    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found


def _of(found: dict[str, str], names: Sequence[str]) -> list[str]:
    return [f"{name} {found[name]}" for name in dict.fromkeys(names) if name in found]
