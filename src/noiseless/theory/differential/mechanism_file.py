"""Mechanisms in files, as tables of probabilities, and what each guarantees."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any, Literal

import numpy as np

from noiseless.display import Facts, Shown, significant
from noiseless.errors import RequestError, SourceError
from noiseless.exact import Nats, round_up
from noiseless.theory.differential.database import AnyArray, Database
from noiseless.theory.differential.guarantees import (
    InformationBounds,
    Variant,
    adversarial,
    bayesian,
    dp_delta,
    dp_epsilon,
    free_lunch,
    kl_dp,
    mi_dp,
    personalised,
    reach,
)
from noiseless.theory.differential.parameters import Delta, Epsilon

MechanismVariant = Literal["personalised", "free-lunch", "bayesian", "adversarial"]

_MOST, _MOST_PAIRS, _MOST_DIGITS = 10**6, 10**8, 400
"""Larger mechanisms are refused: probabilities are exact fractions, and all pairs of values are compared."""
_TOO_LARGE = f"has over {_MOST:,} probabilities, or too many values; give a smaller mechanism"
_LAST = ("output", "probability")


@dataclass(frozen=True)
class MechanismFile:
    """A mechanism as a file describes it.

    Attributes:
        database: P(y|x_1..x_n).
        domains: the values of each entry by name, and their places.
    """

    database: Database
    domains: tuple[dict[str, int], ...]

    @classmethod
    def read(cls, path: str | Path) -> "MechanismFile":
        """A mechanism from a CSV or a JSON file.

        A CSV file has a header: a column for each entry of the database, then `output` and `probability`. A
        row says how likely an output is for a database; what has no row is impossible. A JSON file is an
        object whose `probabilities` are nested lists, a level for each entry and one for the output; values
        are then called 0, 1, 2, ... Probabilities are decimals or fractions such as 1/3 (in JSON as a text),
        and read exactly.

        Raises:
            SourceError: the file cannot be read or is of another form.
            ChannelError: the probabilities are no mechanism.
        """
        text = _text(path)
        if Path(path).suffix.lower() == ".json":
            array = _nested(path, text)
            domains = tuple({str(place): place for place in range(size)} for size in array.shape[:-1])
            return cls(Database.of(_sized(path, array)), domains)
        table = _tabulated(path, text, _LAST)
        domains = tuple(_numbered(row[place] for row, _ in table) for place in range(len(table[0][0]) - 1))
        outputs = _numbered(row[-1] for row, _ in table)
        sizes = (*map(len, domains), len(outputs))
        if prod(sizes) > _MOST:
            raise RequestError(f"{path}: {_TOO_LARGE}")
        array = np.full(sizes, Fraction(), object)
        for row, probability in table:
            array[_place(row, (*domains, outputs))] += probability
        return cls(Database.of(_sized(path, array)), domains)

    def prior(self, path: str | Path) -> Any:  # noqa: ANN401 - an array of fractions
        """A probability for each database: a CSV file with a column for each entry, then `probability`.

        Raises:
            SourceError: the file cannot be read, is of another form, or names other values.
        """
        array = np.full(self.database.sizes, Fraction(), object)
        for row, probability in _tabulated(path, _text(path), _LAST[1:]):
            if len(row) != len(self.domains) or any(
                v not in d for v, d in zip(row, self.domains, strict=True)
            ):
                raise SourceError(str(path), "names entries or values that the mechanism does not have")
            array[_place(row, self.domains)] += probability
        return array

    @property
    def uniform(self) -> Any:  # noqa: ANN401 - an array of fractions
        """The prior for which all databases are alike."""
        return np.full(self.database.sizes, Fraction(1, prod(self.database.sizes)), object)


def _numbered(values: Iterable[str]) -> dict[str, int]:
    """Different values in the order in which they first occur."""
    return {value: place for place, value in enumerate(dict.fromkeys(values))}


def _place(row: Sequence[str], domains: Sequence[dict[str, int]]) -> tuple[int, ...]:
    return tuple(domain[value] for value, domain in zip(row, domains, strict=True))


def _sized(path: str | Path, array: AnyArray) -> AnyArray:
    """An array that guarantees can be worked out of: all pairs of an entry's values are compared."""
    if array.size > _MOST or array.size * max(array.shape[:-1], default=1) > _MOST_PAIRS:
        raise RequestError(f"{path}: {_TOO_LARGE}")
    return array


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "is not text"
        raise SourceError(str(path), f"{reason}; give a CSV or JSON file of probabilities") from None


def _nested(path: str | Path, text: str) -> AnyArray:
    try:
        array = np.array(json.loads(text, parse_float=Decimal)["probabilities"], object)
        flat = [_probability(entry) for entry in array.ravel()[: _MOST + 1].tolist()]
    except (ValueError, TypeError, LookupError, RecursionError, InvalidOperation, ZeroDivisionError):
        form = 'is no mechanism; write {"probabilities": [[0.75, 0.25], [0.25, 0.75]]}'
        raise SourceError(str(path), form) from None
    if array.size > _MOST:
        raise RequestError(f"{path}: {_TOO_LARGE}")
    return np.array(flat, object).reshape(array.shape)


def _probability(entry: object) -> Fraction:
    if isinstance(entry, bool) or not isinstance(entry, int | Decimal | str):
        raise TypeError
    if isinstance(entry, str) and "/" not in entry:
        entry = Decimal(entry)
    if isinstance(entry, Decimal) and (not entry.is_finite() or abs(entry.adjusted()) > _MOST_DIGITS):
        raise ValueError
    return Fraction(entry)


def _tabulated(path: str | Path, text: str, last: Sequence[str]) -> list[tuple[tuple[str, ...], Fraction]]:
    """The rows: all values, and the probability, which stands last."""
    header, *lines = [row for row in csv.reader(text.splitlines()) if row] or [[]]
    form = f"has a header of entries, then {' and '.join(last)}, and a row for each probability"
    if [name.strip().lower() for name in header[-len(last) :]] != list(last) or len(header) <= len(last):
        raise SourceError(str(path), f"is of another form; a CSV file {form}")
    if not lines:
        raise SourceError(str(path), f"has no rows; a CSV file {form}")
    found = []
    for number, row in enumerate(lines, start=2):
        *values, probability = [cell.strip() for cell in row]
        try:
            exact = _probability(probability if len(row) == len(header) else None)
        except (ValueError, TypeError, InvalidOperation, ZeroDivisionError):
            raise SourceError(str(path), f"line {number} is no row; a CSV file {form}") from None
        found.append((tuple(values), exact))
    return found


@dataclass(frozen=True, repr=False)
class MechanismReport(Shown):
    """What a mechanism guarantees to one entry, all others being known; numbers are rounded up.

    Attributes:
        database: the mechanism.
        given_delta: the delta for which epsilon is the least.
        given_epsilon: the epsilon for which delta is the least.
        epsilon: the least epsilon of (epsilon, delta)-DP, exactly.
        delta: the least delta of (epsilon, delta)-DP.
        kl: KL-DP in nats.
        information: MI-DP in nats, between two ends.
        variant: which of the variants was asked for.
        variants: what it says, of each entry where it is personalised.
    """

    database: Database
    given_delta: Delta
    given_epsilon: Epsilon
    epsilon: Nats
    delta: Fraction | float
    kl: float
    information: InformationBounds
    variant: MechanismVariant | None = None
    variants: tuple[Variant, ...] = ()

    @property
    def reach(self) -> int | None:
        """How many outputs one entry can cause, of a deterministic mechanism."""
        return reach(self.database) if self.database.is_deterministic else None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; infinite numbers are "inf"."""
        exact = {"delta_exact": str(self.delta)} if isinstance(self.delta, Fraction) else {}
        found: dict[str, Any] = {
            "entries": self.database.entries,
            "values": list(self.database.sizes),
            "outputs": self.database.outputs,
            "epsilon": self.epsilon.upper,
            "delta": round_up(Fraction(self.delta)),
            **exact,
            "kl": self.kl,
            "mi_lower": self.information.lower_nats,
            "mi_upper": self.information.upper_nats,
            "reach": self.reach,
        }
        if self.variant is not None:
            found |= {"variant": self.variant, "variants": [_numbers(each) for each in self.variants]}
        return found

    def _shown(self) -> tuple[str, Facts]:
        least = significant(self.information.lower_nats, 6, ROUND_FLOOR)
        information = f"{least:f} to {_up(self.information.upper_nats)} nats"
        facts = {
            f"epsilon (delta {self.given_delta})": _up(self.epsilon.upper),
            f"delta (epsilon {self.given_epsilon})": _up(round_up(Fraction(self.delta))),
            "KL-DP": f"{_up(self.kl)} nats",
            "MI-DP": str(self.information.exact) if self.information.exact else information,
        }
        if self.reach is not None:
            facts["reach"] = f"{self.reach} outputs of one entry: no noise"
        for number, each in enumerate(self.variants, start=1):
            name = f"{self.variant}, entry {number}" if self.variant == "personalised" else str(self.variant)
            facts[name] = f"epsilon {_up(each.epsilon.upper)}; {_up(each.information.upper_nats)} nats"
        values = " x ".join(map(str, self.database.sizes))
        return f"A mechanism over {values} databases, {self.database.outputs} outputs", facts


def _numbers(each: Variant) -> dict[str, float]:
    told = each.information
    return {"epsilon": each.epsilon.upper, "mi_lower": told.lower_nats, "mi_upper": told.upper_nats}


def _up(value: float) -> str:
    return "inf" if value == float("inf") else f"{significant(value, 6):f}"


def report(
    database: Database,
    *,
    delta: Delta = 0,
    epsilon: Epsilon = 0,
    variant: MechanismVariant | None = None,
    prior: Any = None,  # noqa: ANN401 - any array
) -> MechanismReport:
    """All guarantees of a mechanism at once.

    >>> coin = report(Database.of([[0.75, 0.25], [0.25, 0.75]]))
    >>> coin.epsilon, coin.delta
    (Nats(3), Fraction(1, 2))

    Args:
        database: the mechanism.
        delta: the delta for which the least epsilon is sought.
        epsilon: the epsilon for which the least delta is sought.
        variant: one of the variants of section 6 of [P5] beside.
        prior: a probability for each database; the Bayesian and the adversarial variant need one.

    Raises:
        RequestError: a variant has no prior, or there is no such variant.
    """
    found: tuple[Variant, ...] = ()
    if variant in ("bayesian", "adversarial"):
        if prior is None:
            raise RequestError(f"the {variant} variant is about a prior; give one, or uniform")
        found = ((bayesian if variant == "bayesian" else adversarial)(database, prior),)
    elif variant == "personalised":
        found = personalised(database)
    elif variant == "free-lunch":
        found = (free_lunch(database),)
    elif variant is not None:
        raise RequestError(
            f"{variant!r} is no variant; take personalised, free-lunch, bayesian or adversarial"
        )
    return MechanismReport(
        database,
        delta,
        epsilon,
        dp_epsilon(database, delta),
        dp_delta(database, epsilon),
        kl_dp(database),
        mi_dp(database),
        variant,
        found,
    )
