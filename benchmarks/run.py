"""All benchmarks in one run, and the page that shows them.

Each section is kept as it is finished, so that a run that is broken off or a section that fails loses nothing
else; a section that is run again by itself (`--only`) replaces its part of the page.
"""

import argparse
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

from keeping import Kept
from measure import ROOT, WORK
from page import Form, Plot, Section, Words, written
from plots import draw
from summary import page, processor, versions

MODULES = (
    "peers_anonymity",
    "peers_release",
    "peers_microaggregation",
    "peers_information",
    "peers_channels",
    "peers_noise",
    "peers_batches",
    "peers_quantize",
    "peers_tables",
    "peers_protection",
    "checks_speed",
    "rounding_speed",
    "audit_speed",
    "risk_speed",
    "components_speed",
    "quantize_speed",
    "prices_speed",
    "expressions_speed",
    "frontier_speed",
    "merging_speed",
    "selection_speed",
    "top_down_speed",
    "limits_speed",
    "ledger_speed",
    "curator_speed",
    "server_speed",
    "games_speed",
    "engines_speed",
    "spark_speed",
    "streams_speed",
    "capacity_speed",
    "theta_speed",
    "first_run_speed",
    "studio_speed",
    "import_speed",
)

PAGE = ROOT / "docs" / "benchmarks.md"


def main(arguments: Sequence[str] | None = None, modules: Sequence[str] = MODULES) -> int:
    """Run what is asked for and write the page; 1 if a section failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--small", action="store_true", help="small sizes, to see that all works")
    parser.add_argument("--only", metavar="NAMES", help="these sections or groups, separated by commas")
    parser.add_argument("--no-peers", action="store_true", help="leave the peers out")
    parser.add_argument("--list", action="store_true", help="list the sections and do nothing")
    parser.add_argument("--docs", action="store_true", help="write docs/benchmarks.md and its plots too")
    parser.add_argument("--work", type=Path, default=WORK, help="where results are kept; bench/ by default")
    chosen = parser.parse_args(arguments)
    form = Form(chosen.small)
    sections, broken = found_sections(modules)
    if chosen.list:
        print(*(f"{one.name:<20}{one.group:<12}{one.title}" for one in sections), sep="\n")
        return 0
    names = chosen.only.split(",") if chosen.only else None
    wanted = [one for one in sections if _wanted(one, names, peers=not chosen.no_peers)]
    if not wanted and not broken:
        parser.error("no section is called that; --list names them")
    keep = Kept(chosen.work / form.name)
    if PAGE.exists() and not form.small:
        keep.take_over(sections, PAGE.read_text(), PAGE.parent / "images")
    if names is None:
        for section in broken:
            run_section(section, form, keep)
    for section in wanted:
        run_section(section, form, keep)
    write_pages([*sections, *broken], keep, form, chosen.work, docs=chosen.docs)
    return int(any(keep.read(one.name).failed for one in wanted) or bool(broken and names is None))


def found_sections(modules: Sequence[str]) -> tuple[list[Section], list[Section]]:
    """All sections, and those whose module cannot be imported: they fail when they are run."""
    found, broken = list[Section](), list[Section]()
    for name in modules:
        try:
            module = import_module(name)
        except ImportError as error:
            broken.append(_broken(name, error))
        else:
            found += getattr(module, "SECTIONS", None) or (module.SECTION,)
    return found, broken


def _broken(name: str, error: ImportError) -> Section:
    def fail(form: Form) -> Iterator[Words]:  # noqa: ARG001 - as all others
        raise error
        yield  # a generator, as all others are

    return Section(name, name.replace("_", " ").capitalize(), "", fail)


def _wanted(section: Section, names: Sequence[str] | None, *, peers: bool) -> bool:
    named = names is None or any(section.is_called(name.strip()) for name in names)
    return named and (peers or section.group != "peers")


def run_section(section: Section, form: Form, keep: Kept) -> None:
    """Run a section and keep what came of it, also when it fails half-way."""
    print(f"## {section.title}\n", flush=True)
    with keep.writing(section.name, processor()) as entry:
        try:
            for part in section.measure(form):
                text = written(part, "images")
                print(text, end="\n\n", flush=True)
                entry.parts.append(text)
                if isinstance(part, Plot):
                    draw(part, keep.folder / "images")
                if isinstance(part, Words) and part.slower:
                    entry.slower.append(part.text)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - one failing section must not lose the others
            traceback.print_exc()
            entry.failed = f"{type(error).__name__}: {error}".splitlines()[0][:300]


def write_pages(sections: Sequence[Section], keep: Kept, form: Form, work: Path, *, docs: bool) -> None:
    """Write the page from everything that is kept, and with `docs` the page of the documentation."""
    entries = [(one, keep.read(one.name)) for one in sections if keep.has(one.name)]
    text = page(entries, form, keep.versions(versions()))
    here = re.sub(r"\]\((\w[\w-]*\.md)", r"](../docs/\1", text).replace("(images/", f"({form.name}/images/")
    (work / "results.md").write_text(here)
    print(f"written: {work / 'results.md'}", file=sys.stderr)
    if docs:
        images = PAGE.parent / "images"
        for old in images.glob("bench-*.svg"):
            old.unlink()
        for plot in (keep.folder / "images").glob("bench-*.svg"):
            if plot.name in text:
                (images / plot.name).write_bytes(plot.read_bytes())
        PAGE.write_text(text)
        print("written: docs/benchmarks.md", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
