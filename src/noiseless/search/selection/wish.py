"""What is asked of a release: limits on what is given away and on what is lost, or a weight between them."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational, as_fraction
from noiseless.search.merging.length import Length
from noiseless.search.merging.path import Objective, Utility
from noiseless.search.selection.measures import Measures

Method = Literal["auto", "greedy", "exact"]
Aim = Literal["loss", "leak", "lagrangian"]

_LIMITS = ("min_posterior", "max_leakage", "max_maximin", "max_distortion", "min_resolution")


@dataclass(frozen=True)
class Wish:
    """What a release must keep to, and what it is chosen by.

    With a weight the Lagrangian log2(leak) + weight * loss is made small. Without one, and with a limit on
    what is given away, the loss of the utility is; with limits on the loss alone, what is given away is. All
    limits hold together. A number of bits is a rational, or exact `Bits`; a float is the rational it is.

    Attributes:
        objective: what is given away: `leakage` (L0), `maximin` (I*), or `both`: leakage, with no maximin
            information left (problem (7) of [P3]).
        utility: what is kept: `resolution` (U1) or `distortion` (U2).
        weight: the multiplier lambda of [P3].
        min_posterior: at least so many sensitive values behind each answer.
        max_leakage: at most so many bits of leakage.
        max_maximin: at most so many bits of maximin information.
        max_distortion: no public value further from what is released for it.
        min_resolution: at least so many bits of resolution.
        suppress: at most this share of the rows may be withheld (released as one cell of its own).
        method: `exact` (one ordered column), `greedy` (the paths of [P3]), or the best of what applies.
    """

    objective: Objective = "leakage"
    utility: Utility = "resolution"
    weight: Rational | None = None
    min_posterior: int | None = None
    max_leakage: Bits | Rational | None = None
    max_maximin: Bits | Rational | None = None
    max_distortion: Length | Rational | None = None
    min_resolution: Bits | Rational | None = None
    suppress: Rational = Fraction(0)
    method: Method = "auto"

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, float | Decimal):
                object.__setattr__(self, name, _fraction(value, name))
        self._check_names()
        if self.min_posterior is not None and (
            isinstance(self.min_posterior, bool) or self.min_posterior != int(self.min_posterior)
        ):
            raise RequestError("a minimum posterior is a whole number of sensitive values")
        if self.min_posterior is not None:
            object.__setattr__(self, "min_posterior", int(self.min_posterior))
        if self.weight is None and all(getattr(self, name) is None for name in _LIMITS):
            raise RequestError(
                "no target: give a minimum posterior, a largest leakage, maximin information or distortion, "
                "a least resolution, or a weight"
            )
        self._check_signs()

    def _check_names(self) -> None:
        if self.objective not in ("leakage", "maximin", "both"):
            raise RequestError("an objective is 'leakage', 'maximin' or 'both'")
        if self.utility not in ("resolution", "distortion"):
            raise RequestError("a utility is 'resolution' or 'distortion'")
        if self.method not in ("auto", "greedy", "exact"):
            raise RequestError("a method is 'auto', 'greedy' or 'exact'")
        if self.weight is not None and self.weight < 0:
            raise RequestError("a weight is not negative")
        if not 0 <= self.suppress < 1:
            raise RequestError("the share of rows to suppress is at least 0 and below 1, such as 0.05")

    def _check_signs(self) -> None:
        if self.min_posterior is not None and self.min_posterior < 1:
            raise RequestError("a minimum posterior is at least 1")
        for name in ("max_leakage", "max_maximin", "max_distortion"):
            limit = getattr(self, name)
            if limit is not None and limit < 0:
                raise RequestError(f"a largest {name.removeprefix('max_')} is not negative")

    @property
    def protects(self) -> bool:
        """Whether what is given away is limited."""
        limits = (self.min_posterior, self.max_leakage, self.max_maximin)
        return any(limit is not None for limit in limits)

    @property
    def aim(self) -> Aim:
        """What is made small."""
        if self.weight is not None:
            return "lagrangian"
        return "loss" if self.protects else "leak"

    def allows(self, found: Measures) -> bool:
        """Whether measures keep to all limits, exactly (`both` asks for more, see `choose`)."""
        return self.protected(found) and self.useful(found)

    def protected(self, found: Measures) -> bool:
        """Whether they keep to the limits on what is given away."""
        return (
            (self.min_posterior is None or found.min_posterior >= self.min_posterior)
            and (self.max_leakage is None or found.leakage <= self.max_leakage)
            and (self.max_maximin is None or found.maximin <= self.max_maximin)
        )

    def useful(self, found: Measures) -> bool:
        """Whether they keep to the limits on what is lost."""
        if self.max_distortion is not None:
            if found.distortion is None:
                raise RequestError("a limit on distortion needs a codebook")
            if not found.distortion <= self.max_distortion:
                return False
        return self.min_resolution is None or not found.resolution < self.min_resolution


def _fraction(value: float | Decimal, name: str) -> Fraction:
    try:
        return as_fraction(value)
    except (ValueError, OverflowError) as error:
        raise RequestError(f"{name.replace('_', ' ')} is not a finite number") from error
