"""Events known by a number alone: linear forms, any other answer, released tables, randomised answers."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor, isfinite, prod

from noiseless.errors import RequestError
from noiseless.exact import Bits, Rational
from noiseless.pricing.event import Cells, Event, Footprint, Key, Record


def _check_outputs(outputs: int) -> None:
    if outputs < 1:
        raise RequestError("an answer has at least one output")


@dataclass(frozen=True)
class LinearAnswer(Event):
    """A linear form of several private attributes of each person, summed up and told as an interval.

    Attributes:
        question: what is asked, cells and all; equal questions have equal answers.
        weights: the attributes and their weights in the form.
        outputs: its reach.
        covers: the public cells whose people take part.
        about: what else tells the question apart.
    """

    question: Hashable
    weights: tuple[tuple[str, Fraction], ...]
    outputs: int
    covers: Cells = None
    about: Hashable = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            RequestError: there is no output, or no weight but 0.
        """
        super().__post_init__()
        _check_outputs(self.outputs)
        if not any(weight for _, weight in self.weights):
            raise RequestError("a linear form has a weight that is not 0")

    @classmethod
    def of(
        cls, question: Hashable, weights: Mapping[str, Rational], outputs: int, covers: Cells = None
    ) -> "LinearAnswer":
        """The answer with weights by name."""
        return cls(question, tuple((n, Fraction(w)) for n, w in sorted(weights.items())), outputs, covers)

    @cached_property
    def key(self) -> Key:
        """The question and the people."""
        return Key("linear", self.question, self.weights, self.people)

    def footprint(self, record: Record) -> Footprint:
        """Parallel hyperplanes; forms that are multiples of each other are parallel."""
        weighted = [(name, weight) for name, weight in self.weights if weight]
        names = [name for name, _ in weighted]
        record.require(names)
        if record.rows > 1:
            return Footprint.opaque(names, self.outputs)
        if len(names) == 1:
            return Footprint.steps(names[0], self.outputs, 1)
        first = weighted[0][1]
        return Footprint.linear(names, self.outputs, tuple((name, w / first) for name, w in weighted))


@dataclass(frozen=True)
class OtherAnswer(Event):
    """Any deterministic answer with a known reach: COUNT DISTINCT, mode, an average with a private filter.

    Such answers obey the product alone. With several rows a person the reach is that of all rows together.

    Attributes:
        question: what is asked; equal questions have equal answers.
        attributes: the private attributes that the answer depends on.
        outputs: its reach; "no answer" is an output too.
        covers: the public cells whose people take part.
        about: what else tells the question apart.
    """

    question: Hashable
    attributes: tuple[str, ...]
    outputs: int
    covers: Cells = None
    about: Hashable = None

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            RequestError: there is no output.
        """
        super().__post_init__()
        object.__setattr__(self, "attributes", tuple(self.attributes))
        _check_outputs(self.outputs)

    @cached_property
    def key(self) -> Key:
        """The question and the people."""
        return Key(type(self).__name__, self.question, self.attributes, self.people)

    def footprint(self, record: Record) -> Footprint:
        """Any function of the attributes."""
        record.require(self.attributes)
        return Footprint.opaque(self.attributes, self.outputs)


@dataclass(frozen=True)
class TableRelease(OtherAnswer):
    """A released table: its outputs are the released tables that one person can cause.

    >>> from noiseless.exact import Bits
    >>> TableRelease.of_leakage("heart.csv", ["age"], Bits(Fraction(77, 2))).outputs
    38
    """

    @classmethod
    def of_leakage(
        cls, question: Hashable, attributes: Iterable[str], leakage: Bits, covers: Cells = None
    ) -> "TableRelease":
        """The release with a leakage L0(X_i;Y), which bounds its outputs.

        L0 = log2(values / smallest block), and of this many values no more blocks can be made.
        """
        return cls(question, tuple(attributes), floor(leakage.ratio), covers)


@dataclass(frozen=True)
class RandomisedAnswer(Event):
    """An answer with noise, by an upper bound on the capacity from one record to it.

    A ledger that holds one bounds the mutual information between a record and all answers, not the number of
    answers a person can cause. Asked again it draws new noise, so it is charged again.

    Attributes:
        question: what is asked.
        attributes: the private attributes that it depends on.
        bits: the bound: exact, or a float that was rounded up.
        covers: the public cells whose people take part.
        about: what else tells the question apart.
    """

    question: Hashable
    attributes: tuple[str, ...]
    bits: Rational | float
    covers: Cells = None
    about: Hashable = None

    def __post_init__(self) -> None:
        """Check the bound.

        Raises:
            RequestError: it is negative or not finite.
        """
        super().__post_init__()
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not isfinite(self.bits) or self.bits < 0:
            raise RequestError("a capacity is a finite number of bits, 0 or more")

    @cached_property
    def key(self) -> Key:
        """The question and the people; not used to find repeats."""
        return Key("randomised", self.question, self.attributes, self.people)

    @property
    def capacity(self) -> Fraction:
        """The bound, exactly."""
        return Fraction(self.bits)

    @property
    def repeatable(self) -> bool:
        """New noise each time."""
        return False

    def footprint(self, record: Record) -> Footprint:
        """No outputs of its own: its capacity is added."""
        record.require(self.attributes)
        return Footprint.opaque(self.attributes, 1)


@dataclass(frozen=True)
class Derived(Event):
    """What is computed from other answers alone: free beside them (Theorem 7 of [P1]).

    Attributes:
        question: what is computed.
        answers: the answers that it is computed from; they are charged if they are new.
    """

    question: Hashable
    answers: tuple[Event, ...]
    covers: Cells = None
    about: Hashable = None

    @cached_property
    def key(self) -> Key:
        """What is computed, and from what."""
        return Key("derived", self.question, tuple(answer.key for answer in self.answers))

    @property
    def sources(self) -> tuple[Event, ...]:
        """The answers behind it."""
        return tuple(source for answer in self.answers for source in answer.sources)

    def footprint(self, record: Record) -> Footprint:
        """That of any function of the answers behind it: only asked for when these are not priced."""
        found = [source.footprint(record) for source in self.sources]
        names = [name for footprint in found for name in footprint.attributes]
        return Footprint.opaque(names, prod(footprint.outputs for footprint in found))
