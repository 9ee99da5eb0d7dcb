"""Variants of differential privacy for a finite mechanism, each with its mutual-information counterpart.

Section 6 of [P5]: personalised, free-lunch, Bayesian and adversarial privacy. Those that assume a prior take
it as an array of probabilities with an axis for each entry.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from noiseless.errors import RequestError
from noiseless.exact import Nats, ball, ball_above, ball_below
from noiseless.theory.differential.closeness import distribution
from noiseless.theory.differential.database import AnyArray, Database
from noiseless.theory.differential.guarantees import InformationBounds, dp_epsilon, mi_dp

_PRECISION = 128


@dataclass(frozen=True)
class Variant:
    """How private a mechanism is in the sense of one variant.

    Attributes:
        epsilon: the smallest epsilon of the definition by likelihood ratios, exactly; it may be infinite.
        information: the smallest epsilon of its counterpart by mutual information.
    """

    epsilon: Nats
    information: InformationBounds


def personalised(database: Database) -> tuple[Variant, ...]:
    """A guarantee for each entry: (55) and (56) of [P5].

    >>> first_only = Database.of([[[0.75, 0.25]] * 2, [[0.25, 0.75]] * 2])
    >>> [entry.epsilon for entry in personalised(first_only)]
    [Nats(3), Nats(1)]
    """
    return tuple(
        Variant(dp_epsilon(database, entry=i), mi_dp(database, entry=i)) for i in range(database.entries)
    )


def free_lunch(database: Database) -> Variant:
    """Any two databases at all: (57), and sup I(X^n;Y) over all priors: (58) of [P5]."""
    whole = database.flattened()
    return Variant(dp_epsilon(whole), mi_dp(whole))


def bayesian(database: Database, prior: npt.ArrayLike | Sequence[Any]) -> Variant:
    """The largest over i and known sets I of other entries: (60), and I(X_i;Y|X_I): (61) of [P5].

    Values that the prior excludes are not compared.
    """
    weights = _joint(database, prior)
    found = [_view(weights, i, known) for i in range(database.entries) for known in _subsets(database, i)]
    return Variant(
        max(variant.epsilon for variant in found),
        InformationBounds(
            max(variant.information.lower_nats for variant in found),
            max(variant.information.upper_nats for variant in found),
        ),
    )


def adversarial(database: Database, prior: npt.ArrayLike | Sequence[Any]) -> Variant:
    """The most that an output raises the probability of a database: (64), and I(X^n;Y): (65) of [P5]."""
    weights = _joint(database, prior)
    rows = weights.reshape(-1, database.outputs)
    rows = rows[[any(row) for row in rows]]
    outputs, databases = rows.sum(axis=0), rows.sum(axis=1)
    ratio = max(weight / (databases[x] * outputs[y]) for (x, y), weight in np.ndenumerate(rows) if weight > 0)
    return Variant(Nats(ratio), _information([rows]))


def _joint(database: Database, prior: npt.ArrayLike | Sequence[Any]) -> AnyArray:
    """P(x_1..x_n, y) in fractions."""
    given = np.asarray(prior, object)
    if given.shape != database.sizes:
        raise RequestError(
            f"the prior has the shape {given.shape}; give a probability for each database, {database.sizes}"
        )
    exact = np.array(distribution(given.ravel().tolist()), object).reshape(*database.sizes, 1)
    rows = np.empty(database.given.shape, object)
    for place in np.ndindex(*database.sizes):
        rows[place] = database.row(*place)
    return exact * rows


def _subsets(database: Database, entry: int) -> Iterator[Sequence[int]]:
    others = [j for j in range(database.entries) if j != entry]
    return itertools.chain.from_iterable(itertools.combinations(others, r) for r in range(len(others) + 1))


def _view(weights: AnyArray, entry: int, known: Sequence[int]) -> Variant:
    """What somebody who knows some entries is told about another one."""
    unknown = tuple(j for j in range(weights.ndim - 1) if j != entry and j not in known)
    seen = weights.sum(axis=unknown) if unknown else weights
    axis = sum(j < entry for j in known)
    tables = np.moveaxis(seen, axis, -2).reshape(-1, seen.shape[axis], seen.shape[-1])
    possible = [np.array([row for row in table if any(row)], object) for table in tables]
    possible = [table for table in possible if len(table)]
    return Variant(max(map(_largest_ratio, possible)), _information(possible))


def _largest_ratio(table: AnyArray) -> Nats:
    """The largest P(y|x) / P(y|x') of the rows of a joint distribution."""
    rows = table / table.sum(axis=1, keepdims=True)
    ratios = (_ratio(max(column), min(column)) for column in rows.T if any(column))
    return max(ratios)


def _ratio(most: Fraction, least: Fraction) -> Nats:
    return Nats(most / least) if least else Nats(float("inf"))


def _information(tables: Sequence[AnyArray]) -> InformationBounds:
    """I(X;Y|A) of joint distributions that sum to 1 together, one for each a."""
    from flint import arb, ctx

    terms: list[Any] = []
    with ctx.workprec(_PRECISION):
        for table in tables:
            total, inputs, outputs = table.sum(), table.sum(axis=1), table.sum(axis=0)
            for (x, y), weight in np.ndenumerate(table):
                ratio = weight * total / (inputs[x] * outputs[y]) if weight else Fraction(1)
                if ratio != 1:
                    terms.append(ball(weight) * ball(ratio).log())
        value = sum(terms, arb(0))
        return InformationBounds(max(0.0, ball_below(value)), max(0.0, ball_above(value)))
