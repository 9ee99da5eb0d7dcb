"""How figures are written: numbers, rounded numbers, ranges such as `<5`, and marks for what is withheld."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any, Literal
from unicodedata import normalize

from noiseless.errors import RequestError
from noiseless.rules import rule
from noiseless.rules.rounding import Round
from noiseless.tabulations.publication import MAX_VALUE, Kind, Told

SUPPRESSED = frozenset(
    {"", "*", "**", "***", "x", "c", "s", "d", "(x)", "(c)", "(s)", "(d)", "[x]", "[c]", "..", ":", "nan"}
    | {"na", "n/a", "#n/a", "<na>", "none", "null", "suppressed", "withheld", "confidential"}
)
"""What means "withheld" unless something else is declared, in small letters."""
TWOFOLD = frozenset({"-", "\u2013", "\u2014", ".", "/"})
"""Signs that mean "none" to one office and "withheld" to another."""
TOTALS = frozenset(
    name
    for names in (
        "all/total/totals/sum/overall/grand total/sub-total/subtotal/_t",  # and Spanish, Portuguese, Romanian
        "gesamt/insgesamt/summe/zusammen/gesamtsumme/gesamtergebnis",
        "ensemble/total général/totaux/total general/total geral/totale/totale generale/totale complessivo",
        "totaal/eindtotaal/totalt/i alt/ialt/summa/samtals/alls/yhteensä/kokku/kopā/iš viso",
        "razem/ogółem/łącznie/suma/suma końcowa/celkem/úhrnem/celkový součet/spolu/celkom/skupaj/ukupno",
        "összesen/végösszeg/toplam/genel toplam/σύνολο",
        "итого/всего/общий итог/усього/всього/разом/общо/всичко/укупно",
        "合計/総計/総数/計/总计/合计/总数/總計/總數/합계/총계/총합계/계",
        'סה״כ/סה"כ/סך הכל/المجموع/الإجمالي',
    )
    for name in names.split("/")
)
"""What names a total, in small letters: names in other languages mean nothing but a total."""

_SPACES = re.compile("[\\s\u00a0\u2007\u2009\u202f']+")
_FOOTNOTE = re.compile(r"(?<=\d)\s*(?:\[\w{1,3}\]|\([a-z]\)|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+)$")
_GROUPED = {".": re.compile(r"-?\d{1,3}(,\d{3})+(\.\d+)?"), ",": re.compile(r"-?\d{1,3}(\.\d{3})+(,\d+)?")}
_PLAIN = {".": re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d{1,3})?"), ",": re.compile(r"-?\d+(,\d+)?")}
_POINTED = re.compile(r"[\d,]*\d(?:\.\d+)+")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+")
_LIMIT = re.compile(r"(<=|>=|<|>|≤|≥)(.+)")
_FROM_TO = re.compile(r"(.+?)\s*(?:\u2013|\u2014|\.\.|\bto\b|(?<=\d)\s*-)\s*(.+)")
_LONGEST = 40
_FLOAT_DIGITS, _KEPT_DIGITS = 15, 12
_RANDOM = re.compile(r"(.+):random(?::(\d{1,2}))?")
_DIRECTIONS = ("half-away", "half-even", "down", "up", "random")

Absent = Literal["zero", "withheld"]
"""What a combination means that a table leaves out."""


class UnreadableFigure(Exception):  # noqa: N818 - no error by itself: the reader adds the place
    """What is wrong with a figure; its place is added by the reader."""


@dataclass(frozen=True)
class RoundedFigures:
    """Figures are multiples of a base; `preimage` says what each can stand for.

    Attributes:
        base: the base.
        direction: as rules have it, or random: up or down, nobody knows which.
        further: with random, how many bases figures may have gone further.
    """

    base: Fraction
    direction: str = "half-away"
    further: int = 0

    @classmethod
    def parse(cls, text: str) -> "RoundedFigures":
        """From `round:5`, `round:5:down`, `round:3:random`, or `round:3:random:1`.

        >>> RoundedFigures.parse("round:5").preimage(Fraction(5), Fraction(1))
        (3, 7)
        >>> RoundedFigures.parse("round:3:random").preimage(Fraction(6), Fraction(1))
        (4, 8)

        Raises:
            RequestError: it is written otherwise.
        """
        if found := _RANDOM.fullmatch(text.strip().lower()):
            return cls(cls.parse(found[1]).base, "random", int(found[2] or 0))
        known = rule(text)
        if not isinstance(known, Round):
            raise RequestError(
                f"figures are rounded by round:BASE or round:BASE:{'|'.join(_DIRECTIONS)}; not {text!r}"
            )
        return cls(known.base, known.direction)

    def published(self, value: Fraction) -> Fraction:
        """How a figure is published; one that may go up or down goes to the nearest multiple."""
        direction = "half-away" if self.direction == "random" else self.direction
        return Fraction(Round(self.base, direction).told(value))  # type: ignore[arg-type]  # one of theirs

    def preimage(self, value: Fraction, step: Fraction) -> tuple[int, int]:
        """The least and the largest number of steps that is published as this multiple."""
        half, base, wide = self.base / 2, self.base, (self.further + 1) * self.base
        ends = {
            "down": (value, True, value + base, False),
            "up": (value - base, False, value, True),
            "random": (value - wide, False, value + wide, False),
            "half-away": (value - half, value > 0, value + half, value < 0),
            "half-even": (value - half, (value / base) % 2 == 0, value + half, (value / base) % 2 == 0),
        }
        low, with_low, high, with_high = ends[self.direction]
        lower, upper = math.ceil(low / step), math.floor(high / step)
        return (
            lower + (not with_low and lower * step == low),
            upper - (not with_high and upper * step == high),
        )


@dataclass(frozen=True)
class FigureNotation:
    """How the figures of a table are written, and what its marks tell.

    Attributes:
        suppressed: marks that tell nothing, in small letters; what is declared comes to the usual ones.
        zero: marks that mean none.
        marks: marks that tell a range, and the range as text.
        rounded: how figures are rounded, if they are.
        decimal: the sign before decimals.
        decimal_declared: whether that was said, or is assumed.
        blank_declared: whether blanks were said to be withheld: a row of them is no heading.
        least_below: the steps that `<5` begins with: 1 where zeros are published as such, else 0.
        absent: what a combination means that a table leaves out.
        totals: whether totals add up all cells, or only those that are shown.
        lowest: the least value that a figure can have, in units.
    """

    suppressed: frozenset[str] = SUPPRESSED
    zero: frozenset[str] = frozenset()
    marks: Mapping[str, str] = field(default_factory=dict)
    rounded: RoundedFigures | None = None
    decimal: str = "."
    decimal_declared: bool = False
    blank_declared: bool = False
    least_below: int = 1
    absent: Absent = "zero"
    totals: Literal["all", "shown"] = "all"
    lowest: Fraction | None = Fraction(0)

    @classmethod
    def of(cls, told: Mapping[str, Any], **more: Any) -> "FigureNotation":  # noqa: ANN401 - a file's
        """From what a user declares under `told`.

        >>> FigureNotation.of({"suppressed": ["x"], "zero": "-"}).zero
        frozenset({'-'})

        Raises:
            RequestError: there is no such thing to declare.
        """
        known = ("suppressed", "zero", "marks", "rounded", "decimal", "below_from", "absent", "totals")
        if others := [name for name in told if name not in known]:
            raise RequestError(f"told: there is no {others[0]!r}; there are {', '.join(known)}")
        decimal, absent = told.get("decimal", "."), told.get("absent", "zero")
        if decimal not in _PLAIN:
            raise RequestError(f"told: decimal is '.' or ',', not {decimal!r}")
        if absent not in ("zero", "withheld"):
            raise RequestError(f"told: absent is 'zero' or 'withheld', not {absent!r}")
        totals = told.get("totals", "all")
        if totals not in ("all", "shown"):
            raise RequestError(f"told: totals are of 'all' cells or of those 'shown', not {totals!r}")
        if told.get("below_from", 1) not in (0, 1, "0", "1"):
            raise RequestError("told: below_from is 0 or 1: what the smallest figures begin with")
        marks = told.get("marks", {})
        if not isinstance(marks, Mapping):
            raise RequestError('told: marks are a table, such as {"*" = "1-4"}')
        zero, suppressed = (_texts(name, told.get(name, ())) for name in ("zero", "suppressed"))
        return cls(
            (SUPPRESSED | suppressed) - zero - {str(mark).strip().lower() for mark in marks},
            zero,
            {str(mark).strip().lower(): str(range_) for mark, range_ in marks.items()},
            None if told.get("rounded") is None else RoundedFigures.parse(str(told["rounded"])),
            decimal,
            "decimal" in told,
            "" in suppressed,
            int(told.get("below_from", 1)),
            absent,
            totals,
            **more,
        )

    def told(self, cell: object, step: Fraction, kind: Kind) -> Told:
        """What a cell of a table says.

        Raises:
            UnreadableFigure: nothing that can be understood; what and how to mend it.
        """
        text = str(cell).strip().lower()
        if cell is None or text in self.suppressed:
            return self.withheld(step)
        if text in self.zero:
            return Told.exact(0)
        if text in self.marks:
            return self._range(self.marks[text], step, kind)
        number = self.number(cell)
        if number is None:
            return self._published_range(text, step, kind)
        if number < 0 and kind == "count":
            raise UnreadableFigure("is negative, and counts are not; magnitudes may be (kind = 'magnitude')")
        if self.lowest is not None and number < self.lowest:
            raise UnreadableFigure("is below the declared bounds; declare bounds = [LO, HI] that it fits")
        if self.rounded is None:
            return Told.exact(self._steps(number, step, kind))
        if (number / self.rounded.base).denominator != 1:
            raise UnreadableFigure(
                f"is no multiple of {self.rounded.base}, and figures are declared to be rounded"
            )
        lower, upper = self.rounded.preimage(number, step)
        return Told(max(lower, self.withheld(step).lower), upper)

    def thousands(self, cells: Iterable[object]) -> bool:
        """Whether points may stand before thousands as well as before decimals, and nothing says which.

        >>> FigureNotation().thousands(["999", "1.000"]), FigureNotation().thousands(["0.500", "1.000"])
        (True, False)
        """
        if self.decimal_declared or self.decimal != ".":
            return False
        texts = {cell for cell in cells if isinstance(cell, str) and "." in cell}
        pointed = {each for text in texts for each in _POINTED.findall(_SPACES.sub("", text))}
        return bool(pointed) and all(map(_THOUSANDS.fullmatch, pointed))

    def withheld(self, step: Fraction) -> Told:
        """What a mark says that tells nothing."""
        if self.lowest is None or self.lowest < 0:  # a sum of several base cells may be lower than each
            return Told(-MAX_VALUE, None)
        return Told(math.ceil(self.lowest / step), None)

    def number(self, cell: object) -> Fraction | None:
        """A number as it is written, exactly; None if it is none.

        >>> notation = FigureNotation()
        >>> [notation.number(text) for text in ("1,234", "1 234.5", "12 [a]", "12.0", "x")]
        [Fraction(1234, 1), Fraction(2469, 2), Fraction(12, 1), Fraction(12, 1), None]
        """
        if isinstance(cell, bool):
            return None
        if isinstance(cell, int | Decimal | Fraction):
            return Fraction(cell)
        if isinstance(cell, float):
            return _without_noise(repr(cell)) if math.isfinite(cell) else None
        text = _FOOTNOTE.sub("", str(cell).strip()).replace("\u2212", "-")
        if len(text) > _LONGEST:
            return None
        whole = _SPACES.sub("", text)
        if not _PLAIN[self.decimal].fullmatch(whole) and not _GROUPED[self.decimal].fullmatch(whole):
            return None
        plain = whole.replace("," if self.decimal == "." else ".", "").replace(",", ".")
        return _without_noise(plain)

    def finest(self, cell: object) -> Fraction:
        """The place of a number's last decimal; 1 for whole numbers and what is no number.

        >>> FigureNotation().finest("12.50")
        Fraction(1, 10)
        """
        number, step = self.number(cell) or Fraction(0), Fraction(1)
        while (number / step).denominator > 1:
            step /= 10
        return step

    def _published_range(self, text: str, step: Fraction, kind: Kind) -> Told:
        """A range as it stands in a table, of figures as they are or, if these are rounded, of rounded ones.

        Raises:
            UnreadableFigure: both are possible, and differ.
        """
        found = self._range(text, step, kind)
        if self.rounded is None:
            return found
        base = self.rounded.base / step
        least = math.ceil(Fraction(found.lower) / base) * self.rounded.base
        lower = self.rounded.preimage(least, step)[0]
        if found.upper is None:
            other = Told(max(lower, self.withheld(step).lower), None)
        else:
            most = math.floor(Fraction(found.upper) / base) * self.rounded.base
            if least > most:
                return found
            other = Told(max(lower, self.withheld(step).lower), self.rounded.preimage(most, step)[1])
        if other != found:
            as_it_is, rounded = (_words(each, step) for each in (found, other))
            raise UnreadableFigure(
                f"is a range, and figures are rounded here: say whether it is {as_it_is} before rounding "
                f"(--told '{text}={as_it_is}'), or a range of rounded figures, which is {rounded} "
                f"(--told '{text}={rounded}')"
            )
        return found

    def _range(self, text: str, step: Fraction, kind: Kind) -> Told:
        """From `<5`, `≥10`, `10+`, `1-4`, `1 to 4`; or a number, where a mark stands for one."""
        lowest = self.withheld(step).lower
        if found := _LIMIT.fullmatch(text):
            limit = self._steps(self._part(found[2]), step, kind)
            sign = {"≤": "<=", "≥": ">="}.get(found[1], found[1])
            if sign in ("<", "<="):
                least = lowest if lowest < 0 else max(lowest, self.least_below)
                upper = limit - (sign == "<")
                if upper < least:
                    raise UnreadableFigure("leaves no value that the figure can have")
                return Told(least, upper)
            return Told(limit + (sign == ">"), None)
        if text.endswith("+") and self.number(text[:-1]) is not None:
            return Told(self._steps(self._part(text[:-1]), step, kind), None)
        found = _FROM_TO.fullmatch(text)
        if found and all(self.number(part) is not None for part in found.groups()):
            low, high = (self._steps(self._part(part), step, kind) for part in found.groups())
            if low > high:
                raise UnreadableFigure("is a range whose ends are the wrong way round")
            return Told(low, high)
        if (number := self.number(text)) is not None:
            return Told.exact(self._steps(number, step, kind))
        raise UnreadableFigure(_unknown(text, self.decimal))

    def _part(self, text: str) -> Fraction:
        number = self.number(text)
        if number is None:
            raise UnreadableFigure("is no range of numbers, such as <5, 10+ or 1-4")
        return number

    @staticmethod
    def _steps(number: Fraction, step: Fraction, kind: Kind) -> int:
        steps = number / step
        if steps.denominator != 1:
            raise UnreadableFigure(
                "is no whole number, and counts are; sums of amounts are kind = 'magnitude'"
                if kind == "count"
                else f"is no multiple of the step {step}; declare a finer one, or round it as published"
            )
        if abs(steps) > MAX_VALUE:
            raise UnreadableFigure("is more than 2^50 steps; round figures as they are published")
        return int(steps)


def _without_noise(text: str) -> Fraction:
    """A decimal number; sums of floats end in digits that nobody wrote, and are read to twelve digits.

    >>> _without_noise(repr(0.1 + 0.2)), _without_noise("1234567.25")
    (Fraction(3, 10), Fraction(4938269, 4))
    """
    number = Decimal(text)
    if len(number.as_tuple().digits) > _FLOAT_DIGITS and number != int(number):
        number = Context(prec=_KEPT_DIGITS).plus(number)
    return Fraction(number)


def _words(told: Told, step: Fraction) -> str:
    low, high = (None if end is None else _decimal(end * step) for end in (told.lower, told.upper))
    return f"{low}+" if high is None else f"{low}-{high}"


def _decimal(number: Fraction) -> str:
    return str(Decimal(number.numerator) / number.denominator)


def is_total(label: str) -> bool:
    """Whether a label is one of the usual names of a total."""
    return " ".join(normalize("NFC", label).lower().rstrip(": ").split()) in TOTALS


def _texts(name: str, declared: Any) -> frozenset[str]:  # noqa: ANN401 - a file's
    texts: Sequence[Any] = [declared] if isinstance(declared, str) else declared
    if not isinstance(texts, Sequence | frozenset | set) or not all(isinstance(text, str) for text in texts):
        raise RequestError(f'told: {name} is a mark or a list of them, such as ["x", "*"]')
    return frozenset(text.strip().lower() for text in texts)


def _unknown(text: str, decimal: str) -> str:
    if text in TWOFOLD:
        return (
            f"is {text!r}, which means zero in some tables and withheld in others; say which: "
            f"--told zero={text} or --told suppressed={text}"
        )
    other = "," if decimal == "." else "."
    if _GROUPED[other].fullmatch(text) and text.count(decimal) > 1:
        return f"has a {decimal!r} between thousands; declare --told decimal={other}"
    if _PLAIN[other].fullmatch(text) or _GROUPED[other].fullmatch(text):
        return (
            f"has a {other!r} that is not for thousands; if decimals follow it, "
            f"declare --told decimal={other}"
        )
    return "is neither a number nor a mark that is known; declare what it means: --told suppressed=MARK"
