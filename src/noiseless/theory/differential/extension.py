"""A guarantee extended: to groups of entries, to several answers, to the variants of section 6 of [P5]."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from noiseless.errors import RequestError
from noiseless.exact import Nats, round_up
from noiseless.theory.differential import conversion_bounds
from noiseless.theory.differential.composition import checked_members, group_delta, group_epsilon
from noiseless.theory.differential.conversion import (
    Conversion,
    Guarantee,
    GuaranteeKind,
    converted,
    in_bits,
    information,
    quality,
    read_guarantee,
    read_kind,
    shown_number,
)
from noiseless.theory.differential.parameters import Delta, Epsilon, in_nats, read_epsilon, upper_delta

VariantName = Literal["personalised", "free-lunch", "bayesian"]

_MOST = 10**6
"""Larger groups, and more answers, are a slip of the pen."""

_SCOPES = {
    "personalised": "of the entry that has this guarantee (personalised)",
    "free-lunch": "of the whole database, any two databases being compared (free-lunch)",
    "bayesian": "for that prior, whichever other entries are known (Bayesian)",
}


@dataclass(frozen=True)
class Extension:
    """To whom, and to how many answers, a guarantee is extended.

    Attributes:
        members: how many entries are protected together.
        times: how many answers there are.
        variant: what kind of guarantee it is, if no ordinary one.
    """

    members: int = 1
    times: int = 1
    variant: VariantName | None = None

    def check(self, *, as_printed: bool) -> None:
        """Refuse what does not follow.

        Raises:
            RequestError: there is no such variant, or it does not extend so.
        """
        checked_members(self.members)
        if not isinstance(self.times, int) or self.times < 1:
            raise RequestError("there is at least one answer; give a whole number of times from 1 on")
        if max(self.members, self.times) > _MOST:
            raise RequestError(f"groups and answers are at most {_MOST:,}")
        if self.variant is not None and self.variant not in _SCOPES:
            raise RequestError(f"{self.variant!r} is no variant; take one of {', '.join(_SCOPES)}")
        if self.variant is not None and self.members > 1:
            raise RequestError(f"a {self.variant} guarantee is for no groups; leave members out")
        if self.variant == "bayesian" and self.times > 1:
            raise RequestError(
                "Bayesian guarantees do not add up: answers have unknown entries in common; leave times out"
            )
        if as_printed and (self.members > 1 or self.times > 1):
            raise RequestError("groups and several answers are not as printed; leave as_printed out")

    def worded(self, given: Guarantee, each: Guarantee, found: Conversion, kind: GuaranteeKind) -> Conversion:
        """The same with a sentence that says so; what is not known to be best is not called so."""
        tight = found.tight and self.members == self.times == 1 and self.variant != "bayesian"
        text = (
            found.statement if tight else found.statement.replace(quality(tight=True), quality(tight=False))
        )
        of_each = str(given) if self.members == 1 else _text(each)
        if self.members > 1:
            text = f"{given} of one entry is {of_each} of groups of {self.members}"
            said = _said(found, kind)
            if self.times == 1 and not said.startswith(of_each):
                text += f", which implies {said}" if found.follows else f"; {said} follows"
            text += "."
        if self.times > 1:
            prefix = f"{text} " if self.members > 1 else ""
            text = f"{prefix}{self.times} answers, each {of_each} with noise of its own, are together "
            text += f"{_said(found, kind)}." if found.follows else "without a finite guarantee of that kind."
        if self.variant is not None:
            text = f"{text} It holds {_SCOPES[self.variant]}."
        return replace(found, statement=text, tight=tight)


def convert(
    source: GuaranteeKind | str,
    target: GuaranteeKind | str,
    *,
    epsilon: Epsilon | None = None,
    delta: Delta | None = None,
    inputs: int | None = None,
    outputs: int | None = None,
    target_epsilon: Epsilon | None = None,
    as_printed: bool = False,
    members: int = 1,
    times: int = 1,
    variant: VariantName | None = None,
) -> Conversion:
    """Translate a privacy guarantee into one of another kind.

    >>> convert("dp", "mi", epsilon=1).statement
    '1-DP implies 0.123302-MI-DP (nats; 0.177887 bits), the best possible.'
    >>> convert("mi", "dp", epsilon=0.1).follows
    False
    >>> convert("dp", "mi", epsilon=1, times=3).statement
    '3 answers, each 1-DP with noise of its own, are together 0.369905-MI-DP (nats; 0.53366 bits).'

    Args:
        source: the kind of the guarantee that is given: "dp", "kl", "mi" or "delta".
        target: the kind that is wanted.
        epsilon: the epsilon that is given, in nats; "delta" has none.
        delta: the delta of "dp" (0 by default) and of "delta".
        inputs: how many values one entry can take, if that is limited; of a free-lunch guarantee, how many
            databases there are.
        outputs: how many outputs there are, if that is limited.
        target_epsilon: with the target "dp": the epsilon' of the (epsilon', delta')-DP that is wanted.
        as_printed: use the sharpest formula in the statements of [P5], instead of the sharpest known.
        members: translate it for groups of this many entries.
        times: translate it for this many answers together, each with its own noise.
        variant: the guarantee is "personalised", "free-lunch" or "bayesian" (section 6 of [P5]).

    Raises:
        RequestError: a parameter is missing, makes no sense, or does not belong to the kind.
    """
    wanted, extension = read_kind(target), Extension(members, times, variant)
    given = read_guarantee(read_kind(source), epsilon, delta, inputs, outputs)
    if target_epsilon is not None and wanted is not GuaranteeKind.dp:
        raise RequestError("a target epsilon goes with the target dp")
    extension.check(as_printed=as_printed)
    if variant == "bayesian" and given.kind is GuaranteeKind.mi is not wanted and not given.is_perfect:
        return _nothing(given, wanted)
    each = given if members == 1 else grouped(given, members)
    if times > 1:
        found = _repeated(each, wanted, target_epsilon, times)
    else:
        found = converted(each, wanted, target_epsilon, as_printed=as_printed)
    return found if extension == Extension() else extension.worded(given, each, found, wanted)


def grouped(given: Guarantee, members: int) -> Guarantee:
    """What a guarantee for one entry says of a group (Properties 7 to 9 of [P5], corrected).

    KL-DP and MI-DP have no group property of their own (Example 5 of [P5]); the (0, delta)-DP that follows
    from them has.
    """
    inputs = None
    if given.inputs is not None:
        if members * given.inputs.bit_length() > _MOST:
            raise RequestError("such a group has too many values to count; leave inputs out")
        inputs = given.inputs**members
    if given.kind is GuaranteeKind.dp:
        epsilon = group_epsilon(given.epsilon, members)
        delta = group_delta(given.epsilon, given.delta, members)
        return Guarantee(given.kind, epsilon, delta, inputs, given.outputs)
    single = given.delta
    if given.kind is GuaranteeKind.kl:
        single = conversion_bounds.kl_to_delta(given.epsilon)
    elif given.kind is GuaranteeKind.mi:
        single = conversion_bounds.mi_to_delta(given.epsilon)
    return Guarantee(GuaranteeKind.delta, 0, group_delta(0, single, members), inputs, given.outputs)


def _repeated(each: Guarantee, wanted: GuaranteeKind, target: Epsilon | None, times: int) -> Conversion:
    """This many answers together, each with the guarantee given those before it.

    Divergences and informations add up by the chain rule, epsilons and deltas by basic composition; of
    several deltas that hold the smallest is taken.
    """
    if target is not None or wanted is GuaranteeKind.delta:
        return _repeated_delta(each, wanted, target, times)
    found = converted(each, wanted, None, as_printed=False)
    epsilon = None if found.epsilon is None else _times(found.epsilon, times)
    delta = None if found.delta is None else min(_times(found.delta, times), 1.0)
    return replace(found, epsilon=epsilon, delta=delta)


def _repeated_delta(each: Guarantee, wanted: GuaranteeKind, target: Epsilon | None, times: int) -> Conversion:
    goal: Epsilon = 0 if target is None else target
    share = _shared(goal, times)
    found = converted(each, wanted, None if target is None else share, as_printed=False)
    deltas = [1.0, _times(found.delta or 0.0, times)]  # each is (share, delta)-DP
    if each.kind in (GuaranteeKind.dp, GuaranteeKind.delta):
        lost = min(_times(round_up(upper_delta(each.delta)), times), 1.0)
        deltas.append(conversion_bounds.dp_to_dp(group_epsilon(each.epsilon, times), lost, target=goal))
    told = _times(information(each)[0], times)
    deltas.append(conversion_bounds.mi_to_delta(told))  # of (0, delta)-DP, which holds for any epsilon
    return replace(found, epsilon=None if target is None else in_nats(goal), delta=min(deltas))


def _shared(epsilon: Epsilon, times: int) -> Epsilon:
    """The part of an epsilon that each of several answers may have."""
    exact = read_epsilon(epsilon, "target epsilon")
    if exact is None:
        raise RequestError("a target epsilon is finite")
    return (Fraction(exact.lower) if isinstance(exact, Nats) else exact) / times


def _times(number: float, times: int) -> float:
    return number if math.isinf(number) else round_up(Fraction(number) * times)


def _text(guarantee: Guarantee) -> str:
    """A guarantee that was worked out, rounded up."""
    epsilon, delta = in_nats(guarantee.epsilon), round_up(upper_delta(guarantee.delta))
    if guarantee.kind is GuaranteeKind.delta or delta > 0:
        return f"({shown_number(epsilon)}, {shown_number(delta)})-DP"
    return f"{shown_number(epsilon)}-DP"


def _said(found: Conversion, kind: GuaranteeKind) -> str:
    """What follows, in a few words."""
    if not found.follows:
        return f"no finite {'epsilon' if kind is GuaranteeKind.dp else kind.upper()}-DP"
    epsilon = found.epsilon or 0.0
    if found.delta is not None and (found.delta > 0 or kind is GuaranteeKind.delta):
        return f"({shown_number(epsilon)}, {shown_number(found.delta)})-DP"
    if kind is GuaranteeKind.dp:
        return f"{shown_number(epsilon)}-DP"
    bits = f"; {shown_number(in_bits(epsilon))} bits" if kind is GuaranteeKind.mi else ""
    return f"{shown_number(epsilon)}-{kind.upper()}-DP (nats{bits})"


def _nothing(given: Guarantee, wanted: GuaranteeKind) -> Conversion:
    """Of a fixed prior, information bounds no closeness: what the prior makes unlikely weighs nothing."""
    text = f"Nothing follows from {given} for one prior: values that it makes unlikely may be told apart."
    if wanted is GuaranteeKind.delta:
        return Conversion(None, 1.0, "probability", text, tight=True)
    return Conversion(math.inf, None, "nats", text, tight=True)
