"""What follows from earlier answers: linear relations among counts and sums, over values and people.

Of exact answers an answer follows; with answers in cells, an interval. Whether it does, and how wide that is,
is decided from the forms of the questions that were charged for and their cells, never from their answers;
docs/prices.md proves that it then tells nothing new. Questions are found by keys, a few for each question
that is asked: how many were asked before makes little difference.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from math import ceil, floor

from noiseless.curator.disclosure import (
    CellDisclosure,
    CountsDisclosure,
    Disclosure,
    Participants,
    StoredAnswer,
)
from noiseless.curator.elimination import Number, combinations
from noiseless.curator.exact_answers import ExactAnswer, place_key, places_of
from noiseless.curator.fingerprints import column_key
from noiseless.curator.linear_forms import LinearForms
from noiseless.curator.step_functions import Place, columns_of
from noiseless.intervals import AnswerInterval
from noiseless.ledger import Books, ChargedQuestion
from noiseless.questions import Lattice
from noiseless.work import Work, WorkError, spend

_KEY_STEPS = 4
"""What it takes to look a key up."""
_MOST_STEPS = 4_000_000
"""What may be taken to find what follows for a batch: it has an allowance of its own, so that what was asked
before never makes a price impossible."""
_FEWER_STEPS = 250_000
"""What may be taken to find intervals, which are only offered beside a price."""
_MOST_PLACES = 128
"""Under this many places of a function questions are looked up."""
_FEW_FOUND, _FEW_BRANCHES = 12, 8
"""From questions that were found it goes on to more, while these are few or lead to few new places."""


@dataclass(frozen=True)
class Derivation:
    """How an answer follows.

    Attributes:
        premises: the questions it follows from.
        compute: the answer, given theirs.
        error: how far the middle of what follows can be from the truth.
    """

    premises: tuple[ChargedQuestion, ...]
    compute: Callable[[], StoredAnswer] = field(compare=False, repr=False)
    error: Fraction = Fraction(0)

    @property
    def answer(self) -> StoredAnswer | None:
        """The answer; None where one of theirs was never stored."""
        return None if any(told.answer is None for told in self.premises) else self.compute()


@dataclass(frozen=True, eq=False)
class _Told:
    """Numbers that were told of some people."""

    people: Participants
    exact: ExactAnswer
    question: ChargedQuestion

    def values(self) -> list[Number]:
        return [] if self.question.answer is None else self.exact.numbers(self.question.answer)

    def intervals(self) -> list[AnswerInterval]:
        return [] if self.question.answer is None else self.exact.intervals(self.question.answer)


class Deduction:
    """What follows from the questions in the books: answers, or intervals.

    Intervals follow from answers in cells too. These are found by keys of their own, so that what follows
    exactly, and with it every charge, is the same whether they are there or not.
    """

    def __init__(self, books: Books, *, in_cells: bool = False) -> None:
        self._books, self._in_cells = books, in_cells
        self._rows: dict[str, list[ChargedQuestion]] = {}
        self._is_empty = True
        self._work = Work(_FEWER_STEPS if in_cells else _MOST_STEPS)

    def keys(self, disclosures: Iterable[Disclosure]) -> set[str]:
        """What to look up first: without any of it nothing follows."""
        found: set[str] = set()
        with self._work.counted(), suppress(WorkError):
            for disclosure in disclosures:
                asked = _Asked.of(disclosure, self._in_cells)
                if asked is not None:
                    own = list(chain.from_iterable(asked.probes()))
                    spend(_KEY_STEPS * len(own))
                    found.update(own)
        return found

    def learn(self, keys: Iterable[str], rows: Iterable[ChargedQuestion]) -> None:
        """What was found by some keys."""
        for key in keys:
            self._rows.setdefault(key, [])
        for told in rows:
            for found in {told.grid, told.people}:
                if found in self._rows:
                    self._rows[found].append(told)
                    self._is_empty = False

    def derivation(self, disclosure: Disclosure) -> Derivation | None:
        """How its answer follows from earlier ones; None if that is not found within the allowance."""
        with self._work.counted(), suppress(WorkError):
            return self._derivation(disclosure)
        return None

    def _derivation(self, disclosure: Disclosure) -> Derivation | None:
        asked = _Asked.of(disclosure, self._in_cells)
        if asked is None:
            return None
        public = _derived(asked, []) if asked.may_be_public else None
        if public is not None or self._is_empty or not any(map(self._any, asked.probes())):
            return public
        looked_at: dict[str, Participants] = {}
        known: dict[str, _Told] = {}
        for several in self._circles(asked):
            looked_at |= {people.name: people for people in several}
            if self._gather(asked, looked_at, known):
                found = _derived(asked, list(known.values()))
                if found is not None:
                    return found
        return None

    def counted(self, disclosure: Disclosure) -> list[ChargedQuestion]:
        """Counts of the same people and column: a person's block is known of each."""
        is_counted = isinstance(disclosure, CountsDisclosure)
        with self._work.counted(), suppress(WorkError):
            asked = _Asked.of(disclosure) if is_counted else None
            found = [] if asked is None else self._found(asked.keys_of(asked.people))
            return [told for told in found if disclosure.counts_alike(told)]
        return []

    # Whose answers are looked at

    def _circles(self, asked: "_Asked") -> Iterator[list[Participants]]:
        """These people; also the groups that they consist of; also larger groups, and who else is in them."""
        people, kin = asked.people, asked.people.kin
        yield [people]
        for split in kin.splits(people):
            if self._any(asked.first_keys(split.first)):
                spend(_KEY_STEPS * len(split.parts))
                yield split.parts
        for whole in kin.wholes(people):
            if not self._any(asked.first_keys(whole.people)):
                continue
            yield [whole.people, whole.rest]
            first = whole.another
            if first is not None and self._any(asked.first_keys(first)):
                spend(_KEY_STEPS * len(whole.others))
                yield whole.others

    # What they were asked

    def _gather(self, asked: "_Asked", several: Mapping[str, Participants], known: dict[str, _Told]) -> bool:
        """Look for questions about some people, from those that were found to more; whether there are any."""
        before, seen, columns = len(known), set(asked.places), set(asked.columns)
        keys = {key: people for people in several.values() for key in asked.keys_of(people)}
        while keys:
            self._fetch(keys)
            found = list[ExactAnswer]()
            for key, people in keys.items():
                for told in self._rows[key]:
                    answers = people.kin.answers
                    is_new = told.question not in known
                    exact = answers.told(told, people, in_cells=self._in_cells) if is_new else None
                    if exact is not None:
                        known[told.question] = _Told(people, exact, told)
                        found.append(exact)
            functions = [function for exact in found for function in exact.functions]
            fresh = [place for place in places_of(functions, asked.public) if place not in seen]
            others = set(columns_of(functions)) - columns - set(asked.public)
            is_wide = len(fresh) > _FEW_BRANCHES and len(known) - before > _FEW_FOUND
            if is_wide or len(seen) > _MOST_PLACES:
                break
            seen.update(fresh)
            columns |= others
            keys = {key: people for people in several.values() for key in asked.keys(people, others, fresh)}
        return len(known) > before

    def _fetch(self, keys: Iterable[str]) -> None:
        missing = [key for key in dict.fromkeys(keys) if key not in self._rows]
        if missing:
            spend(_KEY_STEPS * len(missing))
            self.learn(missing, self._books.told(grids=missing, people=missing))

    def _found(self, keys: Sequence[str]) -> list[ChargedQuestion]:
        self._fetch(keys)
        return list({told.question: told for key in keys for told in self._rows[key]}.values())

    def _any(self, keys: Sequence[str]) -> bool:
        self._fetch(keys)
        return any(self._rows[key] for key in keys)


@dataclass(frozen=True, eq=False)
class _Asked:
    """An answer that is asked for, and what it may follow from is found by."""

    disclosure: Disclosure
    exact: ExactAnswer
    public: Sequence[str]
    places: list[Place]
    columns: list[str]
    in_cells: bool

    @classmethod
    def of(cls, disclosure: Disclosure, in_cells: bool = False) -> "_Asked | None":
        answers = disclosure.people.kin.answers
        exact = answers.asked(disclosure)
        if exact is None:
            return None
        public = answers.public.schema.public
        columns = [name for name in columns_of(exact.functions) if name not in public]
        return cls(disclosure, exact, public, places_of(exact.functions, public), columns, in_cells)

    @property
    def people(self) -> Participants:
        return self.disclosure.people

    @property
    def may_be_public(self) -> bool:
        """Whether it depends on no private column, or on public ones too: of some people it may not."""
        return not self.places or any(name in self.public for name in columns_of(self.exact.functions))

    @property
    def version(self) -> int:
        return self.disclosure.version

    def first_keys(self, people: Participants) -> list[str]:
        """Where to look first: what these people were asked that has the first place."""
        places = self.places[:1]
        if people is self.people:
            places = list(dict.fromkeys([*places, *self.places[-1:]]))
        return self.keys(people, self.columns, places)

    def keys_of(self, people: Participants) -> list[str]:
        """Where to look for what these people were asked."""
        return self.keys(people, self.columns, self.places[:_MOST_PLACES])

    def keys(self, people: Participants, columns: Iterable[str], places: Iterable[Place]) -> list[str]:
        """Where questions about these people are that have to do with columns or places."""
        found = [column_key(self.version, column, people.name) for column in columns]
        for place in places:
            found.append(place_key(self.version, place, people.name))
            if self.in_cells:
                found.append(place_key(self.version, place, people.name, in_cells=True))
        return found

    def probes(self) -> Iterator[list[str]]:
        """Without a question with any of these keys nothing follows."""
        people, kin = self.people, self.people.kin
        yield self.first_keys(people)
        for split in kin.splits(people):
            yield self.first_keys(split.first)
        for whole in kin.wholes(people):
            yield self.first_keys(whole.people)


def _derived(asked: _Asked, known: Sequence[_Told]) -> Derivation | None:
    """How what is asked for is a combination of known numbers."""
    known = sorted(
        known, key=lambda one: one.exact.error
    )  # the sharpest ones first, of several that would do
    sums = [(one.people, one.exact.functions) for one in known]
    (wanted, constants), *found = LinearForms(
        asked.people.kin.answers.public, [(asked.people, asked.exact.functions), *sums]
    )
    sources = [(one, place) for one in known for place in range(len(one.exact.functions))]
    added = [constant for _, own in found for constant in own]
    ways = combinations(wanted, [form for own, _ in found for form in own])
    if ways is None:
        return None
    used = {number for way in ways for number in way}
    premises = {sources[number][0].question.question: sources[number][0] for number in sorted(used)}
    if asked.in_cells:
        terms = [_Term(Fraction(times), *sources[number], added[number]) for number, times in ways[0].items()]
        return _enclosed(asked, terms, Fraction(constants[0]))

    def compute() -> StoredAnswer:
        told = {question: one.values() for question, one in premises.items()}
        values = {number: told[sources[number][0].question.question][sources[number][1]] for number in used}
        return asked.exact.answer(
            asked.disclosure,
            [
                constant + sum(times * (values[number] - added[number]) for number, times in way.items())
                for way, constant in zip(ways, constants, strict=True)
            ],
        )

    return Derivation(tuple(one.question for one in premises.values()), compute)


@dataclass(frozen=True)
class _Term:
    """A multiple of a number that was told, less what is public of it."""

    times: Fraction
    told: _Told
    place: int
    added: Number

    @property
    def value(self) -> AnswerInterval:
        return AnswerInterval.of(self.times) * (
            self.told.intervals()[self.place] + AnswerInterval.of(-self.added)
        )


def _enclosed(asked: _Asked, terms: Sequence[_Term], constant: Fraction) -> Derivation | None:
    """The interval that a sum lies in for certain; None where that is no narrower than all it can be."""
    if not isinstance(asked.disclosure, CellDisclosure):
        return None
    span = asked.disclosure.mechanism.query.span
    width = 2 * sum(abs(term.times) * term.told.exact.error for term in terms)
    if not isinstance(span, Lattice) or width >= span.width:
        return None

    def compute() -> StoredAnswer:
        found = sum((term.value for term in terms), AnswerInterval.of(constant))
        low, high = ((Fraction(end) - span.low) / span.step for end in (found.lower, found.upper))
        return {"cell": 0, "within": (span.value(max(ceil(low), 0)), span.value(min(floor(high), span.last)))}

    premises = {term.told.question.question: term.told.question for term in terms}
    return Derivation(tuple(premises.values()), compute, floor(width / span.step) * span.step / 2)
