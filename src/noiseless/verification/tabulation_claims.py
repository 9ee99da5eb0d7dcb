"""The certificate of published tables: every claim checked by adding integers and fractions; no solver."""

# ruff: noqa: B905, PLR2004, UP045, ANN401 - Python 3.9 runs this; JSON holds anything

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, Optional

from noiseless.verification.certificate_json import FormatError, array, record, require
from noiseless.verification.findings import Check, Findings
from noiseless.verification.tabulation_proofs import End, KnownBounds
from noiseless.verification.tabulation_rows import TableRows, table_rows

TABLES_FORMAT = "noiseless-tables/1"
_HEAD = ("format", "public", "publication")
_BODY = (*_HEAD, "hidden", "witnesses", "steps", "families", "implied", "claims")
_SECRET = (*_BODY, "requirements", "adversaries")
_OTHER = "other figures, labels or options; read the tables as they were audited (--told, --rounded, ...)"
_ENDS = ("lower", "upper", "least", "most", "values")
_WANTED = ("of", "rule", "wanted_lower", "wanted_upper", "wanted_width", "holds")


def check_tables(raw: Any, publication: Optional[Mapping[str, Any]] = None) -> Findings:
    """Check a certificate of published tables; every claim is one of the findings.

    Args:
        raw: the certificate.
        publication: the publication that it must be about; None takes the one in the certificate.
    """
    try:
        return _checked(raw, publication)
    except FormatError as error:
        problem = str(error)
    except (TypeError, ValueError, KeyError, RecursionError):
        problem = "a part is of another type than it must be"
    return Findings((Check("format", False, problem, "a certificate of published tables"),))


def _checked(raw: Any, publication: Optional[Mapping[str, Any]]) -> Findings:
    require(isinstance(raw, Mapping) and raw.get("format") == TABLES_FORMAT, "its format is not known")
    contradicts = "inconsistent" in raw
    if contradicts:
        record(raw, "the certificate", (*_HEAD, "inconsistent", "steps"))
    else:
        record(raw, "the certificate", _BODY if raw.get("public") is True else _SECRET)
    require(type(raw["public"]) is bool, "it does not say whether it is public")
    checks = [Check("format", True, TABLES_FORMAT, TABLES_FORMAT)]
    found = table_rows(raw["publication"])
    if publication is not None:
        same = raw["publication"] == publication or _published_content(
            raw["publication"]
        ) == _published_content(publication)
        claimed, read = (_dimension_names(each) for each in (raw["publication"], publication))
        if claimed == read:
            claimed, read = "the tables", "the same tables" if same else _OTHER
        checks.append(Check("publication", same, claimed, read))
    if contradicts:
        return Findings((*checks, _contradiction(raw, found)))
    bounds = KnownBounds(found)
    tables = _witnesses(raw, found, bounds, checks)
    proved = [bounds.accept(line) for line in array(raw["steps"], "the proof")]
    checks.append(Check("lines of proof", all(proved), len(proved), sum(proved)))
    _Claims(found, bounds, tables, LaminarFigures(found, bounds, raw["families"], raw["implied"])).check(
        raw["claims"], checks
    )
    if raw["public"] is False:
        _requirements(raw, found, checks)
        _adversaries(raw["adversaries"], found, checks)
    return Findings(tuple(checks))


def _published_content(publication: Mapping[str, Any]) -> list[Any]:
    """What a publication says, in whatever order it lists what it holds; a table alone has no name."""
    bounds, tables = (publication["lower"], publication["upper"]), publication["tables"]
    return [
        sorted(
            (
                each["name"],
                sorted(each["categories"]),
                sorted(
                    (name, sorted(each["categories"][k] for k in of)) for name, of in each["groups"].items()
                ),
            )
            for each in publication["classifications"]
        ),
        sorted((each["name"] * (len(tables) > 1), each["kind"], _figures_by_label(each)) for each in tables),
        bounds,
        [
            publication["classifications"] for end in bounds if isinstance(end, (list, tuple))
        ],  # one for each cell
        publication["step"],
        publication["population"],
    ]


def _dimension_names(publication: Mapping[str, Any]) -> str:
    """The dimensions of each table, in words."""
    return "; ".join(
        sorted("tables by " + " and ".join(sorted(each["dimensions"])) for each in publication["tables"])
    )


def _figures_by_label(table: Mapping[str, Any]) -> list[Any]:
    """The figures of a table by their labels, each as often as it is there."""
    names, labels = table["dimensions"], table["labels"]
    return sorted(
        (sorted((name, of[k]) for name, of, k in zip(names, labels, code)), low, high is None, high or 0)
        for code, low, high in zip(table["codes"], table["lower"], table["upper"])
    )


def _contradiction(raw: Mapping[str, Any], found: TableRows) -> Check:
    """Whether the listed figures by themselves have no table."""
    listed = array(raw["inconsistent"], "the contradiction")
    require(all(type(k) is int and 0 <= k < len(found.rows) for k in listed), "a figure is not there")
    bounds = KnownBounds(found, listed)
    for line in array(raw["steps"], "the proof"):
        bounds.accept(line)
    return Check(
        "contradiction", bounds.contradiction, len(listed), len(listed) if bounds.contradiction else 0
    )


def _witnesses(
    raw: Mapping[str, Any], found: TableRows, bounds: KnownBounds, checks: list[Check]
) -> list[list[int]]:
    """The tables of a certificate that fit: base cells within bounds, and figures within theirs."""
    hidden = array(raw["hidden"], "the hidden base cells")
    inside = all(type(k) is int and 0 <= k < len(found.lower) for k in hidden)
    require(inside and len(set(hidden)) == len(hidden), "a hidden base cell is not there, or there twice")
    told = list(bounds.lower)
    fitting: list[list[int]] = []
    listed = array(raw["witnesses"], "the witnesses")
    for values in listed:
        require(
            len(array(values, "a witness")) == len(hidden), "a witness has not a value for each hidden cell"
        )
        require(all(type(value) is int for value in values), "a witness has a value that is not whole")
        table = list(told)
        for atom, value in zip(hidden, values):
            table[atom] = value
        if _fits(table, found):
            fitting.append(table)
    checks.append(Check("tables that fit", len(fitting) == len(listed), len(listed), len(fitting)))
    return fitting


def _fits(table: list[int], found: TableRows) -> bool:
    """Whether a table is within all bounds."""
    for value, low, high in zip(table, found.lower, found.upper):
        if value < low or (high is not None and value > high):
            return False
    value_of = table.__getitem__
    for cells, (low, high) in zip(found.rows, found.told):
        total = table[cells[0]] if len(cells) == 1 else sum(map(value_of, cells))
        if total < low or (high is not None and total > high):
            return False
    return True


class LaminarFigures:
    """Figures in two laminar families: sums of cells that only they restrict have no holes.

    A figure that says no more than the bounds of its cells restricts nothing, nor does one that exact figures
    fill without overlap: a table that fits shows that they agree. A cell is covered if all other figures that
    it is in, and those that these link it to, are in the families.
    """

    def __init__(self, found: TableRows, bounds: KnownBounds, raw: Any, implied: Any) -> None:
        self.free = [low != high for low, high in zip(bounds.lower, bounds.upper)]
        self.sets: list[list[set[int]]] = [[], []]
        self.of_atom: dict[int, list[tuple[int, int]]] = {}
        listed: set[int] = set()
        for pair in array(raw, "the families"):
            entry = array(pair, "a family")
            require(len(entry) == 2 and entry[1] in {0, 1}, "a figure is in neither family")
            require(type(entry[0]) is int and 0 <= entry[0] < len(found.rows), "a figure is not there")
            listed.add(entry[0])
            cells = {atom for atom in found.rows[entry[0]] if self.free[atom]}
            for atom in cells:
                self.of_atom.setdefault(atom, []).append((entry[1], len(self.sets[entry[1]])))
            self.sets[entry[1]].append(cells)
        listed |= self._implied(found, implied)
        self.laminar = all(_laminar(sets) for sets in self.sets)
        self.covered = self._covered(found, bounds, listed) if self.laminar else set()

    def _implied(self, found: TableRows, raw: Any) -> set[int]:
        """The implied figures, none of them by itself: two that imply each other still say something."""
        order: TopologicalSorter[int] = TopologicalSorter()
        pairs = [self._filled(found, entry) for entry in array(raw, "the implied figures")]
        for row, parts in pairs:
            order.add(row, *parts)
        try:
            order.prepare()
        except CycleError:
            require(False, "a figure is implied by itself")
        return {row for row, _ in pairs}

    def _filled(self, found: TableRows, raw: Any) -> tuple[int, Sequence[int]]:
        """A figure that exact figures fill without overlap, as far as its cells are not known; and these."""
        entry = array(raw, "an implied figure")
        require(len(entry) == 2, "an implied figure has not two parts")
        row, parts = entry[0], array(entry[1], "an implied figure's parts")
        inside = all(type(k) is int and 0 <= k < len(found.rows) for k in (row, *parts))
        require(inside, "an implied figure is not there")
        require(all(found.told[k][0] == found.told[k][1] for k in parts), "a part of a figure is not exact")
        cells = sorted(atom for k in parts for atom in found.rows[k] if self.free[atom])
        whole = cells == sorted(atom for atom in found.rows[row] if self.free[atom])
        require(whole, "the parts of a figure do not fill it")
        return row, parts

    def _covered(self, found: TableRows, bounds: KnownBounds, listed: set[int]) -> set[int]:
        """The free cells that no other figure restricts; none, if one of a listed figure's cells is not."""
        covered = {atom for atom, free in enumerate(self.free) if free}
        for number, cells in enumerate(found.rows):
            if number in listed or len(cells) == 1:
                continue
            low, high = found.told[number]
            least = sum(bounds.lower[atom] for atom in cells)
            tops = [bounds.upper[atom] for atom in cells]
            most = None if None in tops else sum(top for top in tops if top is not None)
            if least < low or (high is not None and (most is None or most > high)):
                covered.difference_update(cells)
        return covered if all(cells <= covered for sets in self.sets for cells in sets) else set()

    def solid(self, cells: Sequence[int]) -> bool:
        """Whether a sum has no holes: its linked cells fit into one of the families."""
        free = {atom for atom in cells if self.free[atom]}
        if not free <= self.covered:
            return False
        linked = {atom for atom in free if atom in self.of_atom}
        meets: list[dict[int, int]] = [{}, {}]
        for atom in linked:
            for family, place in self.of_atom[atom]:
                meets[family][place] = meets[family].get(place, 0) + 1
        return any(
            all(
                common in {len(self.sets[family][place]), len(linked)}
                for place, common in meets[family].items()
            )
            for family in (0, 1)
        )


def _laminar(sets: Sequence[set[int]]) -> bool:
    """Whether any two sets are apart or nested: from the largest on, each lies in one smallest set so far."""
    home: dict[int, int] = {}
    for number, cells in enumerate(sorted(sets, key=len, reverse=True)):
        if len({home.get(atom, -1) for atom in cells}) > 1:
            return False
        for atom in cells:
            home[atom] = number
    return True


class _Claims:
    """The claims about figures and named groups, held against tables and proofs."""

    def __init__(
        self, found: TableRows, bounds: KnownBounds, tables: list[list[int]], families: LaminarFigures
    ) -> None:
        self.found, self.bounds, self.tables, self.families = found, bounds, tables, families

    def check(self, raw: Any, checks: list[Check]) -> None:
        """One check for what tables show, one for what is proved, one for the numbers of values."""
        claims = array(raw, "the claims")
        results = [self._claim(claim) for claim in claims]
        asked = {k for k, (low, high) in enumerate(self.found.told) if low != high}
        told = {claim.get("figure") for claim in claims}
        checks.append(Check("figures", asked <= told, len(asked), len(asked & told)))
        for place, name in enumerate(("ends that tables show", "ends that are proved", "values counted")):
            checks.append(
                Check(name, all(each[place] for each in results), len(claims), sum(e[place] for e in results))
            )

    def _claim(self, claim: Any) -> tuple[bool, bool, bool]:
        require(isinstance(claim, Mapping), "a claim is not an object")
        if "figure" in claim:
            record(claim, "a claim", ("figure", *_ENDS))
            number = claim["figure"]
            require(type(number) is int and 0 <= number < len(self.found.rows), "a figure is not there")
            cells = self.found.rows[number]
        else:
            record(claim, "a claim", ("group", "atoms", *_ENDS))
            cells = array(claim["atoms"], "a group")
            inside = all(type(k) is int and 0 <= k < len(self.found.lower) for k in cells)
            require(inside and len(set(cells)) == len(cells), "a group has a base cell that is not there")
        lower, upper, least, most, values = (claim[key] for key in _ENDS)
        whole = all(type(end) is int for end in (lower, least))
        whole = whole and all(end is None or type(end) is int for end in (upper, most, values))
        require(whole, "a claim has an end that is not whole")
        seen = {sum(map(table.__getitem__, cells)) for table in self.tables}
        shown = bool(seen) and least == min(seen)
        shown = shown and (self._endless(cells) if most is None else most == max(seen))
        low, high = self._proved(claim, cells)
        proved = lower <= low and (upper is None or (high is not None and upper >= high))
        return shown, proved, values is None or self._counted(cells, (lower, upper), values, seen)

    def _proved(self, claim: Mapping[str, Any], cells: Sequence[int]) -> tuple[int, End]:
        """The bounds of a sum that are proved; a figure's own ends are published."""
        low, high = self.bounds.ends(cells)
        if "figure" in claim:
            told_low, told_high = self.found.told[claim["figure"]]
            low = max(low, told_low)
            if told_high is not None:
                high = told_high if high is None else min(high, told_high)
        return low, high

    def _endless(self, cells: Sequence[int]) -> bool:
        """Whether a sum grows without end: one of its cells is bounded by no figure above."""
        inside = {atom for atom in cells if self.found.upper[atom] is None}
        for row, (_, high) in zip(self.found.rows, self.found.told):
            if high is not None:
                inside.difference_update(row)
        return bool(inside)

    def _counted(self, cells: Sequence[int], ends: tuple[int, End], values: int, seen: set[int]) -> bool:
        lower, upper = ends
        if upper is None:
            return False
        holes = self.bounds.holes.get(tuple(sorted(cells)), set())
        possible = upper - lower + 1 - sum(lower <= hole <= upper for hole in holes)
        if values != possible or not {lower, upper} <= seen:
            return False
        return len([value for value in seen if lower <= value <= upper]) == values or (
            not holes and self.families.solid(cells)
        )


def _requirements(raw: Mapping[str, Any], found: TableRows, checks: list[Check]) -> None:
    """What rules want of figures, held against the claims, whose ends are shown and proved above."""
    claims = {found.names[c["figure"]]: c for c in raw["claims"] if "figure" in c}
    told = dict(zip(found.names, found.told))
    require(len(told) == len(found.names), "two figures have one name")
    right = []
    for wish in array(raw["requirements"], "the requirements"):
        record(wish, "a requirement", _WANTED)
        record(wish["of"], "a figure", ("table", "labels"))
        name = wish["of"]["table"], tuple(wish["of"]["labels"])
        require(name in told, "a requirement is about a figure that is not there")
        claim = claims.get(name) or dict(zip(_ENDS, (*told[name], *told[name], None)))
        right.append(wish["holds"] is None or wish["holds"] is _left(wish, claim))
    checks.append(Check("requirements", all(right), len(right), sum(right)))


def _left(wish: Mapping[str, Any], claim: Mapping[str, Any]) -> Optional[bool]:
    """Whether tables show what is wanted, or proofs exclude it; None if neither."""
    low, high, width = wish["wanted_lower"], wish["wanted_upper"], wish["wanted_width"]
    whole = all(end is None or type(end) is int for end in (low, high)) and type(width) is int
    require(whole, "a requirement is not whole")
    least, most, lower, upper = (claim[end] for end in ("least", "most", "lower", "upper"))
    shown = (
        (low is None or least <= low)
        and (high is None or most is None or most >= high)
        and (most is None or most - least >= width)
    )
    excluded = (
        (low is not None and lower > low)
        or (high is not None and upper is not None and upper < high)
        or (upper is not None and upper - lower < width)
    )
    return True if shown else False if excluded else None


def _adversaries(raw: Any, found: TableRows, checks: list[Check]) -> None:
    """What contributors know exactly, given what they know of their own cells."""
    right, claimed = 0, 0
    for entry in array(raw, "the adversaries"):
        record(entry, "an adversary", ("who", "own", "steps", "learns"))
        lower, upper = list(found.lower), list(found.upper)
        for known in array(entry["own"], "what an adversary knows"):
            atom, low, high = array(known, "what an adversary knows")
            require(type(atom) is int and 0 <= atom < len(lower) and type(low) is int, "a cell is not there")
            lower[atom] = max(lower[atom], low)
            upper[atom] = high if high is not None else upper[atom]
        bounds = KnownBounds(TableRows(found.rows, found.told, lower, upper, found.names))
        lines = [bounds.accept(line) for line in array(entry["steps"], "the proof")]
        proved = all(lines)
        for number, value in array(entry["learns"], "what an adversary learns"):
            require(type(number) is int and 0 <= number < len(found.rows), "a figure is not there")
            claimed += 1
            right += proved and bounds.ends(found.rows[number]) == (value, value)
    checks.append(Check("adversaries", right == claimed, claimed, right))
