"""Reading expressions and comparisons that people write; nothing of theirs is ever run as code."""

import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple, NoReturn

from noiseless.domain.expressions import FUNCTIONS, Call, ColumnValue, Constant, Expression, Operation, Power
from noiseless.domain.literals import read_number
from noiseless.errors import ExpressionError

MOST_CHARACTERS, MOST_NESTING, MOST_POWER, MOST_BITS = 4000, 60, 64, 2**17
"""What an expression may be at most: beyond, exact evaluation would take for ever."""

MOST_DEPTH = 100
"""How long a chain of sums or products may be: trees are walked by recursion, of which Python has an end."""

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    | (?P<name>[^\W\d]\w*)
    | (?P<quoted>`(?:[^`]|``)+`|"(?:[^"]|"")+")
    | (?P<sign>\*\*|>=|<=|==|!=|<>|[-+*/^()<>=,≥≤\xd7\xb7\u2212])
    )""",
    re.VERBOSE,
)
_SPELLINGS = {"^": "**", "≥": ">=", "≤": "<=", "\xd7": "*", "\xb7": "*", "\u2212": "-"}
COMPARISONS = (">=", ">", "<=", "<")
_EQUALITIES = ("=", "==", "!=", "<>")
_EXAMPLE = "such as weight >= 30*(height/100)**2"


class Lexeme(NamedTuple):
    """A piece of the text: its kind (number, name, quoted, sign, end), and what it says."""

    kind: str
    text: str


class Sides(NamedTuple):
    """A comparison as it stands: two expressions and the sign between them."""

    left: Expression
    sign: str
    right: Expression


def read_expression(text: str) -> Expression:
    """The expression in a text.

    >>> str(read_expression("30*(height / 100)^2 - .5"))
    '30 * (height / 100)**2 - 0.5'

    Raises:
        ExpressionError: it is none, in a line that says how to mend it.
    """
    reader = _Reader(text, _tokens(text))
    found = reader.sum()
    reader.expect_end()
    return found


def read_comparison(text: str) -> Sides:
    """The two sides of a comparison.

    Raises:
        ExpressionError: it is none, in a line that says how to mend it.
    """
    tokens = _tokens(text)
    signs = [token.text for token in tokens if token.kind == "sign"]
    if any(sign in _EQUALITIES for sign in signs):
        raise ExpressionError(text, f"compares for equality; use >=, >, <= or <, {_EXAMPLE}")
    if not any(sign in COMPARISONS for sign in signs):
        raise ExpressionError(text, f"is not a comparison; write one with >=, >, <= or <, {_EXAMPLE}")
    reader = _Reader(text, tokens)
    left = reader.sum()
    sign = reader.take("sign", *COMPARISONS)
    if sign is None:
        reader.fail()
    right = reader.sum()
    if reader.peek("sign", *COMPARISONS):
        raise ExpressionError(text, "compares more than once; give one comparison at a time")
    reader.expect_end()
    return Sides(left, sign, right)


def _tokens(text: str) -> list[Lexeme]:
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"{text[:40]}...", f"is longer than {MOST_CHARACTERS:,} characters; shorten it")
    found, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            problem = f"{text[position:].strip()[0]!r} is not understood; compare numbers, and put names"
            raise ExpressionError(text, f'{problem} that are no plain words in double quotes: "body weight"')
        word = match[match.lastgroup]
        found.append(Lexeme(match.lastgroup, _SPELLINGS.get(word, word)))
        position = match.end()
    return [*found, Lexeme("end", "")]


@dataclass
class _Reader:
    """A reader by precedence: sums of products of signed powers of atoms."""

    text: str
    tokens: list[Lexeme]
    position: int = 0
    depth: int = field(default=0)

    def peek(self, kind: str, *texts: str) -> bool:
        """Whether the next token is one of these."""
        token = self.tokens[self.position]
        return token.kind == kind and (not texts or token.text in texts)

    def take(self, kind: str, *texts: str) -> str | None:
        """The next token's text if it is one of these, which is then done with."""
        if not self.peek(kind, *texts):
            return None
        self.position += 1
        return self.tokens[self.position - 1].text

    def fail(self, problem: str | None = None) -> NoReturn:
        """Say what is wrong: by default, that the next token does not belong there."""
        token = self.tokens[self.position]
        where = "its end" if token.kind == "end" else repr(token.text)
        after_name = self.position > 0 and self.tokens[self.position - 1].kind == "name"
        words = after_name and (token.kind == "name" or token.text in (",", "("))
        remedy = 'names that are no plain words stand in double quotes, such as "body weight"'
        remedy = remedy if words else "write out every * and )"
        raise ExpressionError(
            self.text, problem or f"something is missing or too much before {where}; {remedy}"
        )

    def expect_end(self) -> None:
        if not self.peek("end"):
            self.fail()

    def sum(self) -> Expression:
        found = self.product()
        while sign := self.take("sign", "+", "-"):
            found = self._shallow(Operation(found, sign, self.product()))
        return found

    def product(self) -> Expression:
        found = self.signed()
        while sign := self.take("sign", "*", "/"):
            right = self.signed()
            found = self._divided(found, right) if sign == "/" else Operation(found, "*", right)
            self._shallow(found)
        return found

    def _shallow(self, expression: Expression) -> Expression:
        if expression.depth > MOST_DEPTH:
            self.fail(f"has more than {MOST_DEPTH} operations in a row; group some with parentheses")
        return expression

    def signed(self) -> Expression:
        self.depth += 1
        if self.depth > MOST_NESTING:
            self.fail(f"is nested more than {MOST_NESTING} deep; write it more simply")
        if sign := self.take("sign", "-", "+"):
            inner = self.signed()
            found = Call("-", (inner,)) if sign == "-" else inner
        else:
            found = self._powered(self.atom())
        self.depth -= 1
        return found

    def _powered(self, base: Expression) -> Expression:
        if not self.take("sign", "**"):
            return base
        exponent = self.signed()
        power = None if exponent.columns else exponent.at({})
        if power is None or power.denominator != 1 or abs(power) > MOST_POWER:
            self.fail(f"a power must be a whole number, at most {MOST_POWER}")
        if base.size * abs(power) > MOST_BITS:
            self.fail("its powers of powers are too large to be evaluated exactly; write it more simply")
        one = Constant(Decimal(1))
        raised = one if power == 0 else base if abs(power) == 1 else Power(base, abs(int(power)))
        return self._divided(one, raised) if power < 0 else raised

    def _divided(self, above: Expression, below: Expression) -> Expression:
        if not below.columns and below.at({}) == 0:
            self.fail("divides by 0; give another divisor")
        return Operation(above, "/", below)

    def atom(self) -> Expression:
        if number := self.take("number"):
            return Constant(self._number(number))
        if quoted := self.take("quoted"):
            return ColumnValue(quoted[1:-1].replace(quoted[0] * 2, quoted[0]))
        if name := self.take("name"):
            return self._call(name) if self.peek("sign", "(") else ColumnValue(name)
        if not self.take("sign", "("):
            self.fail()
        inner = self.sum()
        self._close()
        return inner

    def _number(self, text: str) -> Decimal:
        try:
            return read_number(Decimal(text))
        except (ValueError, ArithmeticError):
            self.fail("a number in it has too many digits; write a shorter one")

    def _call(self, name: str) -> Expression:
        if name not in FUNCTIONS:
            self.fail(
                f"there is no function {name!r}; there are min, max and abs; names that are no plain words"
                " stand in double quotes"
            )
        self.take("sign", "(")
        arguments = [self.sum()]
        while self.take("sign", ","):
            arguments.append(self.sum())
        self._close()
        if (name == "abs") != (len(arguments) == 1):
            self.fail("abs takes one expression, min and max take two or more")
        return Call(name, tuple(arguments))

    def _close(self) -> None:
        if not self.take("sign", ")"):
            self.fail("a parenthesis is not closed, or something is missing before it")
