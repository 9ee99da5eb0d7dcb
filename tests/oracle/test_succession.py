"""Tables after tables, by the definition: all microdata that fit everything published, written down.

A population has a few categories of two or three variables. Tables follow each other; each is published with
cells withheld or rounded, and with a promise. A new one may follow if and only if every figure of every table
so far still has the values that were promised, in all populations that fit all tables together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random

from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.audit import audit_tables
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.magnitudes import ContributorAmounts
from noiseless.tabulations.promise import PublicationPromise
from noiseless.tabulations.succession import PromisedPublication, Succession, TableCheck
from noiseless.tabulations.union import PublicationPart
from noiseless.tabulations.waves import PopulationChange, Waves, linked
from oracle.tabulation_checks import learnt_by_members
from oracle.tabulation_oracle import FAR, Group, Knowledge, Row, TooManyError, World, implies, total
from soaking import TIMES, soaking

SEEDS = range(32 * (TIMES if soaking() else 1))
MOST = 2_000
ALL = "all"
Cell = tuple[str, ...]
Pattern = tuple[int, int | None]


@dataclass(frozen=True)
class Output:
    """A table as it is published, and what is promised of it."""

    name: str
    dimensions: tuple[str, ...]
    figures: Mapping[Cell, Pattern]
    at_least: int = 2
    threshold: int | None = None
    secret: str | None = None


@dataclass(frozen=True)
class Population:
    """The categories of all variables; a base cell is a category of each."""

    variables: Mapping[str, tuple[str, ...]]

    @property
    def cells(self) -> list[Cell]:
        return list(product(*self.variables.values()))

    def form(self, dimensions: Sequence[str], labels: Sequence[str]) -> Mapping[str, int]:
        wanted = {n: at for n, at in zip(dimensions, labels, strict=True) if at != ALL}
        return total(
            [
                ",".join(cell)
                for cell in self.cells
                if all(dict(zip(self.variables, cell, strict=True))[n] == at for n, at in wanted.items())
            ]
        )

    def world(self, outputs: Sequence[Output]) -> World:
        rows = [
            Row(self.form(each.dimensions, labels), *ends)
            for each in outputs
            for labels, ends in each.figures.items()
        ]
        return World({",".join(cell): (0, FAR) for cell in self.cells}, tuple(rows))


def keeps(population: Population, knowledge: Knowledge, output: Output) -> bool:
    """Whether the promise of an output is true, given all populations that fit."""
    for labels, (low, high) in output.figures.items():
        values = knowledge.values(population.form(output.dimensions, labels))
        own = None if high is None else high - low + 1
        if len(values) < (output.at_least if own is None else min(own, output.at_least)):
            return False
        # No records: a count that is not published as it is must not be certain to be small, unless its mark
        # says so itself, and then it must leave all that the mark does. One that is published is not small.
        limit = output.threshold
        if limit is not None:
            small = low > 0 and high is not None and high < limit
            if low == high and small:
                return False
            if small and (min(values), max(values)) != (low, high):
                return False
            if not small and low != high and min(values) > 0 and max(values) < limit:
                return False
    return output.secret is None or all(
        not group.disclosed and not learnt_by_members(group)
        for group in groups(population, knowledge, output, output.secret)
    )


def groups(population: Population, knowledge: Knowledge, output: Output, secret: str) -> Iterator[Group]:
    if secret in output.dimensions:
        axis = output.dimensions.index(secret)
        for labels in {(*cell[:axis], ALL, *cell[axis + 1 :]) for cell in output.figures}:
            yield Group(
                knowledge,
                {
                    own: population.form(output.dimensions, (*labels[:axis], own, *labels[axis + 1 :]))
                    for own in population.variables[secret]
                },
            )


def may_follow(population: Population, outputs: Sequence[Output]) -> bool:
    knowledge = Knowledge.of(population.world(outputs), MOST)
    assert knowledge.tables
    return all(keeps(population, knowledge, each) for each in outputs)


def publication(population: Population, output: Output) -> Publication:
    """The same table as the package takes it: only its own dimensions are known."""
    classifications = tuple(
        Classification(name, population.variables[name], {ALL: tuple(range(len(population.variables[name])))})
        for name in output.dimensions
    )
    cells = [(labels, Told(low, high)) for labels, (low, high) in output.figures.items()]
    return Publication(classifications, (PublishedTable.of(output.name, output.dimensions, cells),))


def promised(population: Population, output: Output, entry: int | None = None) -> PromisedPublication:
    rules = {} if output.threshold is None else {"threshold": output.threshold}
    promise = PublicationPromise(output.at_least, output.secret, rules)
    return PromisedPublication(PublicationPart(publication(population, output), entry), promise)


def random_output(
    random: Random, population: Population, truth: Mapping[Cell, int], name: str, ways: str
) -> Output:
    names = [n for n in population.variables if random.random() < 0.7] or list(population.variables)[:1]
    inner = [
        [*population.variables[n], ALL] if random.random() < 0.7 else population.variables[n] for n in names
    ]
    figures = dict[Cell, Pattern]()
    for labels in product(*inner):
        form = population.form(names, labels)
        value = sum(truth[tuple(cell.split(","))] for cell in form)
        way = random.choice(ways)
        if way == "x":
            figures[labels] = (0, None)
        elif way == "r":
            figures[labels] = (value // 3 * 3, value // 3 * 3 + 2)
        elif way == "<" and 1 <= value <= 3:
            figures[labels] = (1, 3)
        else:
            figures[labels] = (value, value)
    secret = random.choice((None, None, names[0])) if len(names) > 1 else None
    threshold = random.choice((None, None, None, None, None, 3))
    return Output(name, tuple(names), figures, random.choice((2, 2, 2, 3)), threshold, secret)


def random_population(random: Random) -> tuple[Population, dict[Cell, int]]:
    sizes = random.choice(((2, 2), (2, 3), (3, 2), (2, 2, 2)))
    variables = {n: tuple(f"{n}{k}" for k in range(size)) for n, size in zip("abc", sizes, strict=False)}
    population = Population(variables)
    few = (0, 0, 1, 1, 2) if len(population.cells) > 6 else (0, 0, 1, 1, 2, 3)
    return population, {cell: random.choice(few) for cell in population.cells}


def first_output(population: Population, truth: Mapping[Cell, int]) -> Output:
    """How many people there are, and nothing else about them."""
    names = tuple(population.variables)
    everybody = (ALL,) * len(names)
    size = sum(truth.values())
    return Output("first", names, dict.fromkeys(population.cells, (0, None)) | {everybody: (size, size)})


def sequences() -> Iterator[tuple[Population, list[Output], Output]]:
    """What was published, and what is to follow; only what may follow is published."""
    for seed in SEEDS:
        random = Random(seed)
        population, truth = random_population(random)
        earlier = [first_output(population, truth)]
        ways = random.choice(("eexx", "exxxx", "exxxxxx", "xxxxxxr", "er", "exxx<", "exxr<"))
        for number in range(4):
            new = random_output(random, population, truth, f"t{number}", ways)
            try:
                follows = may_follow(population, [*earlier, new])
            except TooManyError:
                break
            yield population, list(earlier), new
            if follows:
                earlier.append(new)


def checked(
    population: Population, earlier: Sequence[Output], new: Output, *, offer: bool = False
) -> TableCheck:
    parts = [promised(population, each, entry) for entry, each in enumerate(earlier, 1)]
    return Succession(parts, promised(population, new), None, Deadline()).check(offer=offer)


def test_a_table_is_refused_if_and_only_if_a_promise_is_broken() -> None:
    """And the figures that are named tell it by themselves."""
    verdicts, told = {True: 0, False: 0}, 0
    for population, earlier, new in sequences():
        follows = may_follow(population, [*earlier, new])
        found = checked(population, earlier, new)
        assert found.decided
        assert found.holds is follows
        assert found.refused is not follows
        verdicts[follows] += 1
        told += check_reasons(population, [*earlier, new], found)
    assert min(verdicts.values()) > 15
    assert told > 30


def check_reasons(population: Population, every: Sequence[Output], found: TableCheck) -> int:
    """The figures that a breach names leave a figure no value but those that all together leave."""
    named = {f"{each.name} (entry {entry})": each for entry, each in enumerate(every[:-1], 1)}
    named[every[-1].name] = every[-1]
    known, many = Knowledge.of(population.world(every), MOST), 0
    for breach in (each for each in found.breaches if each.row is not None):
        rows = [
            Row(population.form(named[table].dimensions, labels), *named[table].figures[labels])
            for table, labels in breach.because
        ]
        world = World({",".join(cell): (0, FAR) for cell in population.cells}, tuple(rows))
        form = population.form(named[breach.of[0]].dimensions, breach.of[1])
        assert implies(world, form, known.values(form))
        many += 1
    return many


def withheld(new: Output, chosen: Sequence[Cell]) -> Output:
    figures = {labels: (0, None) if labels in chosen else ends for labels, ends in new.figures.items()}
    return Output(new.name, new.dimensions, figures, new.at_least, new.threshold, new.secret)


def totals_alone(new: Output, dimension: str) -> Output:
    axis = new.dimensions.index(dimension)
    kept = {labels: ends for labels, ends in new.figures.items() if labels[axis] == ALL}
    return Output(new.name, new.dimensions, kept, new.at_least, new.threshold, new.secret)


def fewest(population: Population, earlier: Sequence[Output], new: Output, most: int) -> int | None:
    """The fewest figures to be withheld, by trying all choices; None if that takes more than some."""
    open_ones = [labels for labels, (_, high) in new.figures.items() if high is not None]
    for size in range(most + 1):
        for chosen in combinations(open_ones, size):
            if may_follow(population, [*earlier, withheld(new, chosen)]):
                return size
    return None


def test_what_is_offered_may_follow_and_is_the_least() -> None:
    offered = proved = coarser = 0
    for population, earlier, new in sequences():
        if len(new.figures) > 9:
            continue
        found = checked(population, earlier, new, offer=True)
        if not found.refused:
            assert found.coarsening is None
            continue
        assert found.coarsening is not None
        chosen = [labels for _, labels in found.coarsening.withheld]
        try:
            if chosen:
                assert may_follow(population, [*earlier, withheld(new, chosen)])
                offered += 1
                if found.coarsening.least:
                    assert fewest(population, earlier, new, len(chosen) - 1) is None
                    proved += 1
            else:
                many = len(new.figures) if found.coarsening.least else 0
                assert fewest(population, earlier, new, many) is None
            for name in found.coarsening.dimensions:
                assert may_follow(population, [*earlier, totals_alone(new, name)])
                coarser += 1
        except TooManyError:
            continue
    assert offered > 10
    assert proved > 10
    assert coarser > 10


def test_populations_that_change_are_compared_by_who_joined_and_left() -> None:
    """Everybody by where they were before and where they are now: all ways that fit, written down."""
    known = {True: 0, False: 0}
    for seed in range(25):
        random = Random(seed)
        cells, states = ("a0", "a1", "a2"), ("stayed", "left", "joined")
        truth = {
            (cell, state): random.choice((0, 1, 1, 2, 3) if state == "stayed" else (0, 0, 1))
            for cell in cells
            for state in states
        }
        waves = {"old": ("stayed", "left"), "new": ("stayed", "joined")}
        many = {state: sum(truth[cell, state] for cell in cells) for state in ("left", "joined")}
        change = PopulationChange.of(
            "old",
            "new",
            many["joined"] if random.random() < 0.7 else (0, many["joined"] + 1),
            many["left"] if random.random() < 0.7 else None,
        )
        rows, parts = list[Row](), list[PromisedPublication]()
        names = linked("new", [change])
        both = Waves(names, [change])
        for wave, inside in waves.items():
            cut = [cell for cell in cells if random.random() < 0.6]
            figures = dict[Cell, Pattern]()
            for labels in [(cell,) for cell in cells] + [(ALL,)]:
                form = total([f"{c},{s}" for c in (cells if labels == (ALL,) else labels) for s in inside])
                value = sum(truth[c, s] for c, s in (tuple(atom.split(",")) for atom in form))
                figures[labels] = (0, None) if labels[0] in cut else (value, value)
                rows.append(Row(form, *figures[labels]))
            output = Output(wave, ("a",), figures)
            placed = both.placed(publication(Population({"a": cells}), output), wave)
            parts.append(PromisedPublication(PublicationPart(placed), PublicationPromise()))
        for state, ends in (("joined", change.joined), ("left", change.left)):
            if ends is not None:
                rows.append(Row(total([f"{cell},{state}" for cell in cells]), ends.lower, ends.upper))
        world = World({f"{c},{s}": (0, FAR) for c in cells for s in states}, tuple(rows))
        knowledge = Knowledge.of(world, 20_000)
        changed = both.known()
        assert changed is not None
        told_apart = PublicationPart(changed, None, frozenset(table.name for table in changed.tables))
        earlier = [PromisedPublication(told_apart, None), parts[0]]
        found = Succession(earlier, parts[1], None, Deadline()).check(offer=False)
        withheld_rows = [row for row in rows[:8] if row.lowest != row.highest]
        follows = all(not knowledge.disclosed(row.form) for row in withheld_rows)
        assert found.decided
        assert bool(found.breaches or found.before) is not follows
        known[follows] += 1
    assert min(known.values()) > 5


def test_rules_with_records_are_those_of_the_audit_of_everything() -> None:
    """Levels of amounts and contributors as adversaries: a check is the audit of all tables in one."""
    verdicts = {True: 0, False: 0}
    for seed in range(24):
        random = Random(seed)
        population, truth = random_population(random)
        records = [
            (who, cell, amount)
            for cell, value in truth.items()
            for who, amount in zip(random.sample("ABCD", 2), (value, random.choice((0, 5))), strict=True)
            if amount
        ]
        sums = {cell: sum(amount for _, at, amount in records if at == cell) for cell in truth}
        outputs = [random_output(random, population, sums, f"t{k}", "exxxx") for k in range(2)]
        rules = {"p_percent": random.choice((10, 60)), "coalition": 1}

        def recount(
            publication: Publication, given: Sequence[tuple[str, Cell, int]] = records
        ) -> ContributorAmounts:
            names = [each.name for each in publication.used]
            axes = [list(population.variables).index(name) for name in names]  # noqa: B023 - used at once
            own = [(who, [cell[axis] for axis in axes], amount) for who, cell, amount in given]
            return ContributorAmounts.of(publication, own)

        made = [magnitudes(publication(population, each)) for each in outputs]
        parts = [
            PromisedPublication(PublicationPart(each, entry), PublicationPromise(rules=rules))
            for each, entry in zip(made, (1, None), strict=True)
        ]
        found = Succession(parts[:1], parts[1], recount, Deadline()).check()
        known = {c.name: c for each in made for c in each.classifications}
        whole = Publication(tuple(known.values()), tuple(table for each in made for table in each.tables))
        audit = audit_tables(whole, rules=rules, contributions=recount(whole))
        assert found.decided is audit.decided
        assert bool(found.breaches or found.before) is audit.violated, seed
        verdicts[audit.violated] += 1
        if found.coarsening is not None and found.coarsening.withheld:
            chosen = [labels for _, labels in found.coarsening.withheld]
            less = magnitudes(publication(population, withheld(outputs[1], chosen)))
            both = (*made[0].tables, *less.tables)
            again = Publication(tuple(known.values()), both)
            after = audit_tables(again, rules=rules, contributions=recount(again))
            assert not after.violated or found.before
    assert min(verdicts.values()) > 2


def magnitudes(counts: Publication) -> Publication:
    return replace(counts, tables=tuple(replace(table, kind="magnitude") for table in counts.tables))
