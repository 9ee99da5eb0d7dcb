"""Groups, repeated answers, variants, mechanisms in files and charges, against the definitions of [P5]."""

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest

from noiseless.cli.main import run
from noiseless.curator import Curator
from noiseless.curator.private_answer import PrivateAnswer
from noiseless.errors import RequestError
from noiseless.theory.differential import convert

Row = tuple[Fraction, ...]
Mechanism = dict[tuple[int, ...], Row]
"""The probabilities of the outputs for each database."""
SLACK = 1e-9
VALUES, OUTPUTS = 2, 3


def mechanisms(entries: int, count: int = 12) -> list[Mechanism]:
    chance = Random(entries)

    def row() -> Row:
        weights = [chance.choice((0, 1, 1, 2, 5)) + chance.randint(0, 1) for _ in range(OUTPUTS)]
        weights = weights if any(weights) else [1] * OUTPUTS
        return tuple(Fraction(weight, sum(weights)) for weight in weights)

    return [{x: row() for x in product(range(VALUES), repeat=entries)} for _ in range(count)]


def excess(p: Row, q: Row, factor: float) -> float:
    """The largest P(A) - factor Q(A) over all events, by listing them."""
    events = [event for size in range(len(p) + 1) for event in combinations(range(len(p)), size)]
    return max(float(sum(p[y] for y in event)) - factor * float(sum(q[y] for y in event)) for event in events)


def ratio(p: Row, q: Row) -> float:
    return max((math.inf if not b else math.log(a / b)) for a, b in zip(p, q, strict=True) if a)


def divergence(p: Row, q: Row) -> float:
    return sum(math.inf if not b else float(a) * math.log(a / b) for a, b in zip(p, q, strict=True) if a)


def information(rows: Sequence[Row], prior: Sequence[float]) -> float:
    mean = [sum(w * float(row[y]) for w, row in zip(prior, rows, strict=True)) for y in range(len(rows[0]))]
    return sum(
        w * float(p) * math.log(float(p) / mean[y])
        for w, row in zip(prior, rows, strict=True)
        for y, p in enumerate(row)
        if p and w
    )


def priors(size: int) -> list[list[float]]:
    chance = Random(size)
    found = [[1 / size] * size]
    for _ in range(8):
        weights = [chance.random() ** 3 + 1e-6 for _ in range(size)]
        found.append([weight / sum(weights) for weight in weights])
    return found


def lines(mechanism: Mechanism, group: Sequence[int]) -> list[list[Row]]:
    """The rows of a group's values, for all that the others can be."""
    found: dict[tuple[int, ...], list[Row]] = {}
    for x, row in mechanism.items():
        found.setdefault(tuple(v for place, v in enumerate(x) if place not in group), []).append(row)
    return list(found.values())


def worst(mechanism: Mechanism, members: int) -> tuple[float, float, float, float]:
    """Epsilon, delta at 0, KL and (a lower bound of) MI of all groups of a size, from the definitions."""
    entries = len(next(iter(mechanism)))
    pairs, told = [], 0.0
    for group in combinations(range(entries), members):
        for rows in lines(mechanism, group):
            pairs += [(p, q) for p in rows for q in rows]
            told = max(told, *(information(rows, prior) for prior in priors(len(rows))))
    epsilon, delta = max(ratio(p, q) for p, q in pairs), max(excess(p, q, 1.0) for p, q in pairs)
    return epsilon, delta, max(divergence(p, q) for p, q in pairs), told


@pytest.mark.parametrize("members", [2, 3])
def test_groups_are_as_private_as_is_said(members: int) -> None:
    for mechanism in mechanisms(3):
        epsilon, delta, kl, told = worst(mechanism, 1)
        group = worst(mechanism, members)
        sizes = {"inputs": VALUES, "outputs": OUTPUTS, "members": members}
        if math.isfinite(epsilon):
            said = convert("dp", "dp", epsilon=epsilon + SLACK, members=members)
            assert said.epsilon is not None
            assert said.epsilon >= group[0] - SLACK
            for kind, place in (("kl", 2), ("mi", 3)):
                found = convert("dp", kind, epsilon=epsilon + SLACK, **sizes).epsilon  # type: ignore[arg-type]
                assert found is not None
                assert found >= group[place] - SLACK
        for source, number in (("kl", kl), ("mi", told)):
            if source == "mi" or math.isfinite(number):
                # What is a lower bound of MI-DP here is raised to one that surely holds.
                bound = number if source == "kl" else math.log(VALUES)
                lost = convert(source, "delta", epsilon=bound + SLACK, members=members).delta
                assert lost is not None
                assert lost >= min(group[1], 1.0) - SLACK
        lost = convert("delta", "delta", delta=min(delta + SLACK, 1.0), members=members).delta
        assert lost is not None
        assert lost >= group[1] - SLACK
        informed = convert("delta", "mi", delta=min(delta + SLACK, 1.0), **sizes).epsilon  # type: ignore[arg-type]
        assert informed is not None
        assert informed >= group[3] - SLACK


@pytest.mark.parametrize("times", [2, 3])
def test_answers_together_are_as_private_as_is_said(times: int) -> None:
    for mechanism in mechanisms(1, 20):
        epsilon, delta, kl, _ = worst(mechanism, 1)
        together = {
            x: tuple(math.prod(each, start=Fraction(1)) for each in product(row, repeat=times))
            for x, row in mechanism.items()
        }
        pairs = [(p, q) for p in together.values() for q in together.values()]
        all_told = max(information(list(together.values()), prior) for prior in priors(VALUES))
        lost = max(sum(float(max(a - b, Fraction(0))) for a, b in zip(p, q, strict=True)) for p, q in pairs)
        found = convert("delta", "delta", delta=delta, times=times).delta
        assert found is not None
        assert found >= lost - SLACK
        if not math.isfinite(epsilon):
            continue
        said = convert("dp", "dp", epsilon=epsilon + SLACK, times=times).epsilon
        assert said is not None
        assert said >= max(ratio(p, q) for p, q in pairs) - SLACK
        for source, start in (("dp", epsilon), ("kl", kl)):
            for target, truth in (("kl", max(divergence(p, q) for p, q in pairs)), ("mi", all_told)):
                value = convert(source, target, epsilon=start + SLACK, times=times).epsilon
                assert value is not None
                assert value >= truth - SLACK
            value = convert(source, "delta", epsilon=start + SLACK, times=times).delta
            assert value is not None
            assert value >= lost - SLACK
        goal = epsilon / 2
        over = max(
            sum(max(float(a) - math.exp(goal) * float(b), 0.0) for a, b in zip(p, q, strict=True))
            for p, q in pairs
        )
        value = convert("dp", "dp", epsilon=epsilon + SLACK, times=times, target_epsilon=goal).delta
        assert value is not None
        assert value >= over - SLACK


def test_one_prior_bounds_no_closeness() -> None:
    """Bayesian information is small where the prior makes a value unlikely that is always told apart."""
    rows = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
    assert information(rows, [1 - 1e-9, 1e-9]) < 1e-6
    assert convert("mi", "delta", epsilon=1e-6, variant="bayesian").delta == 1
    assert not convert("mi", "dp", epsilon=1e-6, variant="bayesian").follows


def bayesian_epsilon(prior: dict[tuple[int, ...], Fraction], mechanism: Mechanism) -> float:
    """(60) of [P5]: the other entry known, or not."""
    found = 0.0
    for entry in (0, 1):
        views = lines(mechanism, [entry])
        mixed = []
        for own in range(2):
            cells = {x: weight for x, weight in prior.items() if x[entry] == own}
            whole = sum(cells.values(), Fraction(0))
            columns = zip(
                *(tuple(w / whole * p for p in mechanism[x]) for x, w in cells.items()), strict=True
            )
            mixed.append(tuple(sum(column, Fraction(0)) for column in columns))
        found = max(found, *(ratio(p, q) for rows in [*views, mixed] for p in rows for q in rows))
    return found


def test_bayesian_answers_do_not_add_up() -> None:
    """What is unknown of other entries is in both answers."""
    prior = dict(zip(product(range(2), repeat=2), (Fraction(n, 45) for n in (18, 19, 1, 7)), strict=True))
    once: Mechanism = {
        x: (Fraction(n, 10), Fraction(10 - n, 10)) for x, n in zip(prior, (9, 7, 8, 2), strict=True)
    }
    twice = {x: tuple(p * q for p, q in product(row, repeat=2)) for x, row in once.items()}
    assert bayesian_epsilon(prior, twice) > 2 * bayesian_epsilon(prior, once) + 0.18
    with pytest.raises(RequestError, match="do not add up"):
        convert("dp", "mi", epsilon=0, variant="bayesian", times=2)


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_a_mechanism_in_a_file_has_the_guarantees_of_the_definitions(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for mechanism in mechanisms(2, 8):
        path = tmp_path / f"mechanism.{suffix}"
        if suffix == "csv":
            lines_ = [
                f"{a},{b},y{y},{p}" for (a, b), row in mechanism.items() for y, p in enumerate(row) if p
            ]
            path.write_text("a,b,output,probability\n" + "\n".join(lines_))
        else:
            nested = [[[str(p) for p in mechanism[a, b]] for b in range(VALUES)] for a in range(VALUES)]
            path.write_text(json.dumps({"probabilities": nested}))
        assert run(["convert", "--mechanism", str(path), "--format", "json", "--variant", "free-lunch"]) == 0
        found = json.loads(capsys.readouterr().out)
        epsilon, delta, kl, told = worst(mechanism, 1)
        assert float(found["epsilon"]) == pytest.approx(epsilon, abs=SLACK)
        assert found["delta"] == pytest.approx(delta, abs=SLACK)
        assert float(found["kl"]) == pytest.approx(kl, abs=1e-7)
        assert found["mi_upper"] >= told - SLACK
        assert found["mi_upper"] - found["mi_lower"] < 1e-6
        whole = worst(mechanism, 2)
        assert float(found["variants"][0]["epsilon"]) == pytest.approx(whole[0], abs=SLACK)
        assert found["variants"][0]["mi_upper"] >= whole[3] - SLACK


FILE = """
[dataset]
name = "t"
source = "t.csv"
{unit}
[budget]
bits = 50
[columns.x]
role = "private"
bounds = [0, 3]
"""


def response(values: int, epsilon: float, delta: float) -> list[list[float]]:
    """Randomised response that tells the truth outright with probability delta."""
    odds = math.exp(epsilon)
    noisy = [
        [odds / (odds + values - 1) if x == y else 1 / (odds + values - 1) for y in range(values)]
        for x in range(values)
    ]
    return [
        [(1 - delta) * p for p in noisy[x]] + [delta * (x == y) for y in range(values)] for x in range(values)
    ]


@pytest.mark.parametrize(("epsilon", "delta"), [("0.5", "0"), ("2", "0"), ("1", "0.05"), ("0", "0.2")])
def test_a_private_answer_is_charged_no_less_than_it_can_tell(
    epsilon: str, delta: str, tmp_path: Path
) -> None:
    """Randomised response over one person's values, over a person's rows, and with a neighbour between."""
    (tmp_path / "t.csv").write_text("x\n1\n2\n")
    (tmp_path / "t.toml").write_text(FILE.format(unit=""))
    with Curator.open(tmp_path / "t.toml") as curator:
        plain = PrivateAnswer(Fraction(epsilon), Fraction(delta), "replace")
        charged = curator.record_private(plain)
        assert curator.state.spent.capacity == charged.bits
        rows = [tuple(map(Fraction, row)) for row in response(4, float(epsilon), float(delta))]
        for prior in priors(4):
            assert float(charged.bits) * math.log(2) >= information(rows, prior) - SLACK
        # Removing a record and adding another one: twice the epsilon, as in a chain of two.
        between = PrivateAnswer(Fraction(epsilon), Fraction(delta), "add-remove").charge(curator.public)
        lost = float(delta) * (1 + math.exp(float(epsilon)))
        rows = [tuple(map(Fraction, row)) for row in response(4, 2 * float(epsilon), min(lost, 1.0))]
        for prior in priors(4):
            assert float(between.bits) * math.log(2) >= information(rows, prior) - SLACK
        several = PrivateAnswer(Fraction(epsilon), Fraction(delta), "replace", times=3).charge(curator.public)
        assert several.bits <= min(3 * charged.bits * (1 + Fraction(1, 10**9)), Fraction(2))
        assert several.bits >= min(charged.bits, Fraction(2))
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "t.csv").write_text("who,x\na,1\na,2\nb,0\n")
    unit = 'unit = "who"\nmax_rows = 2'
    (tmp_path / "rows" / "t.toml").write_text(FILE.format(unit=unit))
    with Curator.open(tmp_path / "rows" / "t.toml") as curator:
        each = PrivateAnswer(Fraction(epsilon), Fraction(delta), "replace", per_row=True).charge(
            curator.public
        )
        rows = [tuple(map(Fraction, row)) for row in response(4, float(epsilon), float(delta))]
        both = [tuple(p * q for p in one for q in two) for one in rows for two in rows]
        told = information(both, [1 / 16] * 16)
        assert float(each.bits) * math.log(2) >= told - SLACK
