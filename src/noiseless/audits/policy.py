"""A policy turns an audit into a check: limits that every sensitive column must keep."""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveInt,
    StrictStr,
    ValidationError,
)

from noiseless.audits.exposure import Exposure
from noiseless.audits.result import Audit
from noiseless.display import Facts, FrameMixin, Shown, arrow_rows, bound_text, json_fields, plain_problem
from noiseless.errors import PolicyError
from noiseless.exact import Bits, Nats, round_down, round_up
from noiseless.examples import not_opened

if TYPE_CHECKING:
    import pyarrow as pa

    from noiseless.audits.population import PopulationRisk


_LIMITS = {
    "leakage": ("bits leaked, L0", True),
    "maximin": ("always revealed, I*", True),
    "min_posterior": ("fewest values left", False),
    "k_anonymity": ("k-anonymity", False),
    "distinct_l_diversity": ("distinct l-diversity", False),
    "entropy_l_diversity": ("entropy l-diversity", False),
    "t_closeness": ("t-closeness", True),
    "homogeneous_groups": ("homogeneous groups", True),
    "best_guess": ("best guess right", True),
    "largest_belief": ("largest belief", True),
    "pointwise_leakage": ("pointwise maximal leakage, in bits", True),
    "beta_likeness": ("beta-likeness", True),
    "enhanced_beta_likeness": ("enhanced beta-likeness", True),
    "delta_disclosure": ("delta-disclosure, in nats", True),
    "width": ("width of a group's values", False),
    "min_classes": ("fewest classes of values left", False),
    "prosecutor_risk": ("prosecutor risk", True),
    "marketer_risk": ("marketer risk", True),
    "journalist_risk": ("journalist risk", True),
}
"""The measures of an exposure that a policy may limit: in words, and whether the limit is a maximum."""

_MEANT = {
    "min_rows": "k_anonymity",
    "k": "k_anonymity",
    "max_leakage": "leakage",
    "max_maximin": "maximin",
    "l_diversity": "distinct_l_diversity",
}
"""What a release or the literature calls some of them."""

_OF_GROUPS = frozenset({"k_anonymity", "prosecutor_risk", "marketer_risk"})
"""Limits on the groups themselves, which are the same for every sensitive column."""

_OF_SOME = {
    "width": "width is about numbers and dates, and {} has none; limit min_posterior instead",
    "min_classes": "min_classes counts classes, and {} has none; declare them (--hierarchy COL=FILE)",
}
"""Limits on what only some columns have, and what to do where none has it."""

_TABLES = ("limits", "columns")
"""The tables of a policy's file."""

_PLACES = 2
"""How many decimals a measure is shown with, unless its limit has more."""


NonNegativeDecimal = Annotated[Decimal, Field(ge=0)]


class PolicyLimits(BaseModel):
    """The limits a policy may set; those left out are not checked.

    `min_posterior`, `k_anonymity`, `distinct_l_diversity`, `entropy_l_diversity`, `width` and `min_classes`
    are minima, the others maxima; `leakage`, `maximin` and `pointwise_leakage` are in bits,
    `delta_disclosure` in nats.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    leakage: NonNegativeDecimal | None = None
    maximin: NonNegativeDecimal | None = None
    min_posterior: PositiveInt | None = None
    k_anonymity: PositiveInt | None = None
    distinct_l_diversity: PositiveInt | None = None
    entropy_l_diversity: NonNegativeDecimal | None = None
    t_closeness: NonNegativeDecimal | None = None
    homogeneous_groups: NonNegativeInt | None = None
    best_guess: NonNegativeDecimal | None = None
    largest_belief: NonNegativeDecimal | None = None
    pointwise_leakage: NonNegativeDecimal | None = None
    beta_likeness: NonNegativeDecimal | None = None
    enhanced_beta_likeness: NonNegativeDecimal | None = None
    delta_disclosure: NonNegativeDecimal | None = None
    width: NonNegativeDecimal | None = None
    min_classes: PositiveInt | None = None
    prosecutor_risk: NonNegativeDecimal | None = None
    marketer_risk: NonNegativeDecimal | None = None
    journalist_risk: NonNegativeDecimal | None = None


@dataclass(frozen=True)
class PolicyCheck:
    """One limit held against one sensitive target.

    Attributes:
        name: the limit's name.
        target: the sensitive columns it was held against.
        limit: what the policy asks for.
        at_most: whether the limit is a maximum; otherwise it is a minimum.
        found: what the audit found.
        holds: whether it is kept.
    """

    name: str
    target: str
    limit: Decimal | int
    at_most: bool
    found: float | int
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return json_fields(self, "at_most") | ({} if math.isfinite(self.found) else {"found": "inf"})

    @property
    def words(self) -> tuple[str, str, str]:
        """The limit, what was asked and what was found, rounded so that it stays on its side of the limit."""
        if isinstance(self.limit, int) and isinstance(self.found, int):
            asked, found = f"{self.limit:,}", f"{self.found:,}"
        else:
            limit = Decimal(self.limit)
            places = max(_PLACES, -int(limit.as_tuple().exponent))
            asked = bound_text(limit, places, up=self.at_most)
            finite = math.isfinite(self.found)
            found = bound_text(self.found, places, up=self.at_most) if finite else "no bound"
        return _LIMITS[self.name][0], f"at {'most' if self.at_most else 'least'} {asked}", found


@dataclass(frozen=True, repr=False)
class PolicyResult(Shown, FrameMixin):
    """The outcome of all checks."""

    checks: tuple[PolicyCheck, ...]

    def _shown(self) -> tuple[str, Facts]:
        return "The policy is met" if self.holds else "The policy is not met", self.table

    @property
    def table(self) -> list[list[str]]:
        """The checks in words: a head and rows."""
        rows = [["limit", "about", "asked", "found", ""]]
        for check in self.checks:
            name, asked, found = check.words
            rows.append([name, check.target, asked, found, "holds" if check.holds else "FAILS"])
        return rows

    @property
    def holds(self) -> bool:
        """Whether every limit is kept."""
        return all(check.holds for check in self.checks)

    def to_arrow(self) -> "pa.Table":
        """A row for each check."""
        return arrow_rows(check.to_dict() for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """As it is in JSON."""
        return {"holds": self.holds, "checks": [check.to_dict() for check in self.checks]}


def _listed(value: object) -> object:
    """One column's name stands for a list of it."""
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[StrictStr, ...], BeforeValidator(_listed)]


@dataclass(frozen=True)
class PolicyColumns:
    """The columns that a policy is about; an audit can name others.

    Attributes:
        sensitive: the columns to protect.
        public: the columns that everyone sees; all others, if none is named.
        given: columns that an adversary knows from elsewhere.
        unit: the column that identifies a person.
    """

    __pydantic_config__: ClassVar = ConfigDict(extra="forbid")

    sensitive: Annotated[Names, Field(min_length=1)]
    public: Names | None = None
    given: Names | None = None
    unit: StrictStr | None = None


class _Checked(BaseModel):
    """What a policy is made of, of the right types."""

    limits: PolicyLimits
    columns: PolicyColumns | None = None


@dataclass(frozen=True, init=False, repr=False)
class Policy:
    """Limits that every audit must keep; in a file, TOML with a table [limits].

    A table [columns] may say which columns they are about; `nl.assert_private` and `noiseless audit --policy`
    then need no others.

    >>> Policy({"min_posterior": 3, "leakage": "1.59"})
    Policy(limits={'leakage': 1.59, 'min_posterior': 3})

    Attributes:
        limits: what may be given away at most, and must be left at least.
        columns: the columns that they are about; None where the audit says that.
    """

    limits: Mapping[str, Decimal | int] = field(hash=False)
    columns: PolicyColumns | None

    def __init__(
        self,
        limits: Mapping[str, float | str | Decimal] | PolicyLimits | None = None,
        columns: PolicyColumns | Mapping[str, Any] | None = None,
        **bare: object,
    ) -> None:
        """Check the limits.

        Args:
            limits: each by its name.
            columns: the columns by their roles: `sensitive`, `public`, `given`, `unit`.
            bare: limits that are not held together, which are refused.

        Raises:
            PolicyError: there are none, or one is wrong.
        """
        if bare or limits is None:
            raise PolicyError(
                f"a policy holds its limits together; write nl.Policy(limits={bare or {'min_posterior': 5}})"
            )
        try:
            checked = _Checked.model_validate({"limits": limits, "columns": columns})
        except ValidationError as error:
            raise PolicyError(_first_problem(error)) from None
        asked = checked.limits.model_dump(exclude_none=True)
        if not asked:
            raise PolicyError("a policy sets a limit; write for example nl.Policy({'min_posterior': 5})")
        object.__setattr__(self, "limits", asked)
        object.__setattr__(self, "columns", checked.columns)

    def __repr__(self) -> str:
        asked = (f"{name!r}: {limit}" for name, limit in self.limits.items())
        return f"Policy(limits={{{', '.join(asked)}}})"

    __str__ = __repr__

    @classmethod
    def read(cls, path: Path | str) -> "Policy":
        """Read a policy file.

        Raises:
            PolicyError: it cannot be read, or names a limit there is not.
        """
        try:
            data = tomllib.loads(Path(path).read_text("utf-8"), parse_float=Decimal)
            return cls(**_tables(data))
        except OSError as error:
            raise PolicyError(f"{path}: {not_opened(path, error)}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise PolicyError(f"{path}: is not TOML ({error})") from None
        except PolicyError as error:
            raise PolicyError(f"{path}: {error}") from None

    def check(self, audit: Audit, population: "PopulationRisk | None" = None) -> PolicyResult:
        """Hold every limit against every sensitive column, and against all of them together.

        Args:
            audit: the audit.
            population: how well its rows are found in the population, for a limit on the journalist's risk.

        Raises:
            PolicyError: a limit has no meaning for what is audited.
        """
        asked = dict(self.limits)
        found = asked.pop("journalist_risk", None)
        outside = [] if found is None else [_journalist_check(found, population)]
        known = audit.by_key or {(): audit.targets}
        return PolicyResult(
            (
                *(
                    _check(name, limit, exposure, f" by {' + '.join(key)}" if key else "")
                    for name, limit in asked.items()
                    for key, exposures in known.items()
                    for exposure in _about(name, exposures)
                ),
                *outside,
            )
        )


def _journalist_check(limit: Decimal | int, population: "PopulationRisk | None") -> PolicyCheck:
    if population is None:
        raise PolicyError("journalist_risk is about a population; name its table (--population TABLE)")
    risk = population.journalist_risk
    return PolicyCheck(
        "journalist_risk", "the population", limit, at_most=True, found=round_up(risk), holds=risk <= limit
    )


def _about(name: str, exposures: Sequence[Exposure]) -> Sequence[Exposure]:
    """What a limit is held against: groups are those of every target, and only single columns have widths."""
    if name in _OF_GROUPS:
        return exposures[:1]
    if name not in _OF_SOME:
        return exposures
    if found := [exposure for exposure in exposures if getattr(exposure, name) is not None]:
        return found
    raise PolicyError(_OF_SOME[name].format(exposures[0].name))


def _check(name: str, limit: Decimal | int, exposure: Exposure, known: str) -> PolicyCheck:
    found: Bits | Nats | int | float | Fraction = getattr(exposure, name)
    at_most = _LIMITS[name][1]
    value: Any = Fraction(found) if isinstance(found, float) and math.isfinite(found) else found
    holds = value <= limit if at_most else value >= limit
    if name == "delta_disclosure":  # which is to be below it
        holds = value < limit
    return PolicyCheck(
        name, f"{exposure.name}{known}", limit, at_most, _shown(found, up=at_most), bool(holds)
    )


def _shown(found: Bits | Nats | float | Fraction, *, up: bool) -> float | int:
    """A number that stays on its side of a limit."""
    if isinstance(found, Fraction):
        return round_up(found) if up else round_down(found)
    return found if isinstance(found, int) else float(found)


def _tables(data: dict[str, Any]) -> dict[str, Any]:
    """The tables of a file, which holds nothing else."""
    if "limits" not in data:
        raise PolicyError("has no table [limits]; write [limits] and, for example, min_posterior = 5")
    if not data["limits"]:
        raise PolicyError("sets no limit; write for example [limits] and min_posterior = 5")
    if others := [name for name in data if name not in _TABLES]:
        raise PolicyError(f"{others[0]!r} stands outside the table [limits]; write it below that line")
    return data


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    table, *names = map(str, first["loc"])
    place = ".".join(names)
    if table == "columns":
        named = f" {place}" if place else ""
        return f"[columns]{named}: name columns as sensitive, public or given (one or a list) and one as unit"
    if first["type"] == "extra_forbidden":
        meant = f"did you mean {_MEANT[place]}? The" if place in _MEANT else "the"
        return f"there is no limit {place!r}; {meant} limits are {', '.join(_LIMITS)}"
    return f"{place or 'limits'}: {plain_problem(first['msg'])}"
