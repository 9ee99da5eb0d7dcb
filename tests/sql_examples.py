"""Random SELECTs about one declared table: written by a grammar, respelt, and spoilt."""

import re
from random import Random

from noiseless.domain import Schema

COLUMNS = """
    [columns.suburb]
    role = "public"
    categories = ["north", "south", "it's east"]
    [columns.year]
    role = "public"
    bounds = [2018, 2021]
    [columns."Plan B"]
    role = "public"
    type = "boolean"
    [columns.kwh]
    role = "private"
    bounds = [-1, 4]
    step = 0.5
    [columns.solar]
    role = "private"
    type = "boolean"
    [columns.job]
    role = "private"
    categories = ["clerk", "nurse", "cook"]
    [columns.born]
    role = "private"
    bounds = [1990-01-01, 1990-01-10]
    step = 3
    """
SCHEMA = Schema.parse(COLUMNS)
TABLE = "meters"


class Grammar:
    """Writes statements that are mostly accepted."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def sometimes(self, text: str, chance: float = 0.5) -> str:
        return text if self.random.random() < chance else ""

    def number(self) -> str:
        return self.one("0", "1", "2", "3.5", "-0.5", "1.25", "4", "-1", "7", ".5", "2e0", "(1 + 0.5)")

    def public(self, depth: int = 2) -> str:
        """A condition on public columns."""
        if depth and self.random.random() < 0.4:
            return self.joined(self.public, depth)
        return self.one(
            f"suburb {self.one('=', '<>', '!=')} {self.suburb()}",
            f"suburb {self.one('IN', 'NOT IN')} ({self.suburb()}, {self.suburb()})",
            f"year {self.operator()} {self.one('2018', '2019', '2020', '2021', '2019.5', '1900')}",
            f"{self.one('2019', '2020')} {self.operator()} year",
            f"year {self.sometimes('NOT ')}BETWEEN 2018 AND {self.one('2019', '2020')}",
            '"Plan B"',
            f'"Plan B" IS {self.sometimes("NOT ")}TRUE',
            f"meters.year - 2018 {self.operator()} {self.one('0', '1', '2')}",
        )

    def hidden(self, depth: int = 2, column: str | None = None) -> str:
        """A condition on one private column."""
        column = column or self.one("kwh", "solar", "job", "born")
        if depth and self.random.random() < 0.4:
            return self.joined(lambda deeper: self.hidden(deeper, column), depth)
        if column == "kwh":
            return self.one(
                f"kwh {self.operator()} {self.number()}",
                f"{self.number()} {self.operator()} kwh",
                f"2 * kwh + 1 {self.operator()} {self.number()}",
                f"kwh {self.sometimes('NOT ')}BETWEEN {self.number()} AND {self.number()}",
                f"kwh {self.sometimes('NOT ')}IN ({self.number()}, {self.number()}, {self.number()})",
                f"-kwh {self.operator()} {self.number()}",
            )
        if column == "solar":
            return self.one("solar", "NOT solar", "solar = TRUE", "solar <> TRUE", "solar IS FALSE")
        if column == "job":
            jobs = self.one("'clerk'", "'nurse'", "'cook'")
            return self.one(f"job {self.one('=', '<>', '<', '>=')} {jobs}", f"job IN ({jobs}, 'cook')")
        day = self.one("DATE '1990-01-04'", "'1990-01-05'", "CAST('1990-01-07' AS DATE)")
        return f"born {self.operator()} {day}"

    def joined(self, make, depth: int) -> str:  # type: ignore[no-untyped-def]  # noqa: ANN001 - a maker of texts
        if self.random.random() < 0.3:
            return f"NOT ({make(depth - 1)})"
        return f"({make(depth - 1)} {self.one('AND', 'OR')} {make(depth - 1)})"

    def operator(self) -> str:
        return self.one("=", "<>", "<", "<=", ">", ">=")

    def suburb(self) -> str:
        return self.one("'north'", "'south'", "'it''s east'")

    def filter(self) -> str:
        """Public and private parts joined by AND."""
        parts = self.random.choice(
            [[], [self.public()], [self.hidden()], [self.public(), self.hidden()], [self.condition()]]
        )
        self.random.shuffle(parts)
        return " AND ".join(f"({part})" for part in parts)

    def argument(self) -> str:
        plain = self.one("kwh", "kwh", "2 * kwh + 1", "-kwh", "kwh / 4 - 1", "(kwh)")
        return self.expression() if self.random.random() < 0.3 else plain

    def expression(self, depth: int = 1) -> str:
        """A number of each row, of one column or several."""
        inner = "kwh" if not depth else self.one("kwh", "kwh", self.expression(depth - 1))
        return self.one(
            f"ABS({inner} - 1)",
            f"FLOOR({inner} / 2)",
            f"CEIL({inner})",
            f"ROUND({inner} / 4, 1)",
            f"{inner} * kwh",
            f"{inner} * (year - 2017)",
            f"GREATEST({inner}, {self.one('0', '1', 'year - 2019')})",
            f"LEAST({inner}, {self.one('0.5', '2')})",
            f"CASE WHEN {self.condition()} THEN {inner} ELSE {self.one('1', '-2', 'kwh + 1')} END",
            f"CASE WHEN {self.condition()} THEN {inner} WHEN {self.condition()} THEN 1 ELSE 0 END",
            f"COALESCE(NULLIF({inner}, {self.one('1', '0')}), 5)",
            f"CAST(solar AS INT) * ({inner})",
            f"{inner} / (year - 2000)",
            "EXTRACT(day FROM born) + kwh",
            f"SIGN({inner} - 0.5)",
            f"CAST({self.condition()} AS INT) - {inner}",
        )

    def condition(self) -> str:
        """A condition on expressions, or on several columns joined in any way."""
        return self.one(
            f"({self.hidden(1)} AND {self.hidden(1)})",
            f"({self.hidden(1)} OR {self.hidden(1)})",
            f"({self.public(1)} OR {self.hidden(1)})",
            f"NOT ({self.hidden(1)} AND {self.public(1)})",
            f"kwh * kwh {self.operator()} {self.number()}",
            f"kwh {self.operator()} year - 2018",
            f"FLOOR(kwh / 2) = {self.one('0', '1', '-1')}",
            f"EXTRACT(day FROM born) {self.operator()} {self.one('1', '4', '5')}",
            f"job LIKE '{self.one('c%', '%k', 'n_rse', '%')}'",
            f"kwh > CASE WHEN solar THEN {self.one('0', '1')} ELSE 2 END",
        )

    def bin(self) -> str:
        """A private expression to group by."""
        return self.one(
            *("solar", "job", "FLOOR(kwh / 2)", "kwh > 1", "solar AND kwh > 0", "EXTRACT(day FROM born)"),
            *("CASE WHEN kwh < 1 THEN 'low' WHEN kwh < 3 THEN 'middle' ELSE 'high' END",),
        )

    def aggregate(self, *, filtered: bool = False) -> str:
        """One that is accepted under a private filter, or any."""
        plain = [
            "COUNT(*)",
            "COUNT(kwh)",
            f"SUM({self.argument()})",
            f"SUM(CASE WHEN {self.public(1)} THEN kwh ELSE 0 END)",
        ]
        if filtered:
            return self.random.choice([*plain, self.narrowed(), self.narrowed()])
        more = [
            self.narrowed(),
            f"AVG({self.argument()})",
            f"MIN({self.argument()})",
            f"MAX({self.argument()})",
            f"MEDIAN({self.argument()})",
            f"VAR_POP({self.argument()})",
            "VARIANCE(kwh)",
            "STDDEV_POP(kwh)",
            "STDDEV(kwh)",
            f"{self.one('QUANTILE_DISC', 'quantile_disc')}(kwh, {self.one('0.25', '0.5', '0.75', '0', '1')})",
            f"PERCENTILE_DISC({self.one('0.25', '0.5')}) WITHIN GROUP (ORDER BY kwh)",
            f"SUM(CASE WHEN {self.hidden(1)} THEN {self.one('kwh', '1')} {self.sometimes('ELSE 0')} END)",
            f"COUNT(*) FILTER (WHERE {self.hidden(1)})",
            f"SUM(kwh) FILTER (WHERE {self.hidden(1)})",
            f"COUNT(CASE WHEN {self.hidden(1)} THEN 1 END)",
            f"AVG(CASE WHEN {self.hidden(1)} THEN 1 ELSE 0 END)",
            f"{self.one('COVAR_POP', 'COVAR_SAMP', 'CORR')}(kwh, {self.expression()})",
            f"VARIANCE(CASE WHEN {self.condition()} THEN kwh {self.sometimes('ELSE 0')} END)",
            f"{self.one('COVAR_POP', 'COVAR_SAMP')}(CASE WHEN {self.condition()} THEN kwh ELSE 0 END, kwh)",
        ]
        return self.random.choice(plain + more)

    def narrowed(self, column: str | None = None) -> str:
        """An aggregate with conditions of its own: they may follow from WHERE, or shut everybody out."""
        condition = self.one(
            self.edge(), self.public(1), self.hidden(1, column or self.one("kwh", "kwh", "solar", "job"))
        )
        head = self.one(
            "COUNT(*)", "SUM(kwh)", "AVG(kwh)", "AVG(solar)", "MAX(kwh)", "VARIANCE(kwh)", "COUNT(*)"
        )
        return self.one(
            f"{head} FILTER (WHERE {condition})",
            f"{head} FILTER (WHERE {condition})",
            f"COUNT(CASE WHEN {condition} THEN 1 END)",
            f"{self.one('SUM', 'AVG')}(CASE WHEN {condition} THEN {self.one('kwh', '1')} ELSE 0 END)",
            f"AVG(CASE WHEN {self.edge()} THEN kwh ELSE 0 END) FILTER (WHERE {condition})",
        )

    def edge(self) -> str:
        """A condition that nobody passes, or everybody, or that is about a group with nobody in it."""
        return self.one(
            f"kwh BETWEEN {self.one('-1', '-9')} AND {self.one('4', '9', '2')}",
            f"kwh IN ({self.one('-1', '9')}, {self.one('4', '8')})",
            "kwh > 100",
            "kwh BETWEEN 3 AND 2",
            "kwh < 100",
            "year IN (2018, 2019, 2020, 2021)",
            f"year BETWEEN 2018 AND {self.one('2018', '2021', '2000')}",
            "year = 1900",
            "solar AND NOT solar",
            "solar OR NOT solar",
            "job IN ('clerk', 'nurse', 'cook')",
            self.one("TRUE", "FALSE", "1 = 2"),
        )

    def output(self, *, filtered: bool) -> str:
        text = self.aggregate(filtered=filtered)
        if self.random.random() < 0.25:
            other = self.one("2", "100.0", self.aggregate(filtered=filtered), "COUNT(*)")
            text = f"{text} {self.one('+', '-', '*', '/')} {other}"
        return text

    def statement(self) -> str:
        """One SELECT."""
        where = self.filter()
        filtered = any(name in where for name in ("kwh", "solar", "job", "born"))
        keys = self.random.choice([[], [], ["suburb"], ["year"], ["suburb", "year"], ['"Plan B"']])
        if self.random.random() < 0.2:
            keys = [*keys, *dict.fromkeys(self.bin() for _ in range(self.random.randint(1, 2)))]
            counts = self.one("COUNT(*)", "2 * COUNT(*)", f"COUNT(*) FILTER (WHERE {self.public(1)})")
            outputs = [counts, self.one("SUM(kwh)", "MAX(kwh)", f"SUM({self.expression()})", counts)]
        else:
            outputs = [self.output(filtered=filtered) for _ in range(self.random.randint(1, 3))]
        named = [f"{text} AS o{place}" for place, text in enumerate(outputs)]
        text = f"SELECT {', '.join([*keys, *named])} FROM meters"
        text += f" WHERE {where}" if where else ""
        if keys:
            text += f" GROUP BY {', '.join(keys)}"
            if not set(keys) - {"suburb", "year", '"Plan B"'} and not filtered:
                text += self.sometimes(
                    f" HAVING COUNT(*) {self.operator()} {self.random.randint(0, 12)}", 0.2
                )
            text += f" ORDER BY {self.sometimes('o0 DESC, ')}{', '.join(keys)}"
            text += self.sometimes(f" LIMIT {self.random.randint(1, 5)}", 0.3)
        return text

    def implied(self) -> str:
        """A plain statement whose WHERE implies the condition of its aggregate, with some constants."""
        column, values, more = self.random.choice(
            [
                ("kwh", ("0", "1", "1.5", "2", "3", "4"), ""),
                ("year", ("2018", "2019", "2020", "2021"), ", COUNT(*) AS o1"),
                ("suburb", ("'north'", "'south'", "'it''s east'"), ", COUNT(*) AS o1"),
            ]
        )
        low, high = sorted(self.random.choices(values, k=2))
        inner = self.one(f"{column} IN ({low}, {high})", f"{column} BETWEEN {low} AND {high}")
        head = self.one(
            "COUNT(*) FILTER (WHERE {})", "COUNT(CASE WHEN {} THEN 1 END)", "SUM(kwh) FILTER (WHERE {})"
        )
        sign = "=" if column == "suburb" else self.one("=", "<=", ">=", "<")
        where = f"{column} {sign} {self.one(*values)}{self.sometimes(' AND year >= 2019', 0.2)}"
        return f"SELECT {head.format(inner)} AS o0{more} FROM meters WHERE {where}"

    def odd(self) -> str:
        """A statement that goes beyond the language in some way, or is at its edge."""
        inner, where = self.statement(), self.filter() or "TRUE"
        return self.one(
            f"SELECT {self.one('kwh', '*', 'DISTINCT suburb', 'ROUND(AVG(kwh), 1)')} FROM meters",
            f"SELECT COUNT(*) FROM meters m {self.one('JOIN', 'CROSS JOIN', ',')} meters n WHERE {where}",
            f"SELECT COUNT(*) FROM ({inner}) AS t",
            f"{inner} UNION {inner}",
            f"WITH t AS ({inner}) SELECT * FROM t",
            f"SELECT COUNT(*) FROM meters WHERE {self.public()} OR {self.hidden()}",
            f"SELECT COUNT(*) FROM meters WHERE {self.hidden(1, 'kwh')} AND {self.hidden(1, 'solar')}",
            f"SELECT MAX(kwh) FROM meters WHERE {self.hidden()}",
            f"SELECT AVG(kwh) FROM meters WHERE {self.hidden()}",
            f"SELECT COUNT(*) FROM meters HAVING COUNT(*) > {self.number()}",
            f"SELECT /*+ {self.one('bits(2)', 'reach(3)', 'max_error(.5)', 'bits', 'x(1)')} */ {inner[7:]}",
            f"SELECT SUM(kwh) OVER (PARTITION BY suburb) FROM meters",  # noqa: F541 - one of many
            f"{inner}; {inner}",
            f"SELECT {self.aggregate()} FROM meters WHERE kwh LIKE '%{self.number()}'",
            f"SELECT job, born, COUNT(*) FROM meters GROUP BY job, born",  # noqa: F541 - one of many
            f"SELECT suburb, {self.aggregate()} FROM meters GROUP BY 1 ORDER BY 2 DESC LIMIT {self.number()}",
            f"DELETE FROM meters WHERE {where}",
            f"SELECT COUNT(*) FROM meters WHERE kwh = {self.one('NULL', 'DATE', '?', ':a', '1e999', '0x1F')}",
        )


_BITS = (
    *(
        "SELECT",
        "FROM",
        "WHERE",
        "AND",
        "OR",
        "NOT",
        "(",
        ")",
        ",",
        "*",
        "'",
        '"',
        ";",
        "--",
        "/*",
        "*/",
        "+",
    ),
    *("NULL", "CASE", "WHEN", "END", "IN", "BETWEEN", "GROUP BY", "ORDER BY", "LIMIT", "OVER", "->", "::"),
    *(
        "COUNT(*)",
        "kwh",
        "meters",
        "\0",
        "\n",
        "é",
        "\N{MATHEMATICAL DOUBLE-STRUCK DIGIT ZERO}",
        "\ud800",
        "1e9",
        "999999999999999999999",
        "$1",
        "@",
    ),
    *("/*+ bits(1) */", "DISTINCT", "FILTER (WHERE", "UNION", "JOIN", "IS", "LIKE", "[", "]", "{", "}", "\\"),
)


def spoilt(text: str, random: Random) -> str:
    """A text with a few characters or words added, deleted, doubled or moved."""
    for _ in range(random.randint(1, 4)):
        place, length = random.randint(0, len(text)), random.randint(1, 8)
        kind = random.randrange(5)
        if kind == 0:
            text = text[:place] + text[place + length :]
        elif kind == 1:
            text = f"{text[:place]}{random.choice(['', ' '])}{random.choice(_BITS)} {text[place:]}"
        elif kind == 2:
            text = text[:place] + text[place : place + length] * 2 + text[place + length :]
        elif kind == 3:
            other = random.randint(0, len(text))
            text = text[:place] + text[other : other + length] + text[place + length :]
        else:
            words = text.split(" ")
            one, two = random.randrange(len(words)), random.randrange(len(words))
            words[one], words[two] = words[two], words[one]
            text = " ".join(words)
    return text


def for_duckdb(text: str) -> str:
    """A statement as DuckDB understands it, which has no mean of truth values."""
    return text.replace("AVG(solar)", "AVG(solar::INT)")


_NUMBERS = ("0", "1", "2", "3", "3.5", "4", "9")
_YEARS = ("2018", "2019", "2020", "2021")
_SUBURBS = ("'north'", "'south'", "'it''s east'")
_JOBS = ("'clerk'", "'nurse'", "'cook'")
_CONSTANT = re.compile(r"'(?:[^']|'')*'|(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


def sibling(text: str, random: Random) -> str:
    """The same statement with other constants in some places."""

    def other(found: re.Match[str]) -> str:
        alike = next((kind for kind in (_NUMBERS, _YEARS, _SUBURBS, _JOBS) if found.group() in kind), ())
        return random.choice(alike) if alike and random.random() < 0.4 else found.group()

    return _CONSTANT.sub(other, text)
