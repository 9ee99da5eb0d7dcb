from fractions import Fraction

from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.theory.stochastic import (
    JointDistribution,
    common_information,
    conditional_shannon_entropy,
    maximin_prior,
    mutual_information,
    shannon_entropy,
)

# The classic example of Cover and Thomas: H(X) = 7/4, H(X|Y) = 11/8, H(Y|X) = 13/8, I = 3/8.
CLASSIC = JointDistribution.from_matrix(
    [
        [1 / 8, 1 / 16, 1 / 16, 1 / 4],
        [1 / 16, 1 / 8, 1 / 16, 0],
        [1 / 32, 1 / 32, 1 / 16, 0],
        [1 / 32, 1 / 32, 1 / 16, 0],
    ]
)


def test_dyadic_distributions_are_exact_to_the_last_digit() -> None:
    assert shannon_entropy(CLASSIC).lower == shannon_entropy(CLASSIC).upper == 7 / 4
    assert conditional_shannon_entropy(CLASSIC).upper == 11 / 8
    assert conditional_shannon_entropy(CLASSIC.swapped()).upper == 13 / 8
    assert mutual_information(CLASSIC).lower == mutual_information(CLASSIC).upper == 3 / 8


def test_uniform_entropy_is_exact() -> None:
    assert shannon_entropy(JointDistribution.from_counts([0, 1, 2], [0, 0, 0])).exact == Bits(3)


def test_a_function_of_x_tells_its_own_entropy() -> None:
    joint = JointDistribution.from_counts([0, 1, 2], [0, 1, 0])
    assert mutual_information(joint) == shannon_entropy(joint.swapped())
    assert mutual_information(joint.swapped()) == shannon_entropy(joint.swapped())
    assert conditional_shannon_entropy(joint.swapped()).exact == Bits(1)


def test_conditional_information() -> None:
    # Y = X xor A with fair bits: nothing without A, everything with it.
    joint = JointDistribution.from_counts(
        [0, 0, 1, 1], [0, 1, 2, 3]
    )  # y = (x xor a, a): 0 = (0,0), 1 = (1,1) ...
    assert mutual_information(joint).exact == Bits(2)
    assert mutual_information(joint, [0, 1, 0, 1]).upper == 1
    assert mutual_information(joint.merged([0, 1, 1, 0])).exact == Bits(1)


def test_common_information_of_unequal_blocks() -> None:
    joint = JointDistribution.from_counts([0, 0, 1, 2], [0, 1, 1, 2], [1, 1, 1, 1])
    assert abs(common_information(joint).upper - 0.8112781244591328) < 1e-15
    assert common_information(joint.merged([0, 0, 0])).exact == Bits(1)


def test_the_prior_that_makes_common_information_largest() -> None:
    joint = JointRange.from_pairs([(0, "a"), (1, "a"), (2, "b"), (2, "c")])
    prior = maximin_prior(joint)
    assert prior == (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
    assert common_information(JointDistribution.uniform(joint).with_prior(prior)).exact == Bits(2)
