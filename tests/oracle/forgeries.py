"""Lies that a certificate may tell, and the check that each must fail.

Whoever forges has both tables, and recomputes digests where that helps.
"""

import copy
import json
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa

from certificate_examples import Made, digest
from noiseless.verification import Verification, verify
from oracle import certificate_oracle

Rows = list[dict[str, str | None]]
Json = dict[str, Any]


class Forgery:
    """A certificate and two tables that a forger may change."""

    def __init__(self, made: Made, seed: int) -> None:
        self.certificate: Json = copy.deepcopy(made.certificate)
        self.rows: Rows = copy.deepcopy(made.case.rows)
        self.released: Rows = copy.deepcopy(made.released)
        self.chance = random.Random(seed)

    @property
    def claim(self) -> Json:
        return self.certificate["claim"]  # type: ignore[no-any-return]

    @property
    def cells(self) -> list[Json]:
        return self.certificate["partition"]  # type: ignore[no-any-return]

    @property
    def columns(self) -> Json:
        return self.certificate["columns"]  # type: ignore[no-any-return]

    @property
    def released_columns(self) -> list[str]:
        return list(self.released[0])

    def used(self) -> Rows:
        columns = [c for role in self.columns.values() for c in role]
        if self.certificate["options"]["missing"] != "drop":
            return self.rows
        return [row for row in self.rows if all(row[c] is not None for c in columns)]

    def sign(self) -> None:
        """Recompute digests and numbers of rows, so that only what they stand for is a lie."""
        columns = [c for role in ("sensitive", "public", "given", "keep") for c in self.columns[role]]
        used = self.used()
        self.certificate["original"] = {"rows": len(used), "digest": digest(used, columns)}
        self.certificate["released"] = {
            "rows": len(self.released),
            "digest": digest(self.released, self.columns["public"] + self.columns["keep"]),
        }

    def fewest_rows(self) -> int:
        """The fewest rows that read alike to somebody who knows the given columns."""
        pairs = zip(self.used(), self.released, strict=True)
        seen = ((*shown.values(), *(row[c] for c in self.columns["given"])) for row, shown in pairs)
        return min(Counter(seen).values())

    def rerelease(self) -> None:
        """Make the released table what the cells say."""
        word = {tuple(m): cell["released"] for cell in self.cells for m in cell["members"]}
        public, keep = self.columns["public"], self.columns["keep"]
        self.released = [
            dict(zip(public, word[tuple(row[c] for c in public)], strict=True)) | {c: row[c] for c in keep}
            for row in self.used()
        ]

    def verify(self) -> Verification:
        return verify(
            self.certificate,
            original=_arrow(self.rows, list(self.rows[0])),
            released=_arrow(self.released, self.released_columns),
        )

    def verify_alone(self) -> dict[str, bool]:
        """The same by the single file, from tables in its own form."""
        original = certificate_oracle.Table(list(self.rows[0]), [list(row.values()) for row in self.rows])
        names = self.released_columns
        released = certificate_oracle.Table(names, [[row[c] for c in names] for row in self.released])
        raw = json.loads(json.dumps(self.certificate), parse_float=Decimal)
        return {check.name: check.holds for check in certificate_oracle.verify(raw, original, released)[0]}


def _arrow(rows: Rows, columns: list[str]) -> pa.Table:
    return pa.table({c: pa.array([row[c] for row in rows], pa.string()) for c in columns})


Lie = Callable[[Forgery], str | None]
"""Changes a forgery; the check that must fail, or None where there is nothing to lie about."""

LIES: dict[str, Lie] = {}


def lie(function: Lie) -> Lie:
    LIES[function.__name__] = function
    return function


# --- false claims ----------------------------------------------------------------------------------


def _false_count(name: str, change: int) -> Lie:
    def tell(forged: Forgery) -> str:
        forged.claim[name] += change
        return name

    return tell


for key, change in {
    "sensitive_values": 1,
    "public_values": 1,
    "cells": 1,
    "min_posterior": 1,
    "max_posterior": 1,
    "components": 1,
    "suppressed_rows": 1,
}.items():
    LIES[f"more_{key}"] = _false_count(key, change)


@lie
def fewer_components(forged: Forgery) -> str:
    forged.claim["components"] -= 1
    forged.claim["maximin_exact"] = str(max(1, forged.claim["components"]))
    return "components"


@lie
def less_leakage(forged: Forgery) -> str:
    ratio = Fraction(forged.claim["leakage_exact"])
    forged.claim["leakage_exact"] = str(ratio * Fraction(9, 10))
    return "leakage"


@lie
def less_maximin(forged: Forgery) -> str | None:
    if forged.claim["components"] == 1:
        return None
    forged.claim["maximin_exact"] = "1"
    return "maximin"


@lie
def more_resolution(forged: Forgery) -> str:
    forged.claim["resolution_exact"] = str(Fraction(forged.claim["resolution_exact"]) + Fraction(1, 7))
    return "resolution"


@lie
def less_distortion(forged: Forgery) -> str | None:
    if forged.claim["distortion"] in (None, 0):
        return None
    forged.claim["distortion_exact"] = "0"
    return "distortion"


@lie
def rounded_down_leakage(forged: Forgery) -> str | None:
    forged.claim["leakage"] -= 1e-9
    return "leakage"


@lie
def rounded_up_resolution(forged: Forgery) -> str:
    forged.claim["resolution"] += 1e-9
    return "resolution"


@lie
def rounded_down_distortion(forged: Forgery) -> str | None:
    if forged.claim["distortion"] in (None, 0):
        return None
    forged.claim["distortion"] *= 1 - 1e-9
    return "distortion"


@lie
def rounded_down_maximin(forged: Forgery) -> str:
    forged.claim["maximin"] -= 1e-9
    return "maximin"


@lie
def far_too_much_leakage(forged: Forgery) -> str:
    forged.claim["leakage"] += 1
    return "leakage"


@lie
def larger_posterior_of_a_cell(forged: Forgery) -> str:
    forged.chance.choice(forged.cells)["posterior"] += 1
    return "partition_counts"


@lie
def more_rows_of_a_cell(forged: Forgery) -> str:
    forged.chance.choice(forged.cells)["rows"] += 1
    return "partition_counts"


# --- targets and witnesses -------------------------------------------------------------------------


@lie
def posterior_target_not_met(forged: Forgery) -> str:
    forged.certificate["target"]["min_posterior"] = forged.claim["min_posterior"] + 1
    return "target"


@lie
def rows_target_not_met(forged: Forgery) -> str:
    forged.certificate["target"]["min_rows"] = forged.fewest_rows() + 1
    return "target"


@lie
def leakage_target_not_met(forged: Forgery) -> str | None:
    ratio = Fraction(forged.claim["leakage_exact"])
    if ratio == 1:
        return None
    forged.certificate["target"]["max_leakage"] = f"log2({ratio * Fraction(999, 1000)})"
    return "target"


@lie
def distortion_target_not_met(forged: Forgery) -> str | None:
    if forged.claim["distortion"] == 0:
        return None
    forged.certificate["target"]["max_distortion"] = "0"
    return "target"


@lie
def suppression_target_not_met(forged: Forgery) -> str | None:
    if not forged.claim["suppressed_rows"]:
        return None
    forged.certificate["target"]["suppress"] = "0"
    return "target"


@lie
def wrong_posterior_witness(forged: Forgery) -> str | None:
    least = forged.claim["min_posterior"]
    other = [i for i, cell in enumerate(forged.cells) if cell["posterior"] != least]
    forged.certificate["witness"]["posterior_cell"] = forged.chance.choice([*other, len(forged.cells)])
    return "witnesses"


@lie
def wrong_largest_witness(forged: Forgery) -> str | None:
    sizes = [0 if cell["suppressed"] else len(cell["members"]) for cell in forged.cells]
    smaller = [i for i, size in enumerate(sizes) if size < max(sizes)]
    if not any(sizes):
        return None
    forged.certificate["witness"]["largest_cell"] = forged.chance.choice([*smaller, len(sizes), None])
    return "witnesses"


@lie
def wrong_distortion_witness(forged: Forgery) -> str | None:
    witness = forged.certificate["witness"]
    if witness["distortion_member"] is None:
        return None
    witness["distortion_member"] = ["nobody"] * len(witness["distortion_member"])
    return "witnesses"


# --- changed tables --------------------------------------------------------------------------------


@lie
def changed_sensitive_cell(forged: Forgery) -> str:
    forged.chance.choice(forged.used())["secret"] = "another"
    return "original_digest"


@lie
def changed_public_cell_of_the_original(forged: Forgery) -> str:
    forged.chance.choice(forged.used())[forged.columns["public"][0]] = "123456"
    return "original_digest"


@lie
def changed_public_cell_signed(forged: Forgery) -> str:
    forged.chance.choice(forged.used())[forged.columns["public"][0]] = "123456"
    forged.sign()
    return "partition"


@lie
def changed_released_cell(forged: Forgery) -> str:
    forged.chance.choice(forged.released)[forged.columns["public"][0]] = "123456"
    return "released_digest"


@lie
def changed_released_cell_signed(forged: Forgery) -> str:
    forged.chance.choice(forged.released)[forged.columns["public"][0]] = "123456"
    forged.sign()
    return "release"


@lie
def changed_kept_cell(forged: Forgery) -> str | None:
    if not forged.columns["keep"]:
        return None
    forged.chance.choice(forged.released)["kept"] = "another"
    forged.sign()
    return "release"


@lie
def extra_released_row(forged: Forgery) -> str:
    forged.released.append(dict(forged.released[0]))
    forged.sign()
    return "release"


@lie
def missing_released_row(forged: Forgery) -> str | None:
    if len(forged.released) < 2:
        return None
    forged.released.pop(forged.chance.randrange(len(forged.released)))
    return "released_rows"


@lie
def extra_original_row(forged: Forgery) -> str:
    forged.rows.append(dict(forged.chance.choice(forged.used())))
    forged.sign()
    return "partition_counts"


@lie
def empty_released_row_where_missing_ones_are_dropped(forged: Forgery) -> str:
    forged.released.append(dict.fromkeys(forged.released[0]))
    forged.sign()
    return "release"


@lie
def another_table(forged: Forgery) -> str:
    for row in forged.rows:
        row["secret"] = f"{row['secret']} of another table"
    return "original_digest"


@lie
def extra_released_column(forged: Forgery) -> str:
    for row in forged.released:
        row["the secret itself"] = "s1"
    return "columns"


@lie
def missing_kept_column(forged: Forgery) -> str | None:
    if not forged.columns["keep"]:
        return None
    forged.columns["keep"] = []
    forged.sign()
    return "columns"


# --- changed partitions ----------------------------------------------------------------------------


@lie
def moved_member(forged: Forgery) -> str | None:
    if len(forged.cells) < 2:
        return None
    one, other = forged.chance.sample(forged.cells, 2)
    if not one["members"]:
        return None
    other["members"].append(one["members"].pop())
    return "release" if one["members"] else "partition"


@lie
def merged_cells(forged: Forgery) -> str | None:
    if len(forged.cells) < 2:
        return None
    forged.cells[0]["members"] += forged.cells.pop()["members"]
    return "release"


@lie
def merged_cells_released_anew(forged: Forgery) -> str | None:
    if len(forged.cells) < 2:
        return None
    forged.cells[0]["members"] += forged.cells.pop()["members"]
    forged.rerelease()
    forged.sign()
    return "cells"


@lie
def split_cell_that_reads_alike(forged: Forgery) -> str | None:
    wide = [cell for cell in forged.cells if len(cell["members"]) > 1]
    if not wide:
        return None
    part = copy.deepcopy(wide[0])
    part["members"] = [wide[0]["members"].pop()]
    forged.cells.append(part)
    return "partition"


@lie
def split_cell(forged: Forgery) -> str | None:
    wide = [cell for cell in forged.cells if len(cell["members"]) > 1]
    if not wide:
        return None
    part = copy.deepcopy(wide[0])
    part["members"] = [wide[0]["members"].pop()]
    part["released"] = ["987654"] * len(part["released"])
    forged.cells.append(part)
    return "release"


@lie
def member_that_does_not_occur(forged: Forgery) -> str:
    forged.cells[0]["members"].append(["99999"] * len(forged.columns["public"]))
    return "partition"


@lie
def member_listed_twice(forged: Forgery) -> str:
    cell = forged.chance.choice(forged.cells)
    cell["members"].append(cell["members"][0])
    return "partition"


@lie
def member_left_out(forged: Forgery) -> str:
    cell = forged.chance.choice(forged.cells)
    cell["members"].pop()
    return "partition"


@lie
def empty_cell(forged: Forgery) -> str:
    width = len(forged.columns["public"])
    cell = {"released": ["0.125"] * width, "members": [], "rows": 0, "posterior": 99, "suppressed": False}
    forged.cells.append(cell)
    return "partition"


@lie
def swapped_words(forged: Forgery) -> str | None:
    for one in forged.cells:
        for other in forged.cells:
            if one["rows"] != other["rows"]:
                one["released"], other["released"] = other["released"], one["released"]
                return "release"
    return None


@lie
def five_written_as_five_point_zero(forged: Forgery) -> str | None:
    kinds = forged.certificate["options"]["kinds"]
    for place, column in enumerate(forged.columns["public"]):
        for cell in forged.cells:
            word = cell["released"][place]
            if kinds[column] == "number" and word is not None and word.isdecimal():
                cell["released"][place] = f"{word}.0"
                forged.rerelease()
                forged.sign()
                return "codewords"
    return None


@lie
def suppressed_in_the_certificate_only(forged: Forgery) -> str | None:
    shown = [cell for cell in forged.cells if not cell["suppressed"] and set(cell["released"]) != {"*"}]
    if not shown:
        return None
    forged.chance.choice(shown)["suppressed"] = True
    return "partition"


@lie
def suppressed_to_hide_a_distortion(forged: Forgery) -> str | None:
    if any(cell["suppressed"] or set(cell["released"]) == {"*"} for cell in forged.cells):
        return None
    cell = forged.chance.choice(forged.cells)
    cell["suppressed"], cell["released"] = True, ["*"] * len(cell["released"])
    forged.rerelease()
    forged.sign()
    return "suppressed_rows"


@lie
def hidden_without_being_suppressed(forged: Forgery) -> str | None:
    lines = ("number", "category")
    if not set(forged.certificate["options"]["kinds"].values()) & set(lines):
        return None
    cell = forged.chance.choice(forged.cells)
    if cell["suppressed"] or any(set(other["released"]) == {"*"} for other in forged.cells):
        return None
    cell["released"] = ["*"] * len(cell["released"])
    forged.rerelease()
    forged.sign()
    return "codewords"


# --- false statements ------------------------------------------------------------------------------


@lie
def sensitive_column_listed_as_public_too(forged: Forgery) -> str:
    forged.columns["public"].append("secret")
    return "format"


@lie
def column_named_twice(forged: Forgery) -> str:
    forged.columns["keep"].append(forged.columns["public"][0])
    return "format"


@lie
def claim_of_something_unknown(forged: Forgery) -> str:
    forged.claim["k_anonymity"] = 50
    return "format"


@lie
def target_of_something_unknown(forged: Forgery) -> str:
    forged.certificate["target"]["min_k_anonymity"] = 50
    return "format"


@lie
def negative_weight(forged: Forgery) -> str:
    forged.certificate["options"]["weights"] = {forged.columns["public"][0]: "-1"}
    return "format"


@lie
def no_distance_but_a_claim(forged: Forgery) -> str | None:
    if forged.certificate["options"]["distance"] is None:
        return None
    forged.certificate["options"]["distance"] = None
    return "distortion"


@lie
def a_distance_but_no_claim(forged: Forgery) -> str | None:
    if forged.certificate["options"]["distance"] is None:
        return None
    forged.claim.update(distortion=None, distortion_exact=None)
    return "distortion"


@lie
def hierarchy_that_leaves_out_a_value(forged: Forgery) -> str | None:
    for column, tree in forged.certificate["hierarchies"].items():
        values = {row[column] for row in forged.used()} - {None}
        if values:
            del tree[min(map(str, values))]
            return "codewords"
    return None


@lie
def span_that_leaves_out_a_number(forged: Forgery) -> str | None:
    options = forged.certificate["options"]
    if options["distance"] != "gower" or not options["spans"]:
        return None
    column = next(iter(options["spans"]))
    if all(row[column] is None for row in forged.used()) or all(c["suppressed"] for c in forged.cells):
        return None
    options["spans"][column] = ["1000", "2000"]
    return "distortion"
