"""What a certificate says, with every part of the type it must have."""

# ruff: noqa: UP045 - Python 3.9 runs this too

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, Optional

from noiseless.verification.certificate_json import (
    Json,
    array,
    count,
    digest,
    flag,
    number,
    one_of,
    optional,
    parsed,
    plain,
    record,
    require,
    text,
    texts,
    tuples,
    unicode,
)
from noiseless.verification.quantities import ExactLength, LogRatio, bits, fraction, time_end
from noiseless.verification.risks import RISK_READERS, key_words

Tuple = tuple[Optional[str], ...]

ROLES = ("sensitive", "public", "given", "keep")
UNIT = "unit"
"""A role of version 2: whose each row is."""
DISTANCES = ("absolute", "euclidean", "squared", "max", "gower", "hamming", "discrete")
_CODEWORDS = ("midrange", "centroid", "medoid", "interval")
_TOP = (
    *("format", "version", "tool", "created", "columns", "options", "original", "released", "hierarchies"),
    *("partition", "claim", "target", "witness", "stated"),
)
_COUNTS = (
    *("sensitive_values", "public_values", "cells", "min_posterior", "max_posterior", "components"),
    "suppressed_rows",
)
_EXACT = ("leakage_exact", "maximin_exact", "resolution_exact", "distortion_exact")
_FLOATS = ("leakage", "maximin", "resolution", "distortion")
_OPTIONS = ("codeword", "distance", "missing", "kinds")
_USED = (
    *(*_OPTIONS, "weights", "spans", "hierarchy_cost", "distinct_rows", "spellings"),
    *("ordered", "keys", "classes", "written"),
)
_WRITTEN = ("names", "encoding", "separator", "decimal", "date_format", "sheet")
_LISTS = ("names", "date_format")
_KINDS = ("number", "date", "category", "hierarchy")


class Columns(NamedTuple):
    """Which column plays which part."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    given: tuple[str, ...]
    keep: tuple[str, ...]
    unit: tuple[str, ...] = ()

    @property
    def original(self) -> tuple[str, ...]:
        """The columns that the original's digest is over."""
        return (*self.sensitive, *self.public, *self.given, *self.keep, *self.unit)

    @property
    def released(self) -> tuple[str, ...]:
        """All columns of the released table."""
        return (*self.public, *self.keep)


@dataclass(frozen=True)
class Options:
    """What the claims depend on."""

    codeword: str
    distance: str | None
    missing: str
    kinds: Mapping[str, str]
    weights: Mapping[str, Fraction]
    spans: Mapping[str, tuple[Fraction, Fraction]]
    hierarchy_cost: str
    distinct_rows: bool
    spellings: str
    ordered: bool
    keys: tuple[tuple[str, ...], ...]
    classes: Mapping[str, str]
    written: Mapping[str, Any]


class TableFacts(NamedTuple):
    """What is claimed of a table as a whole."""

    rows: int
    digest: str


class Cell(NamedTuple):
    """A cell of the partition: what is released for which public values."""

    released: Tuple
    members: tuple[Tuple, ...]
    rows: int
    posterior: int
    suppressed: bool


@dataclass(frozen=True)
class ClaimedMeasures:
    """The numbers that are claimed: counts, exact ones, and those rounded for people."""

    counts: Mapping[str, int]
    leakage: Fraction
    maximin: Fraction
    resolution: Fraction
    distortion: ExactLength | None
    floats: Mapping[str, float | None]
    risks: Mapping[str, str]
    keys: tuple[str, ...]


class ClaimedWitness(NamedTuple):
    """Where the worst cases are."""

    posterior_cell: int
    largest_cell: int | None
    distortion_cell: int | None
    distortion_member: Tuple | None


@dataclass(frozen=True)
class CertifiedRelease:
    """All that is claimed."""

    columns: Columns
    options: Options
    original: TableFacts
    released: TableFacts
    hierarchies: Mapping[str, Mapping[str, tuple[str, ...]]]
    cells: tuple[Cell, ...]
    claim: ClaimedMeasures
    target: Mapping[str, int | Fraction | LogRatio | ExactLength]
    witness: ClaimedWitness
    not_checked: Mapping[str, Any]


def parse_certificate(raw: Mapping[str, Any]) -> CertifiedRelease:
    """A certificate from its JSON.

    Raises:
        FormatError: a part is not there, of another type, or unknown; it says which.
    """
    record(raw, "the certificate", _TOP)
    record(raw["tool"], "tool", ("name", "version"))
    for name, value in raw["tool"].items():
        text(value, f"tool.{name}")
    text(raw["created"], "created")
    later = raw["version"] != 1
    columns = _columns(raw["columns"], later=later)
    options = _options(raw["options"], columns.public)
    claim, target = _claim(raw["claim"], later=later), _target(raw["target"], later=later)
    limited = {name for name in target if name in RISK_READERS or (name == "min_rows" and columns.unit)}
    require(set(claim.risks) == limited, "claim.risks has other names than the limits on risks")
    require(later or not options.keys, "options.keys are of version 2")
    require(len(claim.keys) == len(options.keys), "claim.keys has more or fewer than options.keys")
    return CertifiedRelease(
        columns,
        options,
        _table_facts(raw["original"], "original"),
        _table_facts(raw["released"], "released"),
        _hierarchies(raw["hierarchies"], options.kinds),
        _cells(raw["partition"], len(columns.public)),
        claim,
        target,
        _witness(raw["witness"], len(columns.public)),
        {
            "created": raw["created"],
            "tool": dict(raw["tool"]),
            "stated": plain(_mapping(raw["stated"], "stated"), "stated"),
            "options": plain({k: v for k, v in raw["options"].items() if k not in _USED}, "options"),
        },
    )


def _mapping(value: Json, where: str) -> Mapping[str, Any]:
    require(isinstance(value, Mapping), f"{where} is not an object")
    return value  # type: ignore[no-any-return]  # as was just seen


def _columns(raw: Json, *, later: bool) -> Columns:
    roles = (*ROLES, UNIT) if later else ROLES
    record(raw, "columns", roles)
    columns = Columns(*(texts(raw[role], f"columns.{role}") for role in roles))
    require(len(columns.unit) <= 1, "columns names more than one unit")
    require(columns.sensitive and columns.public, "columns names no sensitive or no public column")
    for part in (columns.sensitive, columns.public):  # a sensitive column may be released, merged, too
        named = (*part, *columns.given, *columns.keep, *columns.unit)
        require(len(set(named)) == len(named), "columns names a column twice")
    return columns


def _options(raw: Json, public: Sequence[str]) -> Options:
    _mapping(raw, "options")
    for name in _OPTIONS:
        require(name in raw, f"options has no {name}")
    record(raw["kinds"], "options.kinds", public)
    for kind in raw["kinds"].values():
        one_of(kind, "options.kinds", _KINDS)
    weights = _by_column(raw.get("weights", {}), "options.weights", public)
    spans = _by_column(raw.get("spans", {}), "options.spans", public)
    distance = raw["distance"]
    return Options(
        one_of(raw["codeword"], "options.codeword", _CODEWORDS),
        None if distance is None else one_of(distance, "options.distance", DISTANCES),
        one_of(raw["missing"], "options.missing", ("value", "drop", "error")),
        dict(raw["kinds"]),
        {name: _weight(value) for name, value in weights.items()},
        {name: _span(value, raw["kinds"][name]) for name, value in spans.items()},
        one_of(raw.get("hierarchy_cost", "height"), "options.hierarchy_cost", ("height", "leaves")),
        flag(raw.get("distinct_rows", False), "options.distinct_rows"),
        one_of(raw.get("spellings", "own"), "options.spellings", ("one", "own")),
        flag(raw.get("ordered", False), "options.ordered"),
        _keys(raw.get("keys", []), public),
        _risks(raw.get("classes", {}), "options.classes"),
        _written(raw.get("written", {})),
    )


def _written(raw: Json) -> Mapping[str, Any]:
    """How the original is written, where its owner had to say."""
    where = "options.written"
    require(set(_mapping(raw, where)) <= set(_WRITTEN), f"{where} has a key of an unknown name")
    for name, said in raw.items():
        (texts if name in _LISTS else text)(said, f"{where}.{name}")
    return dict(raw)


def _keys(raw: Json, public: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    keys = tuple(texts(key, "options.keys") for key in array(raw, "options.keys"))
    named = all(key and set(key) <= set(public) for key in keys)
    require(named, "options.keys names a column that is not public, or none")
    return keys


def _by_column(raw: Json, where: str, public: Sequence[str]) -> Mapping[str, Any]:
    require(set(_mapping(raw, where)) <= set(public), f"{where} names a column that is not public")
    return raw  # type: ignore[no-any-return]  # a mapping, as was just seen


def _weight(raw: Json) -> Fraction:
    weight = parsed(raw, "options.weights", fraction)
    require(weight >= 0, "options.weights has a negative weight")
    return weight


def _span(raw: Json, kind: str) -> tuple[Fraction, Fraction]:
    read = time_end if kind == "date" else fraction
    ends = [parsed(end, "options.spans", read) for end in array(raw, "options.spans")]
    rises = len(ends) == 2 and ends[0] < ends[1]  # noqa: PLR2004 - from and to
    require(rises, "options.spans has a range that does not go from a lower to a higher end")
    return ends[0], ends[1]


def _table_facts(raw: Json, where: str) -> TableFacts:
    record(raw, where, ("rows", "digest"))
    return TableFacts(count(raw["rows"], f"{where}.rows"), digest(raw["digest"], f"{where}.digest"))


def _hierarchies(raw: Json, kinds: Mapping[str, str]) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    record(raw, "hierarchies", [name for name, kind in kinds.items() if kind == "hierarchy"])
    trees = {}
    for name, tree in raw.items():
        where = f"hierarchies of column {name!r}"
        unicode(tuple(_mapping(tree, where)), where)
        trees[name] = {value: texts(above, where) for value, above in tree.items()}
    return trees


def _cells(raw: Json, width: int) -> tuple[Cell, ...]:
    keys = ("released", "members", "rows", "posterior", "suppressed")
    cells = []
    for number_, cell in enumerate(array(raw, "partition")):
        where = f"cell {number_} of the partition"
        record(cell, where, keys)
        cells.append(
            Cell(
                tuples([cell["released"]], where, width)[0],
                tuples(cell["members"], where, width),
                count(cell["rows"], f"rows of {where}"),
                count(cell["posterior"], f"posterior of {where}"),
                flag(cell["suppressed"], f"suppressed of {where}"),
            )
        )
    require(cells, "the partition has no cell")
    return tuple(cells)


def _claim(raw: Json, *, later: bool) -> ClaimedMeasures:
    record(raw, "claim", (*_COUNTS, *_EXACT, *_FLOATS, *(["risks", "keys"] if later else [])))
    keys = array(raw["keys"], "claim.keys") if later else ()
    leakage, maximin, resolution = (parsed(raw[name], f"claim.{name}", fraction) for name in _EXACT[:3])
    positive = min(leakage, maximin, resolution) > 0
    require(positive, "claim has the logarithm of a number that is not positive")
    risks = _risks(raw["risks"], "claim.risks") if later else {}
    return ClaimedMeasures(
        {name: count(raw[name], f"claim.{name}") for name in _COUNTS},
        leakage,
        maximin,
        resolution,
        optional(raw["distortion_exact"], lambda v: parsed(v, "claim.distortion_exact", ExactLength.read)),
        {
            name: None if name == "distortion" and raw[name] is None else number(raw[name], f"claim.{name}")
            for name in _FLOATS
        },
        risks,
        tuple(_key_claim(key, risks) for key in keys),
    )


def _risks(raw: Json, where: str) -> Mapping[str, str]:
    unicode(tuple(_mapping(raw, where)), where)
    return {name: text(value, where) for name, value in raw.items()}


def _key_claim(raw: Json, named: Collection[str]) -> str:
    """What is claimed of a key, in words that are compared with what is found."""
    record(raw, "claim.keys", ("min_posterior", "min_rows", "leakage_exact", "risks"))
    values, rows = (count(raw[name], f"claim.keys.{name}") for name in ("min_posterior", "min_rows"))
    leakage = parsed(raw["leakage_exact"], "claim.keys.leakage_exact", fraction)
    risks = _risks(raw["risks"], "claim.keys.risks")
    require(set(risks) == set(named), "claim.keys has other risks than claim.risks")
    return key_words(values, rows, leakage, risks)


def _target(raw: Json, *, later: bool) -> Mapping[str, int | Fraction | LogRatio | ExactLength]:
    readers = {
        "max_leakage": bits,
        "max_maximin": bits,
        "min_resolution": bits,
        "max_distortion": ExactLength.read,
        "suppress": fraction,
        **(RISK_READERS if later else {}),
    }
    limits: dict[str, int | Fraction | LogRatio | ExactLength] = {}
    for name, value in _mapping(raw, "target").items():
        if name in ("min_posterior", "min_rows"):
            limits[name] = count(value, f"target.{name}")
        else:
            require(name in readers, "target has a limit of an unknown name")
            limits[name] = parsed(value, f"target.{name}", readers[name])
    return limits


def _witness(raw: Json, width: int) -> ClaimedWitness:
    record(raw, "witness", ClaimedWitness._fields)
    member = raw["distortion_member"]
    return ClaimedWitness(
        count(raw["posterior_cell"], "witness.posterior_cell"),
        optional(raw["largest_cell"], lambda v: count(v, "witness.largest_cell")),
        optional(raw["distortion_cell"], lambda v: count(v, "witness.distortion_cell")),
        None if member is None else tuples([member], "witness.distortion_member", width)[0],
    )
