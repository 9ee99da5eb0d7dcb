"""Releases and frontiers made by hand, to see what reports make of them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from noiseless.audits.census import GroupSizes
from noiseless.audits.odds import Odds
from noiseless.exact import Bits
from noiseless.releases.certificate import Certificate, CertificateCells
from noiseless.releases.changes import ColumnChange, Example
from noiseless.releases.request import ReleaseRequest
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.search.measures import ReleasePoint
from noiseless.search.merging import Length
from noiseless.search.survey import Series

TOTAL = 38
"""How many sensitive values there are."""


def point(left: int, distortion: Any, method: str = "greedy", **rest: Any) -> ReleasePoint:  # noqa: ANN401
    """A release that leaves so many of the values, at so much distortion."""
    length = None if distortion is None else Length(Fraction(distortion))
    known: dict[str, Any] = {
        "cells": 100 // left,
        "leakage": Bits(Fraction(TOTAL, left)),
        "maximin": Bits(2 if left == 1 else 1),
        "min_posterior": left,
        "min_rows": left + 7,
        "resolution": Bits(Fraction(154, left)),
        "distortion": length,
        "method": method,
    }
    return ReleasePoint(**known | rest)


EXACT = tuple(point(k, d, "exact, contiguous") for k, d in ((1, 0), (2, 3), (5, "10.5"), (10, 20), (38, 45)))
GREEDY = tuple(point(k, d) for k, d in ((1, 0), (2, 4), (5, 12), (10, 20), (38, 45)))
MONDRIAN = tuple(point(k, d, "Mondrian") for k, d in ((3, 14), (4, 13), (12, 30)))


def frontier(**changes: Any) -> ReleaseFrontier:  # noqa: ANN401
    """A frontier of five points, two methods of ours and one of somebody else's."""
    made = ReleaseFrontier(
        source="heart.csv",
        sensitive=("age",),
        public=("chol",),
        sensitive_values=TOTAL,
        public_values=154,
        is_complete=True,
        rows=293,
        points=EXACT,
        series=(
            Series("exact, contiguous", EXACT, "contiguous"),
            Series("greedy", GREEDY),
            Series("Mondrian", MONDRIAN, None, baseline=True),
        ),
        method="exact, contiguous",
        scope="contiguous",
        objective="leakage",
        utility="distortion",
    )
    return replace(made, **changes)


Cell = tuple[Sequence[str | None], Sequence[Sequence[str | None]], int, int]
"""What is released, the members, how many rows they have and how many values they leave."""

CELLS: tuple[Cell, ...] = (
    (["237"], [["236"], ["238"]], 12, 5),
    (["251.5"], [["250"], ["253"]], 181, 5),
    (["300"], [["290"], ["300"], ["310"]], 100, 9),
)


def certificate(cells: Sequence[Cell] = CELLS, *, suppressed: int | None = None, **facts: Any) -> Certificate:  # noqa: ANN401
    """A certificate of some cells."""
    members = [member for cell in cells for member in cell[1]]
    places = np.arange(len(members))
    made = CertificateCells(
        [pa.array(texts, pa.string()) for texts in zip(*(cell[0] for cell in cells), strict=True)],
        [(pa.array([json.dumps(text) for text in texts]), places) for texts in zip(*members, strict=True)],
        places,
        np.array([len(cell[1]) for cell in cells]),
        np.array([cell[2] for cell in cells]),
        np.array([cell[3] for cell in cells]),
        suppressed,
    )
    known = {
        "format": "noiseless-certificate",
        "version": 1,
        "columns": {"sensitive": ["age"], "public": ["chol"], "given": [], "keep": []},
        "options": {
            "distance": "absolute",
            "weights": {},
            "spans": {},
            "hierarchy_cost": "height",
            "utility": "distortion",
            "weight": None,
        },
        "original": {"rows": 293, "digest": "sha256:abcd0123"},
        "released": {"rows": 293, "digest": "sha256:cdef4567"},
        "partition": None,
        "claim": EXACT[2].to_dict(),
        "target": {"min_posterior": 5},
        "stated": {"method": "exact, contiguous", "optimal": True, "scope": "all"},
    }
    return Certificate(known | facts, made)


ODDS = Odds(Fraction(1, 4), Fraction(1, 2), Fraction(2, 3), Fraction(3), float("inf"), is_enhanced=False)
CHANGE = ColumnChange(
    "chol", "number", 154, 3, 280, Fraction(21, 2), Fraction(10, 3), (Example("237", ("236", "238"), 4),)
)


def release(asked: dict[str, Any] | None = None, **changes: Any) -> Release:  # noqa: ANN401
    """A release of cholesterol that hides age.

    Args:
        asked: what was asked for, beside the columns.
        changes: other attributes.
    """
    if "certificate" in changes:
        made = changes.pop("certificate")
        changes["_certify"] = lambda: made
    request = {"sensitive": "age", "public": "chol"} | ({"min_posterior": 5} if asked is None else asked)
    known: dict[str, Any] = {
        "_coded": pa.table({"chol": [237]}),
        "point": EXACT[2],
        "before": EXACT[0],
        "_certify": certificate,
        "optimal": True,
        "gap": 0.0,
        "scope": "all",
        "proof": "the loss equals a bound below all partitions",
        "method": "exact, contiguous",
        "changes": (CHANGE,),
        "request": ReleaseRequest.of(request),
        "distance": "absolute",
        "source": "heart.csv",
        "rows": 293,
        "sensitive_values": TOTAL,
        "public_values": 154,
        "odds": ODDS,
        "sizes": GroupSizes({12: 1, 100: 1, 181: 1}),
        "odds_before": ODDS,
    }
    return Release(**known | changes)
