"""A curator's counts as figures: everybody's secrets that fit its answers, written down.

The adversary knows who is in which public group and what was answered, and nothing else. For every group and
illness the counts that stay possible must be those of the publication that the answers make.
"""

from itertools import product
from pathlib import Path
from random import Random

import pytest

from noiseless.curator import Curator
from noiseless.curator.published_answers import published_answers
from noiseless.ledger import Ledger, locate
from noiseless.tabulations.audit import audit_tables

REGIONS, SEXES, ILLNESSES = ("N", "S"), ("f", "m"), ("flu", "asthma", "measles")
FILE = """
[dataset]
name = "people"
source = "people.csv"
[budget]
bits = 60
[columns.region]
role = "public"
categories = ["N", "S"]
[columns.sex]
role = "public"
categories = ["f", "m"]
[columns.illness]
role = "private"
categories = ["flu", "asthma", "measles"]
"""
Person = tuple[str, str, str]
Question = tuple[frozenset[str], frozenset[str], frozenset[str] | None]
"""The regions, the sexes, and the illnesses that are counted together; None for each illness by itself."""


def sql(question: Question) -> str:
    regions, sexes, illnesses = question
    where = [f"region IN ({', '.join(repr(each) for each in sorted(regions))})"] if len(regions) < 2 else []
    where += [f"sex IN ({', '.join(repr(each) for each in sorted(sexes))})"] if len(sexes) < 2 else []
    if illnesses is not None:
        where.append(f"illness IN ({', '.join(repr(each) for each in sorted(illnesses))})")
    text = f" WHERE {' AND '.join(where)}" if where else ""
    if illnesses is None:
        return f"SELECT /*+ reach(3) */ illness, COUNT(*) FROM people{text} GROUP BY illness"
    return f"SELECT COUNT(*) FROM people{text}"


def answer(people: list[Person], question: Question) -> tuple[int, ...]:
    regions, sexes, illnesses = question
    inside = [ill for region, sex, ill in people if region in regions and sex in sexes]
    if illnesses is None:
        return tuple(inside.count(each) for each in ILLNESSES)
    return (sum(ill in illnesses for ill in inside),)


def random_question(random: Random) -> Question:
    def some(of: tuple[str, ...]) -> frozenset[str]:
        return frozenset(random.choice([of, *((each,) for each in of)]))

    illnesses = random.choice([None, *(frozenset([each]) for each in ILLNESSES), frozenset(ILLNESSES[:2])])
    return some(REGIONS), some(SEXES), illnesses


@pytest.mark.parametrize("seed", range(8))
def test_what_answers_tell_is_what_their_publication_tells(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    people = [(random.choice(REGIONS), random.choice(SEXES), random.choice(ILLNESSES)) for _ in range(6)]
    rows = "\n".join(",".join(person) for person in people)
    (tmp_path / "people.csv").write_text(f"region,sex,illness\n{rows}\n")
    (tmp_path / "people.toml").write_text(FILE)
    asked = [random_question(random) for _ in range(random.randint(1, 3))]
    with Curator.open(tmp_path / "people.toml") as curator:
        for question in asked:
            curator.ask(sql(question))
    fit = [
        world
        for ills in product(ILLNESSES, repeat=len(people))
        if (world := [(region, sex, ill) for (region, sex, _), ill in zip(people, ills, strict=True)])
        and all(answer(world, question) == answer(people, question) for question in asked)
    ]
    with Ledger.open(locate(str(tmp_path / "people.toml"))[0]) as ledger:
        publication, notes = published_answers(ledger, "people", {"region", "sex"})
    assert publication is not None
    assert notes == ()
    if "illness" not in {each.name for each in publication.used}:
        assert all(ills is None or len(ills) == 3 for _, _, ills in asked) or len(fit) == 3 ** len(people)
        return
    cells = list(product(REGIONS, SEXES, ILLNESSES))
    targets = {
        "/".join(cell): dict(zip(("region", "sex", "illness"), ([each] for each in cell), strict=True))
        for cell in cells
    }
    audit = audit_tables(publication, targets=targets)
    assert not audit.inconsistent
    found = {each.of[1][0]: each for each in audit.cells if each.of[0] == "group"}
    for cell in cells:
        counts = {world.count(cell) for world in fit}
        finding = found["/".join(cell)]
        assert (finding.lower, finding.upper) == (min(counts), max(counts))
        assert finding.values in {None, len(counts)}
