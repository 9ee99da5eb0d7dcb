"""What an audit of published tables says, held against all tables that fit."""

import math
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any, Literal

from noiseless.tabulations import Classification, Publication, PublishedTable, Told
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.publication import UNBOUNDED, RowName
from oracle.tabulation_oracle import (
    Form,
    Group,
    Knowledge,
    World,
    dominance,
    implies,
    own_knowledge,
    p_percent,
    prior_posterior,
    total,
)
from oracle.tabulation_worlds import Published

Targets = Mapping[str, Mapping[str, Sequence[str]]]


def publication(published: Published, kind: Literal["count", "magnitude"] = "count") -> Publication:
    """The same tables, as the package takes them."""
    classifications = []
    for name, labels in published.dimensions.items():
        categories = published.categories(name)
        groups = {label: of for label, of in labels.items() if label not in categories}
        classifications.append(Classification(name, categories, groups))
    tables = [
        PublishedTable.of(
            f"t{number}", names, [(labels, Told(low, high)) for labels, low, high in figures], kind
        )
        for number, (names, figures) in enumerate(published.tables)
    ]
    lower = [low for low, _ in published.bounds]
    upper = [UNBOUNDED if high is None else high for _, high in published.bounds]
    return Publication(tuple(classifications), tuple(tables), lower, upper)


def row_names(published: Published) -> list[RowName]:
    return [
        (f"t{number}", labels)
        for number, (_, figures) in enumerate(published.tables)
        for labels, _, _ in figures
    ]


def rows_named(published: Published, named: Sequence[RowName]) -> World:
    """The world with these figures only; a name that two figures have stands for both."""
    every = row_names(published)
    assert set(named) <= set(every)
    return published.world.only([number for number, name in enumerate(every) if name in named])


def random_targets(random: Random, published: Published) -> Targets:
    """Named groups: some labels of some classifications."""
    used = [name for name in published.dimensions if any(name in of for of, _ in published.tables)]
    targets = {}
    for number in range(random.randrange(3)):
        chosen = random.sample(used, random.randint(1, len(used)))
        targets[f"g{number}"] = {
            name: random.sample(
                published.categories(name), random.randint(1, len(published.categories(name)))
            )
            for name in chosen
        }
    return targets


def forms(published: Published, targets: Targets) -> list[tuple[RowName, Form]]:
    """Every figure and every named group, and the base cells that it adds up."""
    found: list[tuple[RowName, Form]] = [
        (name, row.form) for name, row in zip(row_names(published), published.world.rows, strict=True)
    ]
    for name, target in targets.items():
        summed = {
            atom for labels in product(*target.values()) for atom in published.members(tuple(target), labels)
        }
        found.append((("group", (name,)), total(sorted(summed))))
    return found


def check_inconsistent(published: Published, audit: TabulationAudit) -> None:
    """A contradiction is named, is one, and has no figure too many."""
    named = audit.inconsistent
    assert not rows_named(published, named).possible(), "what is named does not contradict itself"
    for left_out in named:
        rest = [name for name in named if name != left_out]
        assert rows_named(published, rest).possible(), "not the smallest"


def check_cells(
    published: Published,
    audit: TabulationAudit,
    knowledge: Knowledge,
    targets: Targets,
    *,
    sharp: bool = True,
) -> None:
    """Ends, number of values, disclosure, and the figures that tell it."""
    for finding, (name, form) in zip(audit.cells, forms(published, targets), strict=True):
        values = knowledge.values(form)
        lowest, highest = min(values), max(values)
        assert finding.of == name
        assert finding.decided, f"{name}: undecided"
        assert finding.lower <= lowest, f"{name}: {finding}, {values}"
        assert finding.upper is None or finding.upper >= highest, f"{name}: {finding}, {values}"
        assert finding.disclosed is (len(values) == 1), f"{name}: {finding}, {values}"
        if sharp or finding.disclosed:
            assert (finding.lower, finding.upper) == (lowest, highest), f"{name}: {finding}, {values}"
        if finding.values is not None:
            assert finding.values == len(values), f"{name}: {finding}, {values}"
            assert finding.bits_left is not None
            assert math.isclose(finding.bits_left, math.log2(len(values)), abs_tol=1e-9)
        else:
            assert finding.bits_left is None
        if finding.disclosed and not finding.published:
            tell = rows_named(published, finding.because)
            assert implies(tell, form, values), f"{name}: {finding.because} do not tell it"


def secrets_of(published: Published, table: int, labels: Sequence[str], secret: str) -> dict[str, Form]:
    """The counts of a group by secret."""
    names = published.tables[table][0]
    return {
        value: total(
            published.members(
                names, [value if name == secret else label for name, label in zip(names, labels, strict=True)]
            )
        )
        for value in published.categories(secret)
    }


def check_persons(published: Published, audit: TabulationAudit, knowledge: Knowledge, secret: str) -> None:
    """What people of each group have to fear, from outside and from inside of it."""
    for finding in audit.persons:
        table, labels = finding.of
        group = Group(knowledge, secrets_of(published, int(table[1:]), labels, secret))
        assert finding.decided
        assert set(finding.possible) == group.possible, f"{finding}"
        assert set(finding.certain) == group.certain, f"{finding}"
        everyone = {name: 1 for form in group.secrets.values() for name in form}
        assert finding.members is (min(knowledge.values(everyone)) >= 1), f"{finding}"
        assert finding.group_disclosure is group.disclosed, f"{finding}"
        assert set(finding.to_members) == learnt_by_members(group), f"{finding}"


def learnt_by_members(group: Group) -> set[str]:
    """The secrets whose holder, knowing his own, learns that all others have another one."""
    found = set()
    for secret in group.possible:
        seen = group.seen_by(secret)
        if seen is not None and seen.disclosed and seen.possible != {secret}:
            found.add(secret)
    return found


Record = tuple[str, tuple[str, ...], int]
"""A contributor, a base cell, an amount."""


def random_contributions(
    random: Random, published: Published, knowledge: Knowledge, zeros: float = 0.0
) -> list[Record]:
    """One of the tables that fit, each base cell of it shared out among a few contributors."""
    table = random.choice(knowledge.tables)
    records = []
    for atom, value in zip(published.atoms, table, strict=True):
        who = random.sample("ABCD", random.choice((1, 1, 2, 3)))
        left = value
        for name in who[1:]:
            amount = random.randint(0, left)
            left -= amount
            if amount or random.random() < zeros:
                records.append((name, atom, amount))
        if left:
            records.append((who[0], atom, left))
    return records


def by_atom(records: Sequence[Record]) -> dict[str, dict[str, int]]:
    given: dict[str, dict[str, int]] = {}
    for name, atom, amount in records:
        given.setdefault(",".join(atom), {})[name] = amount
    return given


def check_contributors(
    published: Published,
    audit: TabulationAudit,
    knowledge: Knowledge,
    records: Sequence[Record],
    coalition: int,
) -> None:
    """What each coalition learns that outsiders do not know, of figures that are not all its own."""
    given = by_atom(records)
    reported = {frozenset(finding.who): finding for finding in audit.contributors}
    for size in range(1, coalition + 1):
        for who in map(frozenset, combinations(sorted({name for name, _, _ in records}), size)):
            inside = knowledge
            for row in own_knowledge(given, who):
                inside = inside.given(row)
            learnt = {
                name
                for name, form in forms(published, {})
                if inside.disclosed(form)
                and not knowledge.disclosed(form)
                and any(giver not in who for atom in form for giver in given.get(atom, ()))
            }
            said = {
                name
                for some, found in reported.items()
                if some <= who or who <= some
                for name in found.learns
            }
            assert learnt <= said, f"{set(who)} also learn {learnt - said}"
            if who in reported:
                found = reported[who]
                assert found.decided
                known = {name for name, form in forms(published, {}) if inside.disclosed(form)}
                assert set(found.learns) <= known, f"{found}, {known}"


def check_estimates(
    published: Published,
    audit: TabulationAudit,
    knowledge: Knowledge,
    records: Sequence[Record],
    rules: Mapping[str, Any],
) -> int:
    """Who can say of somebody else's amount more than the rules allow; how many such cases there are.

    A coalition knows that another gave at most hi less what is its own. Of figures that keep their level for
    outsiders and are not known to them, all coalitions that learn too much are named, or a part of each that
    learns it without the others; and no coalition that does not.
    """
    given = by_atom(records)
    names = sorted({name for name, _, _ in records})
    reported = {
        (frozenset(finding.who), estimate.of)
        for finding in audit.contributors
        for estimate in finding.estimates
    }
    kept = {each.of for each in audit.requirements if each.holds}
    found = 0
    for size in range(1, rules["coalition"] + 1):
        for who in map(frozenset, combinations(names, size)):
            inside = knowledge
            for row in own_knowledge(given, who):
                inside = inside.given(row)
            for of, form in forms(published, {}):
                if of not in kept or knowledge.disclosed(form):
                    continue
                amounts = {n: sum(given.get(atom, {}).get(n, 0) for atom in form) for n in names}
                values, figure = inside.values(form), sum(amounts.values())
                least = sum(
                    max(
                        knowledge_low(published, atom),
                        sum(v for n, v in given.get(atom, {}).items() if n in who),
                    )
                    for atom in form
                )
                close = any(
                    too_close(rules, amounts, who, other, figure, (min(values), max(values)), least)
                    for other in names
                    if other not in who and amounts[other]
                )
                said = any(some <= who and of == figure_said for some, figure_said in reported)
                assert said if close else (who, of) not in reported, (who, of, values, amounts, rules)
                found += close
    return found


def knowledge_low(published: Published, atom: str) -> int:
    """The least value of a base cell that is declared."""
    return published.world.bounds[atom][0]


def too_close(  # noqa: PLR0917 - all that the definition speaks of
    rules: Mapping[str, Any],
    amounts: Mapping[str, int],
    who: Collection[str],
    other: str,
    figure: int,
    ends: tuple[int, int],
    least: int,
) -> bool:
    """Whether these bounds of a figure tell a coalition too much of another's amount."""
    own, amount = [amounts[name] for name in who], amounts[other]
    wanted = figure
    if "p_percent" in rules:  # hi - own is an upper bound of the amount, at least so many per cent off
        share = Fraction(rules["p_percent"]) / Fraction(rules.get("q_percent", 100))
        wanted = max(wanted, math.ceil(amount * (1 + share) + sum(own)))
    if "dominance" in rules:  # those of the largest that work together, and the other, have at most k % of hi
        n, k = rules["dominance"]
        known = sum(sorted(own, reverse=True)[: n - 1]) if n > 1 else 0
        wanted = max(wanted, math.ceil((known + amount) * Fraction(100) / Fraction(k)))
    low, high = ends
    return high < wanted or low > max(least, figure - (wanted - figure))


def check_requirements(
    published: Published,
    audit: TabulationAudit,
    knowledge: Knowledge,
    records: Sequence[Record],
    rules: Mapping[str, Any],
) -> None:
    """The figures that rules call sensitive, and whether the levels above and below them stay possible."""
    given = by_atom(records)
    reported = {finding.of: finding for finding in audit.requirements}
    for name, form in forms(published, {}):
        sums: dict[str, int] = {}
        for atom in form:
            for giver, amount in given.get(atom, {}).items():
                sums[giver] = sums.get(giver, 0) + amount
        y, level = sum(sums.values()), Fraction(0)
        amounts = [Fraction(amount) for amount in sums.values()]
        if amounts and "q_percent" in rules:
            level = prior_posterior(amounts, rules["p_percent"], rules["q_percent"], rules["coalition"])
        elif amounts and "p_percent" in rules:
            level = p_percent(amounts, rules["p_percent"], rules["coalition"])
        if amounts and "dominance" in rules:
            level = max(level, dominance(amounts, *rules["dominance"]))
        values = knowledge.values(form)
        finding = reported.get(name)
        if level <= 0:
            continue
        assert finding is not None, f"{name} is sensitive: {amounts}, {rules}"
        floor = Fraction(sum(published.world.bounds[atom][0] for atom in form))
        above, below = max(values) >= y + level, min(values) <= max(y - level, floor)
        assert finding.holds is (above and below), f"{finding}, {sorted(values)}, {y} {level}"


def check_claims(published: Published, knowledge: Knowledge, certificate: Mapping[str, Any]) -> None:
    """Every claim of a certificate is true of the tables that fit."""
    world = published.world
    if "inconsistent" in certificate:
        assert not world.only(certificate["inconsistent"]).possible(), (
            "what is named does not contradict itself"
        )
        return
    assert knowledge.tables
    names = list(world.bounds)
    for claim in certificate["claims"]:
        form = (
            total([names[atom] for atom in claim["atoms"]])
            if "atoms" in claim
            else world.rows[claim["figure"]].form
        )
        values = knowledge.values(form)
        assert claim["lower"] <= min(values) <= claim["least"], f"{claim}, {values}"
        assert claim["upper"] is None or max(values) <= claim["upper"], f"{claim}, {values}"
        assert claim["most"] <= max(values), f"{claim}, {values}"
        assert claim.get("values") in {None, len(values)}, f"{claim}, {values}"
