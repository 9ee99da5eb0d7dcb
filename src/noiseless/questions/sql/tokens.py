"""A first look at a text: what can be refused, and which hints are given, before anything is parsed."""

import re
from collections.abc import Sequence
from itertools import pairwise

from sqlglot import Dialect, exp
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]  # as documented

from noiseless.questions.sql.canonical import write_name
from noiseless.questions.sql.errors import Position, SqlError
from noiseless.questions.sql.statement import Hints, read_hints

_MOST_CHARACTERS = 100_000
_MOST_TOKENS = 10_000
_DEEPEST = 20
"""Brackets and CASEs within each other; the parser calls itself some 25 times for each."""

_OPENS = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE}
_CLOSES = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END}
_PREFIXES = {TokenType.NOT, TokenType.DASH, TokenType.PLUS, TokenType.TILDE}
_WORDS = {TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING}

_MEANT = re.compile(r"(/\*|--)[\s+]*(bits|reach|max_error|least)\s*\(", re.IGNORECASE)
"""The beginning of a comment that was meant as a hint."""

_TAKEN = {"mean", "quantile_disc", "quantile_cont", "list", "corr"}
"""Functions with a meaning here, or a remedy of their own, that the parser does not know."""


def scan(sql: str, table: str) -> tuple[list[Token], Hints]:
    """The tokens of one SELECT, without its hints, and what these say.

    Args:
        sql: the text.
        table: what the table is called, for an example.

    Raises:
        SqlError: it is no SELECT, or not one, or too long or too deep.
    """
    example = f"write e.g. SELECT COUNT(*) FROM {write_name(table)}"
    tokens = _tokens(sql, example)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        raise SqlError("the text is empty", example)
    _check_kind(sql, tokens, example)
    _check_size(sql, tokens)
    _check_words(sql, tokens)
    return _without_hints(sql, tokens)


def quiet_dialect() -> Dialect:
    """Standard SQL; a strict one would write parts of some texts into the log."""
    dialect = Dialect()
    dialect.STRICT_JSON_PATH_SYNTAX = False
    return dialect


def is_free_name(name: str) -> bool:
    """Whether a plain name with brackets after it means nothing yet.

    >>> is_free_name("peak_index"), is_free_name("count"), is_free_name("mean")
    (True, False, False)
    """
    if name.lower() in _TAKEN:
        return False
    try:
        (tree,) = quiet_dialect().parse(f"SELECT {name}()")
    except SqlglotError:
        return False
    called = None if tree is None else tree.expressions[0]
    return isinstance(called, exp.Anonymous) and called.this == name


def position_at(sql: str, place: int) -> Position:
    """The line and column of a character."""
    return Position(sql.count("\n", 0, place) + 1, place - sql.rfind("\n", 0, place))


def _tokens(sql: str, example: str) -> list[Token]:
    if not isinstance(sql, str):
        raise SqlError("a statement is one text", f"give several one by one, ask(*statements), or {example}")
    if len(sql) > _MOST_CHARACTERS:
        raise SqlError(
            f"the text has {len(sql):,} characters, over {_MOST_CHARACTERS:,}", "ask several statements"
        )
    if "\0" in sql:
        raise SqlError(
            "the text holds a NUL character", "delete it", position=position_at(sql, sql.index("\0"))
        )
    try:
        return list(quiet_dialect().tokenize(sql))
    except SqlglotError:
        raise SqlError("the text cannot be read", "close every quote and every comment") from None


def _check_kind(sql: str, tokens: Sequence[Token], example: str) -> None:
    first = tokens[0]
    if first.token_type is TokenType.WITH:
        raise SqlError("WITH is not understood", "ask about the table itself with one SELECT")
    if first.token_type is not TokenType.SELECT:
        raise SqlError(
            "a statement begins with SELECT, not with {}",
            example,
            written=first.text,
            position=position_at(sql, first.start),
        )
    for token in tokens:
        if token.token_type is TokenType.SEMICOLON:
            raise SqlError(
                "the text holds several statements",
                "send each separately; those of one batch are priced together",
                position=position_at(sql, token.start),
            )


def _check_size(sql: str, tokens: Sequence[Token]) -> None:
    if len(tokens) > _MOST_TOKENS:
        raise SqlError(f"the text has over {_MOST_TOKENS:,} words and signs", "ask several statements")
    depth = row = 0
    for token in tokens:
        depth += (token.token_type in _OPENS) - (token.token_type in _CLOSES)
        row = row + 1 if token.token_type in _PREFIXES else 0
        if max(depth, row) > _DEEPEST:
            raise too_deep(position_at(sql, token.start))


def too_deep(position: Position | None = None) -> SqlError:
    """What is said of a text whose parts are nested too deeply."""
    return SqlError(
        f"the text is nested more than {_DEEPEST} deep or has too long a row of operators",
        "write it flatter, or ask several statements",
        position=position,
    )


def _check_words(sql: str, tokens: Sequence[Token]) -> None:
    """Refuse what the parser would take for an alias or pass over."""
    for one, two in pairwise(tokens):
        if one.token_type is TokenType.NUMBER and two.token_type in _WORDS and one.end + 1 == two.start:
            raise SqlError(
                "{} is no number",
                "write numbers with digits and a point, such as 1000 or 0.5 or 2e3",
                written=one.text + two.text,
                position=position_at(sql, one.start),
            )
        if (one.text.upper(), two.text.upper()) == ("NULLS", "FIRST") and one.token_type is TokenType.VAR:
            raise SqlError("NULLS FIRST is not understood", "rows without a value come last; leave it out")


def _without_hints(sql: str, tokens: Sequence[Token]) -> tuple[list[Token], Hints]:
    kept = [token for token in tokens if token.token_type is not TokenType.HINT]
    hints = [token for token in tokens if token.token_type is TokenType.HINT]
    ends = [-1, *(token.end for token in tokens)]
    starts = [*(token.start for token in tokens), len(sql)]
    between = [sql[end + 1 : start] for end, start in zip(ends, starts, strict=True)]
    misplaced = any("/*+" in gap for gap in between)
    if misplaced or any(token is not tokens[1] for token in hints):
        raise SqlError(
            "a hint is not in its place", "write it right after SELECT, as in SELECT /*+ bits(2) */"
        )
    if any(map(_MEANT.search, between)):
        raise SqlError(
            "a comment reads like a hint and is none", "begin hints with a plus: SELECT /*+ bits(2) */"
        )
    return kept, read_hints(hints[0].text.removeprefix("/*+").removesuffix("*/")) if hints else Hints()
