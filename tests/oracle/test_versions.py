"""A curator over several versions, against the definition: what one person can cause in all of them."""

import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from pathlib import Path
from random import Random

import pytest

import noiseless as nl
from noiseless.curator.snapshot import Snapshot
from noiseless.domain import Schema
from noiseless.errors import NoiselessError
from noiseless.ledger import Ledger, Shares, Version
from noiseless.ledger.books import OpenBooks
from noiseless.replies import Reply
from noiseless.tables.base import Table
from oracle.versions import NUMBERS, Edition, Node, Question, Row, Transcript, World, world
from soaking import seeds

SCENARIOS = seeds(1)
"""So many scenarios a test."""


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder in memory where there is one, with an empty ledger."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        Ledger.open(Path(name) / "empty.db").close()
        yield Path(name)


KNOWN: dict[tuple[bytes, str], Snapshot] = {}
"""Tables that were read before, by their content and what is declared of their columns."""


@pytest.fixture
def quick(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same; a table that was read before is not read again: thousands of histories share a few."""
    read = Snapshot.take

    def take(table: Table, schema: Schema, unit: str | None = None) -> Snapshot:
        declared = (folder / "t.toml").read_text()
        key = (folder / "t.csv").read_bytes(), declared.partition("[columns")[2]
        if key not in KNOWN:
            KNOWN[key] = read(table, schema, unit)
        return KNOWN[key]

    monkeypatch.setattr(Snapshot, "take", take)
    return folder


def check(editions: Sequence[Edition], nodes: Sequence[Node]) -> list[tuple[int, Fraction]]:
    """No more transcripts than are stated; how many there are, and what share of the bound they use up.

    Each transcript weighs 1 / (the outputs that the person paid for on that way). Prices are fixed before
    answers are seen, so the weights of all transcripts that one person can cause never exceed 1. When the
    source was found changed is taken to be known: histories are told apart by it.
    """
    groups: dict[object, list[Node]] = defaultdict(list)
    for node in nodes:
        depth = len(node.history)
        start = max(number for number in range(depth) if number == 0 or editions[number].anew)
        groups[depth, start, node.history[:start], node.changes].append(node)
    found = []
    for (depth, start, *_), members in groups.items():  # type: ignore[misc]
        segment = editions[start:depth]
        transcripts = {node.transcript for node in members}
        weights = {node.transcript: Fraction(1, node.account) for node in members}
        assert sum(weights.values()) <= 1
        assert len(transcripts) <= max(node.stated for node in members)
        most = max(each.budget for each in segment)
        assert len(transcripts) <= most
        if all(
            prod(each.record for each in segment[: number + 1]) > segment[number].budget
            for number in range(len(segment))
        ):
            assert max(node.stated for node in members) <= most
        public_prices_are_public(members)
        found.append((len(transcripts), sum(weights.values(), Fraction(0))))
    return found


def public_prices_are_public(nodes: Sequence[Node]) -> None:
    """What is asked, what it costs and whether it is refused follows from what was told before."""
    next_ones: dict[Transcript, set[str]] = defaultdict(set)
    for node in nodes:
        for place, said in enumerate(node.transcript):
            told = said.startswith("told")
            next_ones[node.transcript[:place]].add("told" if told else said)
    assert all(len(said) == 1 for said in next_ones.values())


@pytest.mark.parametrize("seed", range(12))
def test_over_all_versions_no_person_causes_more_than_is_stated(seed: int, quick: Path) -> None:
    """Whatever a person's values are in each version: at most as many transcripts as outputs are paid for."""
    for number in SCENARIOS:
        played = world(f"{seed} {number}", quick)
        check(played.editions, played.nodes())


@pytest.mark.parametrize("seed", range(3))
def test_the_same_when_every_table_is_read_again(seed: int, folder: Path) -> None:
    played = world(f"read {seed}", folder)
    check(played.editions, played.nodes())


@pytest.mark.parametrize("seed", range(6))
def test_whoever_starts_anew_has_paid_nothing(seed: int, quick: Path) -> None:
    """Without carry-over the bound holds for the people of that version and of those after it."""
    for number in SCENARIOS:
        played = world(f"anew {seed} {number}", quick)
        anew = 1 + (seed + number) % (len(played.editions) - 1)
        played.editions[anew] = replace(played.editions[anew], anew=True, early=False)
        nodes = played.nodes()
        check(played.editions, nodes)
        for node in nodes:
            if len(node.history) == anew + 1 and node.fresh:
                assert node.arrived == 1


@pytest.mark.parametrize("seed", range(6))
def test_a_new_version_is_priced_and_answered_as_if_nothing_had_been_asked_before(
    seed: int, quick: Path
) -> None:
    """No answer of an earlier version is used again, and none makes a question free."""
    random = Random(f"fresh {seed}")
    for number in SCENARIOS:
        played = world(f"fresh {seed} {number}", quick)
        played.adaptive = "the same"
        played.editions = [replace(edition, bits="60", early=False) for edition in played.editions]
        node = played.start
        for place, edition in enumerate(played.editions):
            before, mine = node, random.choice(list(edition.possible()))
            node = played.play(place, before, mine)
            alone = replace(played, editions=[edition]).play(0, played.start, mine)
            if node.fresh:
                assert told(node.transcript[len(before.transcript) :]) == told(alone.transcript)
                assert node.account == node.arrived * alone.account


def told(transcript: Transcript) -> list[str]:
    """What was asked and answered, and what each answer cost."""
    return [said.partition("'batch_bits'")[0] for said in transcript if not said.startswith("version")]


# The oracle can fail: curators that are wrong are found out


SIMPLE = Edition(
    low=0,
    values=2,
    second=False,
    bits="1",
    query_bits=1,
    min_group=1,
    several=False,
    others=(),
    towns=("a",),
    batches=1,
)
"""One person in town a, and nobody else."""


def moving(folder: Path, seed: object) -> World:
    """A person who moves from town to town."""
    others = (Row("p", "a", 1, "u"), Row("q", "b", 0, "u"))
    editions = [
        replace(SIMPLE, values=3, bits="1.5", others=others, towns=(town,), batches=2) for town in "ab"
    ]
    return World(folder, f"moving {seed}", editions, "by plan")


def found_out(folder: Path) -> bool:
    """Whether the oracle objects to one of a few worlds."""
    for number in range(5):
        played = moving(folder, number)
        try:
            check(played.editions, played.nodes())
        except AssertionError:
            return True
    return False


def test_curators_as_they_are_pass_the_worlds_of_those_that_are_wrong(quick: Path) -> None:
    assert not found_out(quick)


def test_an_account_that_starts_at_nothing_in_each_version_is_found_out(
    quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare = nl.Curator.declare_version
    monkeypatch.setattr(
        nl.Curator, "declare_version", lambda curator, carry_over: declare(curator, carry_over=not carry_over)
    )
    assert found_out(quick)


def test_an_account_that_does_not_move_with_the_people_is_found_out(
    quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each public cell goes on with what it paid itself, though somebody came from a cell that paid more."""
    declare = nl.Curator.declare_version

    def cell_by_cell(curator: nl.Curator, *, carry_over: bool) -> Version:
        paid = curator.state
        assert carry_over
        version = declare(curator, carry_over=False)
        if version.is_new:
            curator.ledger.settle("t", lambda books: books.charge(Shares(paid.others, dict(paid.cells))))
        return version

    monkeypatch.setattr(nl.Curator, "declare_version", cell_by_cell)
    assert found_out(quick)


def test_answers_that_are_used_again_are_found_out(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer to a text, in whatever version, stands for ever."""
    answer = nl.Curator.ask
    first: dict[object, Reply] = {}

    def remember(curator: nl.Curator, *texts: str) -> Reply:
        reply = answer(curator, *texts)
        return replace(reply, results=first.setdefault(texts, reply).results)

    monkeypatch.setattr(nl.Curator, "ask", remember)
    assert found_out(quick)


def test_a_refusal_that_depends_on_private_values_is_found_out(
    quick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = nl.Curator.ask

    def secretive(curator: nl.Curator, *texts: str) -> Reply:
        if "a,2" in (quick / "t.csv").read_text():
            raise NoiselessError("not today")
        return answer(curator, *texts)

    monkeypatch.setattr(nl.Curator, "ask", secretive)
    assert found_out(quick)


# Adversaries with a plan

COUNTED: dict[str, Callable[[Row], bool]] = {
    "x > 1": lambda row: row.x > 1,
    "x = 0": lambda row: row.x == 0,
    "x = 1": lambda row: row.x == 1,
    "x = 2": lambda row: row.x == 2,
}


def count(condition: str) -> str:
    return f"SELECT COUNT(*) FROM t WHERE {condition}"


@dataclass
class Scripted(World):
    """Asks one statement a batch, chosen by the version, the step and what was told."""

    script: Callable[[int, int, Transcript], str]

    def batch(self, number: int, step: int, transcript: Transcript, _: Edition) -> list[Question]:
        sql = self.script(number, step, transcript)
        passes = COUNTED[sql.rpartition("WHERE ")[2]]
        return [Question(sql, passes, NUMBERS["COUNT(*)"], 0)]

    def transcripts(self) -> int:
        """How many different things one person can make the whole session be."""
        nodes = self.nodes()
        return len({node.transcript for node in nodes if len(node.history) == len(self.editions)})


def one_by_one(number: int, step: int, transcript: Transcript) -> str:
    """Is it 0? Is it 1? Is it 2? Once that is known, nothing new; in the next version all over again."""
    found = next(
        (x for x in range(3) if any(f"x = {x}" in said and "'value': 1.0" in said for said in transcript)), 3
    )
    return count(f"x = {step if number else min(step, found)}")


def test_a_budget_as_large_as_one_record_bounds_all_versions_together(quick: Path) -> None:
    """The first version tells everything; whoever paid little for that has no more left than others."""
    editions = [
        replace(SIMPLE, values=4, bits="2", batches=3),
        replace(SIMPLE, values=4, bits="2", batches=3, towns=("b",)),
    ]
    assert Scripted(quick, "", editions, "", one_by_one).transcripts() <= 4


def test_that_nothing_changed_is_not_told(quick: Path) -> None:
    """A declared version is a new one, also if its data are those of the last one."""
    editions = [replace(SIMPLE, values=2, bits="1")] * 2
    assert Scripted(quick, "", editions, "", lambda *_: count("x = 1")).transcripts() <= 2


def test_a_source_that_changed_and_is_not_declared_tells_that_it_changed(quick: Path) -> None:
    """The one thing that is told free of charge, as the documentation says: when the source changes."""
    editions = [
        replace(SIMPLE, values=2, bits="1", batches=0),
        replace(SIMPLE, values=2, bits="1", batches=0, early=True),
    ]
    assert Scripted(quick, "", editions, "", lambda *_: count("x = 1")).transcripts() == 3


def test_answers_of_the_first_version_stay_behind_when_its_data_come_back(folder: Path) -> None:
    edition = replace(SIMPLE, values=128, bits="4")
    played = Scripted(folder, "back", [edition] * 3, "", lambda *_: count("x > 1"))
    node = played.start
    for number, value in enumerate((0, 3, 0)):
        node = played.play(number, node, (Row("me", "a", value, "u"),))
        assert node.fresh
        assert node.total == 2 ** (number + 1)
        assert f"'value': {value // 3}," in node.transcript[-1]


def test_a_curator_that_was_opened_before_a_version_was_declared_answers_about_that_version(
    folder: Path,
) -> None:
    edition = replace(SIMPLE, values=128, bits="5")
    played = World(folder, "", [edition], "")
    played.restore(played.start.books)
    played.write(edition, (Row("me", "a", 0, "u"),))
    with nl.Curator.open(folder / "t.toml") as early:
        assert early.ask(count("x > 1")).answers[0].value == 0
        played.write(edition, (Row("me", "a", 2, "u"),))
        with nl.Curator.unchecked(folder / "t.toml") as owner:
            owner.declare_version()
        assert [early.ask(count(which)).answers[0].value for which in ("x > 1", "x = 2", "x = 1")] == [
            1,
            1,
            0,
        ]
        assert early.state.total.outputs == 2**4


def test_what_was_charged_and_never_answered_is_no_free_question_of_the_next_version(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edition = replace(SIMPLE, values=128, bits="5")
    played = World(folder, "", [edition], "")
    played.restore(played.start.books)
    played.write(edition, (Row("me", "a", 0, "u"),))
    with nl.Curator.open(folder / "t.toml") as curator:
        with monkeypatch.context() as broken:
            broken.setattr(OpenBooks, "store", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                curator.ask(count("x > 1"))
        assert curator.price(count("x > 1")).batch.outputs == 1
        played.write(edition, (Row("me", "a", 2, "u"),))
        curator.declare_version()
        reply = curator.ask(count("x > 1"))
        assert reply.answers[0].value == 1
        assert (reply.batch.outputs, reply.spent.outputs) == (2, 4)
