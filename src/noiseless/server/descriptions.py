"""Datasets as JSON: what everybody may know, samples of the declared domain, and summaries for owners."""

import random
from collections import Counter
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from noiseless.amounts import Budget, budget_bits, budget_text, integer_text
from noiseless.curator.exposure import RealisedExposure
from noiseless.domain import CategoryColumn, Column, DateColumn, NumberColumn, Schema
from noiseless.exact import Bits
from noiseless.ledger import State
from noiseless.replies import plain
from noiseless.server.datasets import ServedDataset, standing_of

_TOP = 10


def line(desk: ServedDataset) -> dict[str, Any]:
    """A dataset in a list."""
    public, state = desk.fresh_curator().public, desk.state()
    return {"name": desk.name, "rows": public.rows, "version": state.version, **account(state)}


def account(state: State) -> dict[str, Any]:
    """The budget of a dataset, what is spent of it and what is left."""
    said = {**_budget("budget", state.budget), **standing_of(state)}
    del said["warnings"]
    return said


def dataset(desk: ServedDataset, analyst: str) -> dict[str, Any]:
    """All that an analyst may know of a dataset."""
    curator = desk.fresh_curator()
    public, file = curator.public, curator.file
    state = desk.ledger.state(desk.name, cells=(), analysts=[analyst])
    mine = state.spent_of(analyst)
    return {
        "name": desk.name,
        "version": state.version,
        "digest": state.digest,
        "rows": public.rows,
        "unit": file.unit,
        "max_rows": public.limits.rows,
        "public_cells": len(public.population.cells),
        "entropy_of_record": public.entropy.lower,
        "columns": [column(name, each) for name, each in public.schema.columns.items()],
        "queries": [query.to_dict() for query in public.limits.queries],
        "budget": {
            **_budget("bits", state.budget),
            **_budget("query_bits", file.query_budget),
            **_budget("analyst_bits", state.analyst_budget),
            "min_group": file.least_group,
        },
        **standing_of(state),
        "analyst_spent": mine.upper,
        "analyst_spent_exact": mine.text,
    }


def _budget(name: str, budget: Budget | None) -> dict[str, Any]:
    return {name: budget_bits(budget), f"{name}_exact": budget_text(budget)}


def column(name: str, each: Column) -> dict[str, Any]:
    """A column's declared domain."""
    found: dict[str, Any] = {
        "name": name,
        "role": each.role,
        "kind": each.kind,
        "size": each.size,
        "describe": each.explain(),
        "missing": plain(each.missing),
    }
    if isinstance(each, NumberColumn | DateColumn):
        found["bounds"] = [_plain_bound(bound) for bound in each.bounds]
        found["bounds_exact"] = [str(bound) for bound in each.bounds]
        found["step"], found["step_exact"] = float(each.step), str(each.step)
    if isinstance(each, CategoryColumn):
        found["categories"] = list(each.categories)
    return found


def _plain_bound(bound: Decimal | date) -> float | str:
    return bound.isoformat() if isinstance(bound, date) else float(bound)


def sample(schema: Schema, rows: int, seed: int) -> list[dict[str, Any]]:
    """Rows drawn from the declared domain, each value as likely as any other; no data is looked at."""
    chance = random.Random(seed)  # noqa: S311 - nothing here is secret
    return [
        {name: plain(each.value(chance.randrange(each.size))) for name, each in schema.columns.items()}
        for _ in range(rows)
    ]


def exposure(found: RealisedExposure) -> dict[str, Any]:
    """How exposed how many are, without saying who: classes have numbers only."""
    outputs = [int(number) for number in found.outputs.tolist()]
    counts = [int(number) for number in found.counts.tolist()]
    possible = [int(number) for number in found.possible.tolist()]
    rows: Counter[int] = Counter()
    for number, count in zip(outputs, counts, strict=True):
        rows[number] += count
    order = sorted(range(len(outputs)), key=lambda place: (-outputs[place], possible[place], place))
    return {
        "questions": found.questions,
        "rows": sum(counts),
        "classes": len(outputs),
        "most_bits": Bits(max(outputs)).upper,
        "least_possible": integer_text(min(possible)),
        "histogram": _histogram(rows, "rows"),
        "persons": _histogram(Counter(found.persons.values()), "persons") if found.persons else None,
        "top": [
            {
                "number": place,
                "rows": counts[place],
                "outputs": integer_text(outputs[place]),
                "bits": Bits(outputs[place]).upper,
                "possible": integer_text(possible[place]),
            }
            for place in order[:_TOP]
        ],
    }


def _histogram(counts: Mapping[int, int], what: str) -> list[dict[str, Any]]:
    return [
        {"bits": Bits(number).upper, "outputs": integer_text(number), what: count}
        for number, count in sorted(counts.items())
    ]
