"""Fig. 5 of the early version of [P2]: the mean and the distribution of weights once they are blurred."""

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.gallery.data import Data
from noiseless.gallery.figure import ClaimCheck, Curve, Panel, Parts, reproduces
from noiseless.gallery.p2_fig4 import POLICIES, Policy, Respondents

CHANGES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50)
RHOS = tuple(1 / change for change in CHANGES)[::-1]

BINS = np.arange(0, 201, 5)
"""Of the empirical distribution, in kilograms."""

HALF = 0.5
"""Added to every bin: one that is empty in one table alone does not make the divergence infinite."""

RANK = 0.9


@reproduces(
    "[P2] early version, Fig. 5",
    "Mean and distribution of blurred weights",
    "The difference of the mean weight and the divergence of the weights' distribution, with and without "
    "the blur, against its accuracy: what a curator balances privacy against.",
    needs=("young-people",),
)
def figure(data: Data) -> Parts:
    """The mean's difference and the divergence for each accuracy, by the paper's policy and by ours."""
    people = Respondents.of(data)
    means = {policy: [_shift(people, change, policy) for change in CHANGES] for policy, _ in POLICIES}
    apart = {policy: [_divergence(people, change, policy) for change in CHANGES] for policy, _ in POLICIES}
    yield Panel.of(
        "Difference of the mean weight",
        "accuracy rho (1/kg)",
        "reported mean - true mean (kg)",
        *(Curve.of(name, RHOS, means[policy][::-1]) for policy, name in POLICIES),
        log_x=True,
    )
    yield Panel.of(
        "Divergence of the weights' distribution",
        "accuracy rho (1/kg)",
        "KL(true || reported) (nats)",
        *(Curve.of(name, RHOS, apart[policy][::-1]) for policy, name in POLICIES),
        log_x=True,
    )
    most = max(
        abs(shift) * rho for rows in means.values() for shift, rho in zip(rows, RHOS[::-1], strict=True)
    )
    yield ClaimCheck(
        "The mean is as accurate as every single weight",
        f"it is off by at most {most:.3f} / rho",
        "|reported mean - true mean| <= 1/rho at every rho",
        most <= 1,
    )
    mean_ranks = {policy: _rank_correlation(np.abs(rows)) for policy, rows in means.items()}
    yield ClaimCheck(
        "The mean is kept better with more accuracy",
        f"up to {means['collapse'][-1]:+.2f} kg at rho = 1/50 and {means['collapse'][4]:+.3f} kg at rho = 1/5"
        f" as printed ({means['stretch'][-1]:+.2f} and {means['stretch'][4]:+.3f} paired); rank correlation"
        " of |difference| with 1/rho " + _words(mean_ranks),
        f"rank correlation above {RANK} by both policies",
        min(mean_ranks.values()) > RANK,
        about="figure",
    )
    ranks = {policy: _rank_correlation(np.array(rows)) for policy, rows in apart.items()}
    yield ClaimCheck(
        "The distribution is kept better with more accuracy",
        f"up to {apart['collapse'][-1]:.3f} nats at rho = 1/50 and {apart['collapse'][4]:.4f} at rho = "
        f"1/5 as printed ({apart['stretch'][-1]:.3f} and {apart['stretch'][4]:.4f} paired); rank "
        "correlation with 1/rho " + _words(ranks),
        f"rank correlation above {RANK} by both policies",
        min(ranks.values()) > RANK,
        about="figure",
    )
    shift = max(abs(rows[0]) for rows in means.values())
    gap = max(rows[0] for rows in apart.values())
    yield ClaimCheck(
        "With enough accuracy nothing is lost",
        f"at rho = 1 the mean is off by {1000 * shift:.1f} g and the divergence is {gap:.1e} nats at most",
        "below 10 g and 0.001 nats at rho = 1",
        shift < 0.01 and gap < 1e-3,  # noqa: PLR2004 - the criterion, in words above
    )
    yield people.described()
    yield (
        "The paper gives neither the bins nor the direction of its divergence: here bins of 5 kg, "
        "half a person added to each, and the true distribution first."
    )


def _shift(people: Respondents, change: int, policy: Policy) -> float:
    return float(people.released(change, policy).mean() - people.weight.mean())


def _divergence(people: Respondents, change: int, policy: Policy) -> float:
    """The Kullback-Leibler divergence of the reported weights from the true ones, in nats."""
    true, reported = _shares(people.weight), _shares(people.released(change, policy))
    return float(np.sum(true * np.log(true / reported)))


def _shares(weights: "np.typing.ArrayLike") -> FloatArray:
    counts: FloatArray = np.histogram(weights, bins=BINS)[0] + HALF
    shares: FloatArray = counts / counts.sum()
    return shares


def _rank_correlation(values: FloatArray) -> float:
    """Spearman's, of values at ascending changes."""
    from scipy.stats import spearmanr

    return float(spearmanr(np.arange(len(values)), values).statistic)


def _words(ranks: dict[Policy, float]) -> str:
    return " and ".join(f"{ranks[policy]:.2f} ({name})" for policy, name in POLICIES)
