"""What everybody may know of a version of a dataset: all that a price depends on."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from noiseless.curator.file import CuratorFile
from noiseless.curator.snapshot import Snapshot
from noiseless.domain import Schema
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.pricing.record import Record
from noiseless.questions.population import Population
from noiseless.questions.question import Limits


@dataclass(frozen=True)
class PublicState:
    """The declarations, how many rows have each combination of public values, and the version's number.

    Attributes:
        schema: what columns may hold.
        limits: what is declared about persons and groups.
        population: the public cells and how many rows each has.
        version: the number of the version.
    """

    schema: Schema
    limits: Limits
    population: Population
    version: int = 0

    @classmethod
    def of(cls, file: CuratorFile, snapshot: Snapshot) -> "PublicState":
        """What a snapshot shows of itself.

        Raises:
            RequestError: a person has more rows than the owner declares.
        """
        if snapshot.most_rows > file.rows:
            raise RequestError(
                f"a person has {snapshot.most_rows:,} rows, and max_rows is {file.rows:,};"
                " declare as many as a person can have"
            )
        return cls(file.schema, file.limits, snapshot.population)

    @cached_property
    def record(self) -> Record:
        """One person's private attributes."""
        return Record.of_schema(self.schema, self.limits.rows)

    @cached_property
    def notes(self) -> Mapping[str, str]:
        """What whoever reads an answer about a column must know of its declaration."""
        return {
            name: f"a missing {name} counts as {column.missing}"
            for name, column in self.schema.columns.items()
            if column.missing is not None
        }

    @property
    def entropy(self) -> Bits:
        """All there is to know of a person: log2 of the number of records they can have."""
        return Bits(self.record.values() or 1)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return sum(self.population.sizes)

    @cached_property
    def cell_names(self) -> tuple[str, ...]:
        """What each public cell is called in the ledger: its values, as JSON."""
        return tuple(json.dumps([str(value) for value in cell]) for cell in self.population.cells)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; values are written as their numbers."""
        names = self.population.columns
        columns = [self.schema.columns[name] for name in names]
        cells = [
            [column.index(value) for column, value in zip(columns, cell, strict=True)]
            for cell in self.population.cells
        ]
        return {
            "schema": self.schema.dump(),
            "max_rows": self.limits.rows,
            "public": list(names),
            "cells": cells,
            "sizes": list(self.population.sizes),
        }

    @classmethod
    def read(cls, data: Mapping[str, Any], version: int, least_group: int | None) -> "PublicState":
        """What was written; the smallest group is no part of a version, but the owner's present wish."""
        schema = Schema.parse(data["schema"])
        columns = [schema.columns[name] for name in data["public"]]
        cells = tuple(
            tuple(column.value(number) for column, number in zip(columns, cell, strict=True))
            for cell in data["cells"]
        )
        population = Population(tuple(data["public"]), cells, tuple(data["sizes"]))
        return cls(schema, Limits(data["max_rows"], least_group), population, version)
