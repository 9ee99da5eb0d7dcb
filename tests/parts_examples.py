"""Tables that release tests cut into parts."""

import random
from typing import Any

import pyarrow as pa

ROLES: dict[str, Any] = {"sensitive": "illness", "public": ["age", "weight", "ward"]}


def people(rows: int = 300) -> pa.Table:
    """A few hundred rows, nearly all different; one illness is spelt in two ways."""
    draw = random.Random(8)
    return pa.table(
        {
            "age": [None if draw.random() < 0.05 else draw.randrange(90) for _ in range(rows)],
            "weight": [draw.randrange(400, 900) / 8 for _ in range(rows)],
            "ward": [draw.choice("abc") for _ in range(rows)],
            "illness": [draw.choice(["flu", "Flu", "cold", "gout", "rash", "ulcer"]) for _ in range(rows)],
        }
    )
