"""Tiny towns with SQL about expressions of a row, whose answers are computed by the definition."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from random import Random

from noiseless.curator.edition import Edition
from noiseless.questions.public_table import PublicTable
from oracle.towns import Question, Row, Town

Value = Callable[[Row], Fraction | None]
Holds = Callable[[Row], bool | None]


class ExpressionTown(Town):
    """The same towns, asked about what is computed of each row."""

    def __init__(self, random: Random, rows: int = 1) -> None:
        super().__init__(random, rows, sql=False)

    def x(self, row: Row) -> Fraction:
        return Fraction(self.value(row.x))

    def expression(self) -> tuple[str, Value]:
        """A number of each row; some have none."""
        one, two = (self.random.randint(-2, 3) for _ in range(2))
        kind = self.random.randrange(self.kinds)
        name = "pqr"[kind]
        chosen: list[tuple[str, Value]] = [
            (f"ABS(x - ({one})) * 2", lambda row: abs(self.x(row) - one) * 2),
            ("FLOOR(x / 2)", lambda row: Fraction(self.x(row) // 2)),
            (
                f"x * CASE y WHEN '{name}' THEN {one} ELSE {two} END",
                lambda row: self.x(row) * (one if row.y == kind else two),
            ),
            (f"GREATEST(x, {one})", lambda row: max(self.x(row), Fraction(one))),
            (
                f"CASE WHEN town = 'a' THEN x ELSE {one} END",
                lambda row: self.x(row) if row.town == "a" else Fraction(one),
            ),
            (f"NULLIF(x, {one})", lambda row: None if self.x(row) == one else self.x(row)),
            (
                f"COALESCE(NULLIF(x, {one}), {two})",
                lambda row: Fraction(two) if self.x(row) == one else self.x(row),
            ),
            (
                f"CASE WHEN y = '{name}' THEN x * x WHEN x > {one} THEN {two} END",
                lambda row: (
                    self.x(row) ** 2 if row.y == kind else Fraction(two) if self.x(row) > one else None
                ),
            ),
            ("ROUND(x / 4, 1)", lambda row: _half_away(self.x(row) * 10 / 4) / 10),
            (f"x / (ABS(x - ({one})) + 1)", lambda row: self.x(row) / (abs(self.x(row) - one) + 1)),
        ]
        return self.random.choice(chosen)

    def condition(self) -> tuple[str, Holds]:
        """A condition on several columns, or on an expression; None where it is unknown."""
        bound, kind = self.value(self.random.randrange(self.size)), self.random.randrange(self.kinds)
        name, low = "pqr"[kind], self.value(self.random.randrange(self.size - 1))
        chosen: list[tuple[str, Holds]] = [
            (f"(x >= {bound} AND y = '{name}')", lambda row: self.x(row) >= bound and row.y == kind),
            (f"(x < {bound} OR y <> '{name}')", lambda row: self.x(row) < bound or row.y != kind),
            (f"NOT (x = {bound} AND y = '{name}')", lambda row: not (self.x(row) == bound and row.y == kind)),
            (f"(town = 'a' OR x > {low})", lambda row: row.town == "a" or self.x(row) > low),
            (f"x * x > {bound}", lambda row: self.x(row) ** 2 > bound),
            (
                f"NOT (NULLIF(x, {bound}) > 1)",
                lambda row: None if self.x(row) == bound else not self.x(row) > 1,
            ),
            (
                f"x > CASE WHEN y = '{name}' THEN {bound} ELSE 1 END",
                lambda row: self.x(row) > (bound if row.y == kind else 1),
            ),
        ]
        return self.random.choice(chosen)

    def aggregate(self) -> tuple[str, Callable[[list[Fraction]], Fraction]]:
        """An aggregate of numbers, of which there is at least one unless it is a sum."""
        share = self.random.choice((Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)))
        chosen: list[tuple[str, Callable[[list[Fraction]], Fraction]]] = [
            ("SUM({})", lambda values: sum(values, Fraction(0))),
            ("MIN({})", min),
            ("MAX({})", max),
            ("MEDIAN({})", _median),
            (
                f"QUANTILE_DISC({{}}, {float(share)})",
                lambda values: sorted(values)[
                    max(-(-share.numerator * len(values) // share.denominator), 1) - 1
                ],
            ),
        ]
        if self.limits.least_group is not None:
            chosen.append(("AVG({})", lambda values: sum(values, Fraction(0)) / len(values)))
        if self.rows_a_person == 1:
            chosen.append(("VAR_POP({})", _variance))
        return self.random.choice(chosen)

    def question(self) -> Question:
        while True:
            made = self.random.choice((self.counted, self.aggregated, self.aggregated, self.classified))()
            if made is not None:
                return made

    def records_of(self, towns: str = "ab") -> list[Row]:
        return [Row(town, *record) for town in towns for record in self.records]

    def counted(self) -> Question | None:
        condition, holds = self.condition()
        if not any(holds(row) for row in self.records_of()):
            return None
        hint = self._hint()
        towns = sorted(set(self.towns))
        if self.random.random() < 0.5:
            return Question(
                f"SELECT {hint}COUNT(*) FROM t WHERE {condition}",
                lambda rows: [Fraction(sum(bool(holds(row)) for row in rows))],
            )
        return Question(
            f"SELECT {hint}town, COUNT(*) FILTER (WHERE {condition}) FROM t GROUP BY town",
            lambda rows: [
                Fraction(sum(bool(holds(row)) for row in rows if row.town == town)) for town in towns
            ],
        )

    def aggregated(self) -> Question | None:
        text, value = self.expression() if self.random.random() < 0.7 else ("x", self.x)
        condition, holds = self.condition() if self.random.random() < 0.5 else ("TRUE", lambda _: True)
        name, work = self.aggregate()
        every = self.records_of()
        passing = [row for row in every if holds(row)]
        if not passing or all(value(row) is None for row in passing):
            return None
        filtered = len(passing) < len(every) or any(value(row) is None for row in passing)
        if len({value(row) for row in every}) == 1 and filtered:
            return None

        def truth(rows: Sequence[Row]) -> Fraction | None:
            found = [v for row in rows if holds(row) and (v := value(row)) is not None]
            return self._told(name, work, found, filtered=filtered, everybody=len(rows) == len(self.towns))

        sql = f"SELECT {self._hint()}{name.format(text)} FROM t WHERE {condition}"
        return Question(sql, lambda rows: [truth(rows)])

    def classified(self) -> Question | None:
        """GROUP BY private columns and expressions, with and without a filter."""
        keys: list[tuple[str, Callable[[Row], object]]] = self.random.choice(
            [
                [("y", lambda row: "pqr"[row.y])],
                [("x", self.x), ("y", lambda row: "pqr"[row.y])],
                [("FLOOR(x / 2)", lambda row: self.x(row) // 2)],
                [("y", lambda row: "pqr"[row.y]), ("x % 2", lambda row: _remainder(self.x(row)))],
            ]
        )
        condition, holds = self.condition() if self.random.random() < 0.4 else ("TRUE", lambda _: True)
        name, work = self.random.choice((("COUNT(*)", None), self.aggregate()))
        every = self.records_of()
        if not any(holds(row) for row in every):
            return None
        classes = sorted({tuple(key(row) for _, key in keys) for row in every})

        def truth(rows: Sequence[Row], own: tuple[object, ...]) -> Fraction | None:
            found = [row for row in rows if holds(row) and tuple(key(row) for _, key in keys) == own]
            if work is None:
                return Fraction(len(found))
            return self._told(name, work, [self.x(row) for row in found], filtered=True, everybody=True)

        texts = ", ".join(text for text, _ in keys)
        number = name if work is None else name.format("x")
        sql = f"SELECT {self._hint()}{texts}, {number} FROM t WHERE {condition} GROUP BY {texts}"
        return Question(sql, lambda rows: [truth(rows, own) for own in classes])

    def _told(
        self,
        name: str,
        work: Callable[[list[Fraction]], Fraction],
        values: list[Fraction],
        *,
        filtered: bool,
        everybody: bool,
    ) -> Fraction | None:
        if name.startswith("SUM"):
            return work(values)
        least = self.limits.least_group or 1
        if filtered and len(values) < least:
            return None
        if name.startswith("AVG") and len(values) < least and not everybody:
            return None
        return work(values) if values else None

    def _hint(self) -> str:
        return self.random.choice(("", "", "/*+ bits(2) */ ", "/*+ reach(3) */ ", "/*+ reach(7) */ "))


def _half_away(value: Fraction) -> Fraction:
    whole = Fraction(int(abs(value) + Fraction(1, 2)))
    return whole if value >= 0 else -whole


def _remainder(value: Fraction) -> Fraction:
    return abs(value) % 2 * (1 if value >= 0 else -1)


def _median(values: list[Fraction]) -> Fraction:
    ordered, many = sorted(values), len(values)
    return (ordered[(many - 1) // 2] + ordered[many // 2]) / 2


def _variance(values: list[Fraction]) -> Fraction:
    middle = sum(values, Fraction(0)) / len(values)
    return sum(((value - middle) ** 2 for value in values), Fraction(0)) / len(values)


class SameKindTown(ExpressionTown):
    """All rows of a person have the same y."""

    per = ("y",)


class HomeTown(ExpressionTown):
    """All rows of a person are in one town, and have the same y."""

    per = ("town", "y")


class PersonTown(HomeTown):
    """Asked about numbers of all rows of each person."""

    def question(self) -> Question:
        if self.random.random() < 0.3:
            return super().question()
        kind = "pqr"[self.random.randrange(self.kinds)]
        numbers: list[tuple[str, Callable[[Sequence[Row]], Fraction]]] = [
            ("SUM(x)", lambda rows: sum(map(self.x, rows), Fraction(0))),
            ("MAX(x)", lambda rows: max(map(self.x, rows))),
            ("MIN(x * x)", lambda rows: min(self.x(row) ** 2 for row in rows)),
            ("COUNT(*)", lambda rows: Fraction(len(rows))),
            (f"COUNT_IF(y = '{kind}' AND x > 0)", lambda rows: _passing(self, rows, kind)),
        ]
        text, number = self.random.choice(numbers)
        bound = self.random.choice((-1, 0, 3, 4))
        name, work = self.random.choice(
            (
                ("SUM(t)", lambda values: sum(values, Fraction(0))),
                ("MAX(t)", max),
                (
                    f"COUNT(*) FILTER (WHERE t <> {bound})",
                    lambda values: Fraction(sum(v != bound for v in values)),
                ),
                ("SUM(t * t)", lambda values: sum((v * v for v in values), Fraction(0))),
            )
        )
        view = f"(SELECT person, town, y, {text} AS t FROM t GROUP BY person, town, y)"
        towns, hint = sorted(set(self.towns)), self._hint()

        def told(rows: Sequence[Row], chosen: Callable[[Row], bool]) -> list[Fraction]:
            persons: dict[int, list[Row]] = {}
            for row, owner in zip(rows, self.owners, strict=True):
                persons.setdefault(owner, []).append(row)
            return [number(own) for own in persons.values() if chosen(own[0])]

        if self.random.random() < 0.5:
            return Question(
                f"SELECT {hint}{name} FROM {view}", lambda rows: [work(told(rows, lambda _: True))]
            )
        return Question(
            f"SELECT {hint}town, {name} FROM {view} GROUP BY town",
            lambda rows: [work(told(rows, partial(_lives_in, town))) for town in towns],
        )


def _lives_in(town: str, row: Row) -> bool:
    return row.town == town


def _passing(town: Town, rows: Sequence[Row], kind: str) -> Fraction:
    return Fraction(sum("pqr"[row.y] == kind and town.value(row.x) > 0 for row in rows))


WORTH = {"p": Fraction(2), "q": Fraction(-1)}
REGIONS = {"a": "upper"}
"""What public tables say of kinds and of towns; of others they say nothing."""


class JoinTown(ExpressionTown):
    """Asked about columns of public tables, joined on a public and on a private column."""

    def __init__(self, random: Random, rows: int = 1) -> None:
        super().__init__(random, rows)
        kinds = PublicTable.of("kinds", "y", {"y": [*WORTH], "worth": [2, -1]})
        places = PublicTable.of("places", "town", {"town": [*REGIONS], "region": ["upper"]})
        self.limits = replace(self.limits, tables=(kinds, places))
        self.public = replace(self.public, limits=self.limits)
        self.edition = Edition(self.public, "t", "digest", random.choice((2, 3, 4, 8)))

    def question(self) -> Question:
        inner, name = self.random.random() < 0.5, self.random.choice(("worth", "worth * x"))
        bound = self.random.choice((-1, 0, 1))
        join = f"t {'JOIN' if inner else 'LEFT JOIN'} kinds ON kinds.y = t.y LEFT JOIN places p USING (town)"

        def value(row: Row) -> Fraction | None:
            found = WORTH.get("pqr"[row.y])
            return found if found is None or name == "worth" else found * self.x(row)

        def kept(rows: Sequence[Row]) -> list[Row]:
            return [row for row in rows if not inner or "pqr"[row.y] in WORTH]

        def counted(rows: Sequence[Row]) -> list[Fraction | None]:
            found = [row for row in kept(rows) if self._holds(row, bound)]
            return [Fraction(len(found))]

        def added(rows: Sequence[Row]) -> list[Fraction | None]:
            return [sum((value(row) or Fraction(0) for row in kept(rows)), Fraction(0))]

        if self.random.random() < 0.5:
            return Question(f"SELECT {self._hint()}SUM({name}) FROM {join}", added)
        condition = f"NOT (worth > {bound}) OR p.region = 'upper'"
        return Question(f"SELECT {self._hint()}COUNT(*) FROM {join} WHERE {condition}", counted)

    def _holds(self, row: Row, bound: int) -> bool:
        worth = WORTH.get("pqr"[row.y])
        return (worth is not None and not worth > bound) or row.town in REGIONS
