"""Whatever the public functions and classes are given, they work or say in one line what is wrong."""

# Wrong arguments are what this is about.
# mypy: disable-error-code="arg-type,call-arg,call-overload,list-item,misc,operator"

import inspect
import math
import pickle
import random
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import noiseless as nl
from noiseless.boundary import ArgumentError, guarded

TABLE = pa.table({"age": [31, 31, 52, 47], "ward": ["a", "a", "b", "b"]})
COUNTS = pa.table({"ward": ["a", "b", "Total"], "n": [1, 2, 3]})
JOINT = nl.JointRange.from_pairs([(0, 0), (0, 1), (1, 1)])
PLAN = nl.plan("mean", n=10, bounds=(0, 1), step=Fraction(1, 10), budget=1)
HOLES = pa.table({"age": [31, None, 52], "ward": ["a", "a", "b"]})
WIDE = TABLE.append_column("bed", pa.array([1, 2, 3, 4]))
LATIN = "latin.csv"
STRANGE = [
    *(
        None,
        True,
        0,
        1,
        -1,
        2**80,
        0.5,
        -0.5,
        math.nan,
        math.inf,
        1j,
        Fraction(1, 3),
        "",
        "age",
        "mean",
        "no.csv",
    ),
    *(
        b"x",
        [],
        [1],
        ["a"],
        [None],
        [[0.5, 0.5], [0.5, 0.5]],
        (0, 1),
        (1, 0),
        [(0, 0), (0, 1)],
        {},
        {"a": 1},
        set(),
    ),
    *(object(), int, len, TABLE, pd.DataFrame({"a": [1]}), np.zeros((2, 2)), np.array(["x"]), nl.Bits(2)),
    *(JOINT, PLAN, nl.audit(TABLE, sensitive="age", public="ward")),
]
NAMES = [name for name in nl.__all__ if name != "connect" and not name.endswith("Error")]


def methods(name: str) -> Iterator[Callable[..., Any]]:
    """A function; the constructors of a class."""
    thing = getattr(nl, name)
    yield thing
    if isinstance(thing, type):
        for key, member in inspect.getmembers(thing, inspect.ismethod):
            if not key.startswith("_") and member.__func__.__module__.startswith("noiseless"):
                yield member


def arguments(function: Callable[..., Any], draw: random.Random) -> tuple[list[Any], dict[str, Any]]:
    """Strange ones for all that is required and for some of the rest."""
    named = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty or draw.random() < 0.3:
            named[parameter.name] = draw.choice(STRANGE)
    return [], named


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_strange_arguments_are_taken_or_refused_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some of them write files
    draw = random.Random(name)
    for function in methods(name):
        for _ in range(12):
            args, kwargs = arguments(function, draw)
            with suppress(ValueError, TypeError):  # of pydantic, and said on purpose
                try:
                    function(*args, **kwargs)
                except nl.NoiselessError as error:
                    said = str(error)
                else:
                    said = ""
                assert "\n" not in said


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nl.leakage([1]), "leakage: joint is a JointRange or a ContinuousRange, not a list"),
        (lambda: nl.leakage(3, [0]), "leakage: joint is a JointRange or a ContinuousRange, not a whole"),
        (lambda: nl.lovasz_theta(JOINT), "lovasz_theta: graph is a Graph, not a JointRange"),
        (lambda: nl.Channel([[1, 0], [0, 1]]), "Channel: matrix is an array, not a list"),
        (
            lambda: nl.consequences(5),
            "consequences: mechanism is a QuantizedQuery or a Plan, not a whole number",
        ),
        (lambda: nl.Bits("2"), "Bits: ratio is a whole number or a Fraction or a Decimal, not a text"),
        (
            lambda: nl.audit(TABLE, sensitive="age", public=0),
            "audit: public is a text or a list (a text each) or",
        ),
        (
            lambda: nl.audit(TABLE, sensitive=["age", 1], public="ward"),
            "audit: sensitive is a text or a list",
        ),
        (nl.leakage, "leakage: missing a required argument: 'joint'"),
        (lambda: nl.leakage(JOINT, strange=1), "leakage: got an unexpected keyword argument 'strange'"),
        (
            lambda: nl.audit(TABLE, sensitve="age"),
            "audit: got an unexpected keyword argument 'sensitve'; did you mean sensitive?",
        ),
        (
            lambda: nl.audit(TABLE, "age", ["ward"]),
            "audit: too many positional arguments; write audit(table, sensitive=...)",
        ),
        (lambda: nl.Verification("x"), "Verification: checks is a list"),
        (
            lambda: nl.audit(TABLE, "age"),
            "audit: too many positional arguments; write audit(table, sensitive",
        ),
        (
            lambda: nl.release(TABLE, sensitive="age", public="ward", k=2),
            "release: got an unexpected keyword argument 'k'; did you mean min_rows?",
        ),
        (
            lambda: nl.release(TABLE, sensitive="age", public="ward", minposterior=2),
            "release: got an unexpected keyword argument 'minposterior'; did you mean min_posterior?",
        ),
        (
            lambda: nl.protect_tables(TABLE, threshold=5),
            "protect_tables: got an unexpected keyword argument 'threshold'; write rules={",
        ),
        (
            lambda: nl.Graph([(0, 1)]),
            "Graph: rows is a list (a whole number each), not a list that holds a tuple; try Graph.from",
        ),
    ],
)
def test_the_argument_at_fault_is_named(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        call()
    assert str(refused.value).startswith(words)
    assert isinstance(refused.value, TypeError | nl.NoiselessError)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: nl.audit(TABLE), "add sensitive=COLUMN, one of 'age', 'ward'"),
        (
            lambda: nl.audit(HOLES, sensitive="age", missing="error"),
            'or leave their rows out (missing="drop")',
        ),
        (
            lambda: nl.frontier(HOLES, sensitive="age", public="ward", missing="error"),
            'or leave their rows out (missing="drop")',
        ),
        (
            lambda: nl.release(TABLE, sensitive="age", public="ward"),
            "how much to hide (min_posterior, min_rows,",
        ),
        (
            lambda: nl.release(TABLE, sensitive="age", public="ward", min_rows=9),
            "there are 4 rows; ask for min_rows=4 or less",
        ),
        (lambda: nl.audit(TABLE, sensitive="age", clamp=True), "declare the bounds (schema=FILE)"),
        (lambda: nl.audit(TABLE, sensitive="age", class_level=2), 'name it (hierarchy={"COLUMN": FILE})'),
        (lambda: nl.audit(WIDE, sensitive="age", rule="round:5"), 'write rule="COLUMN=round:5"'),
        (lambda: nl.blur(TABLE, "age >= 40", max_change=5), 'as in bounds={"age": (0, 100)}'),
        (lambda: nl.plan("mean", n=3, budget=1), "needs the bounds (bounds=(LO, HI)): the smallest"),
        (
            lambda: nl.protect_tables(COUNTS, rows="ward", value="n"),
            'give a threshold (rules={"threshold": 5}), for sums rules={"p_percent": 10}',
        ),
        (
            lambda: nl.audit(LATIN, sensitive="age"),
            'name its encoding (nl.open_table(FILE, encoding="cp1252") to read Western European letters',
        ),
        (lambda: nl.audit_tables(LATIN), 'name its encoding (encoding="cp1252" to read'),
    ],
)
def test_errors_name_arguments_and_not_options(call: Callable[[], Any], words: str, tmp_path: Path) -> None:
    (tmp_path / LATIN).write_bytes("age\n\xe9\n".encode("latin-1"))
    with chdir(tmp_path), pytest.raises(nl.NoiselessError) as refused:
        call()
    assert words in str(refused.value)
    assert "--" not in str(refused.value)


def test_what_is_no_argument_stays_an_option() -> None:
    def opened(table: str, *, missing: Literal["value", "drop"] = "value") -> None:  # noqa: ARG001 - types alone
        raise nl.NoiselessError(
            "drop it (--missing drop), with --missing or --population TABLE, --missing x."
        )

    with pytest.raises(nl.NoiselessError) as refused:
        guarded(opened, "opened")("a")
    expected = 'drop it (missing="drop"), with missing or --population TABLE, missing x.'
    assert str(refused.value) == expected


def test_operators_say_what_they_do_not_take() -> None:
    calls: tuple[Callable[[], object], ...] = (
        lambda: nl.Bits(2) - Fraction(1, 2),
        lambda: nl.Bits(2) + "x",
        lambda: nl.Nats(2) - 1,
        lambda: nl.Bits(2) < "x",
        lambda: nl.IntervalSet.of((0, 1)) & 1,
        lambda: nl.IntervalSet.of((0, 1)) <= "x",
    )
    for call in calls:
        with pytest.raises(TypeError, match=r"'(Bits|Nats|IntervalSet)'"):
            call()


def test_whole_numbers_of_bits_are_added_exactly() -> None:
    assert nl.Bits(38) - 1 == nl.Bits(19)
    assert 1 + nl.Bits(19) == nl.Bits(19) + 1 == nl.Bits(38)
    assert 3 - nl.Bits(2) == 2
    assert sum([nl.Bits(3), nl.Bits(5)], 0) == nl.Bits(15)
    with pytest.raises(OverflowError):
        _ = nl.Bits(2) + 10**9


def test_what_a_method_says_does_not_depend_on_what_was_named_before() -> None:
    made = inspect.getattr_static(type(JOINT), "merged")
    assert nl.JointRange is type(JOINT)
    assert inspect.getattr_static(nl.JointRange, "merged") is made
    assert not hasattr(made, "__wrapped__")


def test_a_plan_has_consequences() -> None:
    assert nl.consequences(PLAN).bits == nl.consequences(PLAN.mechanism).bits == PLAN.bits


def test_what_is_guarded_stays_what_it_was() -> None:
    assert nl.audit is nl.audit
    assert pickle.loads(pickle.dumps(nl.audit)) is nl.audit
    assert inspect.signature(nl.leakage).parameters.keys() >= {"joint"}
    assert isinstance(nl.Bits(2), nl.Bits)
