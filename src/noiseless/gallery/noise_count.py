"""Noiseless against noise: a count of patients; and the comparison that the other such figures make too."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noiseless.arrays import IntArray
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.noise_mechanisms import ComparedMechanism, GroupQuestion, Quantised, bits_text
from noiseless.questions import Lattice

WORST = "noiseless, others' values at worst"
MECHANISMS = ("noiseless", "laplace", "geometric", "gaussian")
SAMPLES = 20_000
"""About this many noisy answers are drawn for an average."""

_SURE = 1 - 1e-12
_Z = 1.96

CAPACITY = (
    "Bits are the capacity from one person to the answer: exactly log2 of the reach of a noiseless answer,"
    " and bounded from above for noise, which is then as small as the bound allows."
)
MORE_BITS = tuple(map(Fraction, ("1/4", "1/2", "3/4", "1", "3/2", "2", "3", "4")))
BITS = tuple(map(Fraction, ("1/10", "1/4", "1/2", "3/4", "9/10", "1", "2")))
FEWER_BITS = tuple(map(Fraction, ("1/2", "1")))


@dataclass(frozen=True)
class MechanismResult:
    """One mechanism at one number of bits.

    Attributes:
        bits: what one person may tell.
        told: the mechanism.
        average: the mean absolute error over the table's true answers.
        spread: half of that mean's 95 % interval; 0 where nothing is random.
        ends: how likely the lowest value is told from the highest.
        estimate: the root mean square error of the best estimate of a value.
    """

    bits: Fraction
    told: ComparedMechanism
    average: float
    spread: float
    ends: float
    estimate: float


MechanismResults = dict[str, list[MechanismResult]]
"""The results of each mechanism, by bits."""


def compare_mechanisms(
    question: GroupQuestion, bits: Sequence[Fraction], truths: IntArray, bases: IntArray
) -> MechanismResults:
    """Let all mechanisms answer.

    Args:
        question: what is asked.
        bits: what one person may tell through one answer.
        truths: positions of the table's true answers.
        bases: positions of some of these answers without one person's value: others' values.
    """
    found: MechanismResults = {name: [] for name in MECHANISMS}
    true = question.answers(truths)
    for seed, amount in enumerate(bits):
        for told in question.told(amount):
            times = 1 if told.name == "noiseless" else -(-SAMPLES // len(truths))
            errors = np.abs(told.tell(np.tile(truths, times), seed) - np.tile(true, times))
            spread = 0.0 if times == 1 else _Z * float(errors.std()) / len(errors) ** 0.5
            ends, estimate = told.telling_ends_apart(bases), told.estimating(bases)
            found[told.name].append(
                MechanismResult(amount, told, float(errors.mean()), spread, ends, estimate)
            )
    return found


def panels(results: MechanismResults, unit: str, *, zero: bool = False) -> Parts:
    """Worst error, average error, and both adversaries.

    Args:
        results: what to draw.
        unit: of answers and values.
        zero: whether answers become exact, which a logarithmic axis cannot show.
    """
    bits = "bits leaked about one person, at most"
    note = "From 1 bit on every answer is exact: an error of 0 has no place on this axis." if zero else ""
    errors = f"error ({unit})"
    yield Panel.of("Worst error", bits, errors, *_curves(results, lambda one: one.told.worst), log_y=not zero)
    yield Panel.of("Average error on the table", bits, errors, *_averages(results), log_y=True, note=note)
    ends = _curves(results, lambda one: one.ends)
    yield Panel.of("Telling the lowest value from the highest", bits, "probability of a right guess", *ends)
    line = results["noiseless"]
    yield Panel.of(
        "Estimating one person's value",
        bits,
        f"root mean square error ({unit})",
        *_curves(results, lambda one: one.estimate),
        Curve.dashed(WORST, [one.bits for one in line], map(_worst_estimate, line)),
    )


def _curves(results: MechanismResults, height: Callable[[MechanismResult], float]) -> Iterator[Curve]:
    for name, line in results.items():
        yield Curve.of(name, [one.bits for one in line], map(height, line))


def _worst_estimate(one: MechanismResult) -> float:
    assert isinstance(one.told, Quantised)  # noqa: S101 - of noiseless results alone
    return one.told.estimating_at_worst()


def _averages(results: MechanismResults) -> Iterator[Curve]:
    for name, line in results.items():
        band = [one.average - one.spread for one in line], [one.average + one.spread for one in line]
        averages = [one.average for one in line]
        yield Curve.of(name, [one.bits for one in line], averages, band=band if line[0].spread else None)


def checks(results: MechanismResults, unit: str) -> Parts:
    """What we say of noiseless answers beside noise, tested."""
    estimates: dict[str, Callable[[MechanismResult], float]] = {
        "the table's other people": lambda one: one.estimate,
        "others' values that help most": _worst_estimate,
    }
    rows = list(zip(*results.values(), strict=True))
    pairs = [(ours, noisy) for ours, *noisy in rows if ours.bits >= 1]
    first, first_noisy = pairs[0]
    worst = min(one.told.worst for one in first_noisy)
    yield ClaimCheck(
        "From 1 bit on a noiseless answer is never off by much, while noise can be off by the whole range",
        f"at 1 bit at most {first.told.worst:.4g} {unit} against {worst:.4g} {unit}",
        "noiseless has at most the worst error of each noise, at every number of bits from 1 on",
        all(ours.told.worst <= one.told.worst for ours, noisy in pairs for one in noisy),
        about="ours",
    )
    nearest = [(ours, min(noisy, key=lambda one: one.average)) for ours, noisy in pairs]
    told = [
        f"{bits_text(ours.bits)}: {ours.average:.3g} against {best.average:.3g} {unit}"
        for ours, best in nearest
    ]
    yield ClaimCheck(
        "On average noise is nearer to the truth at equal bits",
        f"noiseless against the best noise, {'; '.join(told)}",
        "the best noise has at most the average error of noiseless, at every number of bits from 1 on",
        all(best.average <= ours.average for ours, best in nearest),
        about="ours",
    )
    yield below_one_bit(results, unit)
    ends = ", ".join(f"{one.ends:.4f} ({one.told.name})" for one in first_noisy)
    yield ClaimCheck(
        "One noiseless bit tells the two extreme values apart for certain; noise of one bit leaves a doubt",
        f"at 1 bit {first.ends:.3f}, and {ends}",
        "noiseless is always right from 1 bit on, each noise is not at 1 bit",
        all(one.ends == 1 for one, _ in pairs) and all(one.ends < _SURE for one in first_noisy),
        about="ours",
    )
    for given, estimate in estimates.items():
        errors = [(estimate(one), min(other.estimate for other in noisy)) for one, noisy in pairs]
        told = [
            f"{bits_text(one.bits)}: {ours:.3g} against {noise:.3g}"
            for (one, _), (ours, noise) in zip(pairs, errors, strict=True)
        ]
        yield ClaimCheck(
            f"An estimate of one person's value is not better through a noiseless answer, given {given}",
            f"error through noiseless against the smallest through noise, {'; '.join(told)}",
            "the error through noiseless is at least that through some noise, at every number of bits from"
            " 1 on",
            all(ours >= noise for ours, noise in errors),
            about="ours",
        )


def below_one_bit(results: MechanismResults, unit: str) -> ClaimCheck:
    """A noiseless answer of less than a bit is a constant."""
    rows = [row for row in zip(*results.values(), strict=True) if row[0].bits < 1]
    ours, best = rows[-1][0], min(rows[-1][1:], key=lambda one: one.average)
    errors = f"{ours.average:.4g}, {best.told.name} by {best.average:.3g} {unit}"
    return ClaimCheck(
        "Below 1 bit a noiseless answer is a constant: only noise says anything",
        f"at {bits_text(ours.bits)} noiseless is off by {errors} on average",
        "the best noise has the smaller average error, and noiseless a chance of 1/2 to tell values apart",
        all(min(one.average for one in row[1:]) < row[0].average and row[0].ends == 1 / 2 for row in rows),
        about="ours",
    )


@reproduces(
    "Comparison: count",
    "A count without noise and with it, at equal bits",
    "A count costs exactly 1 bit and is then exact, with or without noise; for less than that a"
    " noiseless answer is a constant, and noise is the only way to say anything.",
    needs=("heart",),
)
def figure(data: Data) -> Parts:
    """How many patients are at least so old, for every age that occurs."""
    ages = np.asarray(data.heart()["age"].to_numpy(), np.int64)
    limits = np.unique(ages)
    truths = (ages[:, None] >= limits).sum(axis=0)
    bases = truths - (ages[np.arange(len(limits)) % len(ages)] >= limits)
    bits = FEWER_BITS if data.synthetic else BITS
    results = compare_mechanisms(GroupQuestion("count", len(ages), Lattice.of(0, 1, 1)), bits, truths, bases)
    yield from panels(results, "people", zero=True)
    yield below_one_bit(results, "people")
    from_one = [one for line in results.values() for one in line if one.bits >= 1]
    yield ClaimCheck(
        "From 1 bit on a noiseless count is exact, and noise need not be added either",
        f"largest error {max(one.told.worst for one in from_one):g} from 1 bit on, with every mechanism",
        "no error at all from 1 bit on",
        all(one.told.worst == 0 and one.average == 0 for one in from_one),
        about="ours",
    )
    exact = next(one for one in results["noiseless"] if one.bits >= 1)
    yield ClaimCheck(
        "One bit of a one-bit secret is everything",
        f"at 1 bit anyone who knows all others is right with probability {exact.ends:g}",
        "the probability is 1",
        exact.ends == 1,
        about="ours",
    )
    last = {name: [one for one in line if one.bits < 1][-1] for name, line in results.items()}
    told = [f"{one.ends:.3f} ({name})" for name, one in last.items()]
    yield ClaimCheck(
        "Below 1 bit noise leaves little doubt before it leaves none, a noiseless constant tells nothing",
        f"at {float(last['noiseless'].bits):g} bits the guess is right with probability {', '.join(told)}",
        "noiseless 1/2, every noise between 1/2 and 1 at every number of bits below 1",
        all(
            one.ends == 1 / 2 if name == "noiseless" else 1 / 2 < one.ends < 1
            for name, line in results.items()
            for one in line
            if one.bits < 1
        ),
        about="ours",
    )
    yield f"{len(limits)} counts of {len(ages)} patients: how many are at least so old, for every age."
    yield (
        "One person moves a count by one: it has a reach of 2, and an exact count costs 1 bit. Noise"
        " that keeps to 1 bit or more is no noise at all."
    )
    yield "Both adversaries know everybody else's age, and want to know whether one person is counted."
