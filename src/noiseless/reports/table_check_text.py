"""The check of a table against those before it, as plain text for a terminal."""

from noiseless.display import aligned, counted, printable, verb
from noiseless.reports.notation import wrapped
from noiseless.reports.tabulation_rows import because_text, name_text
from noiseless.tabulations.promise import Breach
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.succession import TableCheck

_SHOWN, _TOLD_BY = 10, 6


def table_check_text(check: TableCheck) -> str:
    """The verdict, what is broken and by which figures, and what the new table could withhold."""
    blocks = [
        wrapped(_verdict(check)),
        _summary(check),
        _breaches("Broken, and the figures that break it together:", check.breaches, check),
        _offer(check),
        _breaches("Already broken before these tables:", check.before, check),
        "\n".join(wrapped(f"Note: {note}.") for note in check.notes),
    ]
    return "\n\n".join(block for block in blocks if block)


def _verdict(check: TableCheck) -> str:
    if check.inconsistent:
        names = "; ".join(name_text(name) for name in check.inconsistent)
        return f"These figures contradict each other: {names}"
    recorded = "" if check.entry is None else f" Recorded as entry {check.entry}."
    if check.refused:
        many = len(check.breaches)
        return (
            f"Refused: together with what is already published, these tables break "
            f"{counted(many, 'promises')}.{recorded}"
        )
    if not check.decided:
        return f"Not decided: the time limit came first.{recorded}"
    return f"Holds: together, these tables and all earlier ones keep every promise.{recorded}"


def _summary(check: TableCheck) -> str:
    entries = [str(each.part.entry) for each in check.earlier if each.part.entry is not None]
    own = check.new.part.publication
    rows = [
        ["  population", own.population],
        ["  earlier", counted(len(entries), "publications") + (f": {_entries(entries)}" if entries else "")],
        ["  new", f"{', '.join(table.name for table in own.tables)}: {sum(map(len, own.tables)):,} figures"],
        ["  promised", str(check.new.promise)],
    ]
    return "\n".join(printable(line) for line in aligned(rows))


def _entries(entries: list[str]) -> str:
    word = "entries" if len(entries) > 1 else "entry"
    more = f" and {len(entries) - _SHOWN} more" if len(entries) > _SHOWN else ""
    return f"{word} {', '.join(entries[:_SHOWN])}{more}"


def _breaches(title: str, breaches: tuple[Breach, ...], check: TableCheck) -> str:
    if not breaches:
        return ""
    lines = [title]
    publication: Publication = check.audit.publication
    for breach in breaches[:_SHOWN]:
        lines += [f"  {line}" for line in wrapped(f"{name_text(breach.of)} {breach.says}", 2).split("\n")]
        because = because_text(publication, breach, _TOLD_BY)
        lines += [f"      {line}" for line in wrapped(f"from {because}", 6).split("\n")] if because else []
    if len(breaches) > _SHOWN:
        lines.append(f"  and {counted(len(breaches) - _SHOWN, 'others')}")
    return "\n".join(map(printable, lines))


def _offer(check: TableCheck) -> str:
    """The least coarsening of the new tables."""
    offer = check.coarsening
    if offer is None:
        return ""
    alone = len(check.new.part.publication.tables) == 1
    lines = list[str]()
    if offer.withheld:
        many = len(offer.withheld)
        how = "proved: no fewer suffice" if offer.least else "not proved: fewer may suffice"
        figures = f"{counted(many, 'figures')} of the new tables {verb(many, 'are')} withheld"
        lines = [f"Everything holds if {figures} ({how}):"]
        lines += [f"  {name_text(name, alone=alone)}" for name in offer.withheld[:_SHOWN]]
        lines += [f"  and {counted(many - _SHOWN, 'others')}"] if many > _SHOWN else []
    else:
        lines = [wrapped(_no_choice(check, least=offer.least))]
    if offer.dimensions:
        names = " or ".join(offer.dimensions)
        lines.append(wrapped(f"Everything holds without {names}: publish its totals alone."))
    return "\n".join(line for several in lines for line in map(printable, several.split("\n")))


def _no_choice(check: TableCheck, *, least: bool) -> str:
    """Why no figures of the new tables can be withheld so that all holds."""
    if not least:
        return "The search found no figures whose withholding would help."
    own = check.new.part.table_names
    alone = len(check.new.part.publication.tables) == 1
    known = [
        name_text(each.of, alone=alone)
        for each in check.breaches
        if each.of[0] in own and own.isdisjoint(table for table, _ in each.because)
    ]
    more = f" and {counted(len(known) - 1, 'others')}" if len(known) > 1 else ""
    reason = f" Earlier tables alone reveal {known[0]}{more}: publish that as it is." if known else ""
    said = "No choice of figures to withhold is enough (proved): what is withheld must stay unknown too."
    return f"{said}{reason}"
