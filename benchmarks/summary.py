"""The whole page: what was run where, where others are faster, and the sections."""

import os
import platform
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from environments import PEERS, made, versions_of
from keeping import Entry
from page import Form, Section, cell, table

OURS = ("noiseless", "duckdb", "numpy", "numba", "scipy", "pyarrow", "pandas", "python-flint")

HEAD = """\
# Benchmarks

Who is faster, and by how much: "2 to 9" is two to nine times as fast, over all that was run. Every line leads
to its section, whose numbers are folded: open what you want to see. [How it was
measured](#how-it-was-measured) stands at the end."""

HOW = """\
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

FRONT = """\
## The front page

What backs the table of the README and of the first page:

- *Speed*, table: [the lattice of Adult](#releases-against-peers), least largest change without suppressed
  rows. It is the time of the search alone; a whole release, of merged rows instead of whole columns, takes
  seconds, as the same section shows. ARX's is the one it published.
- *Speed*, mean: [10,000 people, one bit](#answers-beside-noise-diffprivlib-opendp-numpy).
- The other rows follow the [documentation of each tool](references.md#other-tools). There k, l and t are
  k-anonymity, l-diversity and t-closeness, DP is differential privacy, and risk is the risk that an adversary
  finds a person."""

ABSENT = """\
ARX (Java) and sdcMicro (R) are not compared: they are no Python packages, and neither could be downloaded
where this page is made."""


def page(entries: Sequence[tuple[Section, Entry]], form: Form, installed: Mapping[str, str]) -> str:
    """The page as Markdown, with what was installed in each environment."""
    text = [HEAD]
    if form.small:
        text.append(SMALL)
    if lines := [line for section, entry in entries for line in contests(section.title, entry.parts)]:
        text.append(table(lines))
    text += ["## Where others are faster or better", *_slower(entries)]
    failed = [f"{section.title}: `{entry.failed}`" for section, entry in entries if entry.failed]
    if failed:
        text += ["## Sections that failed", "\n".join(f"- {line}" for line in failed)]
    for section, entry in entries:
        text += [f"## {section.title}", section.introduction, *map(folded, entry.parts)]
        if entry.failed:
            text.append(f"**This section failed here:** `{entry.failed}`")
        text.append(f"*Measured {entry.when} UTC in {entry.seconds:,.0f} s, on {entry.where}.*")
    rows = [{"environment": name, "versions": found} for name, found in installed.items()]
    text += [
        FRONT,
        "## How it was measured",
        HOW.format(limit=form.limit),
        f"The last run was on {processor()}, {_memory():.0f} GB, Python {platform.python_version()}.",
        table(rows),
        ABSENT,
    ]
    return "\n\n".join(part for part in text if part) + "\n"


def contests(title: str, parts: Sequence[str]) -> list[dict[str, str]]:
    """What the sentences of a section say about who is faster: a row for each pair, over all its tables.

    >>> contests("The curator", ["noiseless is 2 to 4 times as fast as them."])[0]["noiseless is faster"]
    '2 to 4'
    """
    ours: dict[tuple[str, str], list[float]] = defaultdict(list)
    theirs: dict[tuple[str, str], list[float]] = defaultdict(list)
    for part in parts:
        for us, span, them in _AS_FAST.findall(part):
            ours[us, them] += map(_number, span.split(" to "))
        for them, us, places in _BEATEN.findall(part):
            theirs[us, them] += map(_number, _RATIO.findall(places))
    anchor = re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
    return [
        {
            "what": "" if number else f"[{title}](#{anchor})",
            "beside": them if us == "noiseless" else f"{them} ({us})",
            "noiseless is faster": _span(ours[us, them]),
            "the other is faster": _span(theirs[us, them]),
        }
        for number, (us, them) in enumerate(dict.fromkeys((*ours, *theirs)))
    ]


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _span(ratios: Sequence[float]) -> str:
    ends = dict.fromkeys(map(cell, (min(ratios), max(ratios)))) if ratios else ()
    return " to ".join(ends)


def folded(part: str) -> str:
    """A table behind its title, to be opened; everything else as it is."""
    title, _, rows = part.partition("\n\n") if part.startswith("**") else ("", "", part)
    if not rows.startswith("|"):
        return part
    return f"<details>\n<summary>{title.strip('*') or 'Numbers'}</summary>\n\n{rows}\n\n</details>"


_AS_FAST = re.compile(
    r"(?:Elsewhere )?(noiseless[\w ,-]*?) is ([\d.,e+]+(?: to [\d.,e+]+)?) times as fast as ([^.]+)\."
)
_BEATEN = re.compile(r"\*\*([^*]+?) is faster than ([^*]+?)\*\* here: (.*?\))\.(?= |$)", re.DOTALL)
_RATIO = re.compile(r"\(([\d.,e+]+) times as fast\)")


def _slower(entries: Sequence[tuple[Section, Entry]]) -> list[str]:
    lines = [f"- {section.title}: {words}" for section, entry in entries for words in entry.slower]
    begin = "These sentences, like all about who is faster, are made from the numbers below."
    return [begin, "\n".join(lines)] if lines else ["Nowhere in what was run."]


def processor() -> str:
    """The cores of this machine."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return f"{len(os.sched_getaffinity(0))} cores of {next(names, platform.machine())}"


def _memory() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def versions() -> dict[str, str]:
    """What is installed here, in our environment and in those of peers that are made."""
    found = {"ours": ", ".join(_named(OURS))}
    for peer in filter(made, PEERS):
        names = (peer, "pycanon", "numpy", "pandas", "scipy", "scikit-learn")
        found[peer] = ", ".join(_of(versions_of(peer), names))
    return found


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
