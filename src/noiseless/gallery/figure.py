"""What a figure of the gallery is made of: data alone. Colours, fonts and files are the frame's business.

A module of this package whose function `figure` says what it reproduces is a figure. It takes the data sets
and yields panels of curves, regions and maps, the paper's statements with what was found and the test of
each, and remarks.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, SupportsFloat

if TYPE_CHECKING:
    from noiseless.gallery.data import Data

Style = Literal["line", "dashed", "dots", "steps"]
"""How a curve is drawn. By habit what we compute is a line, what a paper prints is dashed."""

Numbers = tuple[float, ...]

Heights = Iterable[SupportsFloat] | Callable[[Any], SupportsFloat] | SupportsFloat
"""Where points are up: a number for each, a function of where they are across, or one number for all."""


@dataclass(frozen=True)
class Curve:
    """Points in order, with a band around them if they are uncertain.

    Attributes:
        label: its name in the legend and in the CSV; an empty one is not in the legend.
        x: where the points are across; as many as `y`.
        y: where they are up; a NaN breaks the line.
        low: the lower end of the band at each point.
        high: the upper end of the band at each point.
        style: "steps" keeps a height until the next point.
        texts: what is written beside each point, if anything.
    """

    label: str
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    style: Style = "line"
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for part in (self.x, self.low, self.high, self.texts):
            if part and len(part) != len(self.y):
                raise ValueError(f"curve {self.label!r} has {len(self.y)} heights and {len(part)} of another")

    @classmethod
    def of(
        cls,
        label: str,
        x: Iterable[SupportsFloat],
        y: Heights,
        *,
        band: tuple[Iterable[SupportsFloat], Iterable[SupportsFloat]] | None = None,
        style: Style = "line",
        texts: Sequence[str] = (),
    ) -> Self:
        """A curve from whatever holds numbers: arrays, lists, generators of fractions.

        >>> Curve.of("half", range(3), (x / 2 for x in range(3)))
        Curve(label='half', x=(0.0, 1.0, 2.0), y=(0.0, 0.5, 1.0), low=None, high=None, style='line', texts=())
        >>> Curve.of("square", range(3), lambda x: x**2).y, Curve.of("limit", (0, 9), 1).y
        ((0.0, 1.0, 4.0), (1.0, 1.0))
        """
        places = tuple(x)
        if callable(y):
            y = map(y, places)
        elif not isinstance(y, Iterable):
            y = (y,) * len(places)
        low, high = (None, None) if band is None else (_floats(band[0]), _floats(band[1]))
        return cls(label, _floats(places), _floats(y), low, high, style, tuple(texts))

    @classmethod
    def dashed(cls, label: str, x: Iterable[SupportsFloat], y: Heights) -> Self:
        """A dashed line."""
        return cls.of(label, x, y, style="dashed")

    @classmethod
    def dots(cls, label: str, x: Iterable[SupportsFloat], y: Heights) -> Self:
        """Points that no line joins."""
        return cls.of(label, x, y, style="dots")

    @classmethod
    def steps(cls, label: str, x: Iterable[SupportsFloat], y: Heights) -> Self:
        """A line that keeps a height until the next point."""
        return cls.of(label, x, y, style="steps")


@dataclass(frozen=True)
class Area:
    """A region of a panel: a filled polygon, for pictures of ranges and cells.

    Attributes:
        label: its name in the legend and in the CSV; areas of the same label have the same colour, and stand
            in the legend once; an empty one is drawn as an outline alone.
        corners: the polygon's corners (x, y) in order; the last is joined to the first.
        text: what is written in its middle.
    """

    label: str
    corners: tuple[tuple[float, float], ...]
    text: str = ""

    @classmethod
    def box(
        cls,
        label: str,
        x: tuple[SupportsFloat, SupportsFloat],
        y: tuple[SupportsFloat, SupportsFloat],
        text: str = "",
    ) -> Self:
        """A rectangle.

        >>> Area.box("cell", (0, 1), (0, 2)).corners
        ((0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0))
        """
        (left, right), (low, high) = _floats(x), _floats(y)
        return cls(label, ((left, low), (right, low), (right, high), (left, high)), text)


@dataclass(frozen=True)
class Raster:
    """A map: one number for each cell of a regular grid, shown as a shade.

    Attributes:
        label: what the numbers are; written beside the scale of shades.
        x: where the grid begins and ends across.
        y: where the grid begins and ends up.
        values: a row for each height from the lowest up, in it a number for each cell from the left; NaN is
            shown as no cell.
        log: whether equal factors, not equal differences, have equal shades; numbers that are not positive
            are then shown as no cell.
        levels: numbers at which a line is drawn (level sets of the cells' middles).
        dark: whether large numbers are dark and small ones light, and not the other way round.
    """

    label: str
    x: tuple[float, float]
    y: tuple[float, float]
    values: tuple[Numbers, ...]
    log: bool = False
    levels: Numbers = ()
    dark: bool = False

    @classmethod
    def of(
        cls,
        label: str,
        x: tuple[SupportsFloat, SupportsFloat],
        y: tuple[SupportsFloat, SupportsFloat],
        values: Iterable[Iterable[SupportsFloat]],
        *,
        log: bool = False,
        levels: Iterable[SupportsFloat] = (),
        dark: bool = False,
    ) -> Self:
        """A map from an array of two dimensions, its first row the lowest.

        >>> Raster.of("count", (0, 2), (0, 1), [[3, 4]]).values
        ((3.0, 4.0),)
        """
        (left, right), (low, high) = _floats(x), _floats(y)
        rows = tuple(_floats(row) for row in values)
        return cls(label, (left, right), (low, high), rows, log, _floats(levels), dark)


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        title: above it.
        x_label: what is across, with its unit.
        y_label: what is up, with its unit.
        curves: drawn in this order, above areas and the map.
        log_x: whether the axis across is logarithmic.
        log_y: whether the axis up is logarithmic.
        note: a line below the panel.
        areas: regions, drawn in this order.
        image: a map behind everything.
        x_ticks: numbers that are written across and how, where they stand for something else ("house 1").
        y_ticks: the same for the axis up.
        equal: whether one unit across is as long as one unit up.
        bare: whether the axes are left out, as for a graph of nodes and edges.
    """

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...] = ()
    log_x: bool = False
    log_y: bool = False
    note: str = ""
    areas: tuple[Area, ...] = ()
    image: Raster | None = None
    x_ticks: tuple[tuple[float, str], ...] = ()
    y_ticks: tuple[tuple[float, str], ...] = ()
    equal: bool = False
    bare: bool = False

    @classmethod
    def of(cls, title: str, x_label: str, y_label: str, *shown: Curve | Area | Raster, **how: Any) -> Self:  # noqa: ANN401 - as fields are
        """A panel that shows curves, areas and a map, with further attributes by their names."""
        curves = tuple(one for one in shown if isinstance(one, Curve))
        areas = tuple(one for one in shown if isinstance(one, Area))
        image = next((one for one in shown if isinstance(one, Raster)), None)
        return cls(title, x_label, y_label, curves, areas=areas, image=image, **how)


About = Literal["figure", "text", "ours"]


@dataclass(frozen=True)
class ClaimCheck:
    """A statement of the paper, and whether it holds here.

    Attributes:
        claim: what the paper says, in our own words.
        measured: what we find, with numbers.
        criterion: the numeric test.
        agrees: whether it holds. False is a result like any other; `measured` then says why.
        about: what it is about: what the paper's picture itself shows (`figure`), what the paper says near it
            or elsewhere (`text`), or something that the paper does not say (`ours`).
    """

    claim: str
    measured: str
    criterion: str
    agrees: bool
    about: About = "text"


@dataclass(frozen=True)
class Outcome:
    """A figure that was made.

    Attributes:
        panels: what is drawn, from left to right.
        checks: the paper's statements.
        remarks: what a reader must know: other data than the paper's, an error in the paper, a limit of ours.
        synthetic: whether it was made on a stand-in. The frame sets it from the data sets that were missing,
            so a figure need not.
    """

    panels: tuple[Panel, ...]
    checks: tuple[ClaimCheck, ...]
    remarks: tuple[str, ...] = ()
    synthetic: bool = False

    @classmethod
    def of(cls, parts: Iterable[Panel | ClaimCheck | str]) -> Self:
        """Panels, statements and remarks, each in their order."""
        made = tuple(parts)
        panels = tuple(part for part in made if isinstance(part, Panel))
        checks = tuple(part for part in made if isinstance(part, ClaimCheck))
        return cls(panels, checks, tuple(part for part in made if isinstance(part, str)))

    @property
    def agrees(self) -> bool:
        """Whether every statement holds."""
        return all(check.agrees for check in self.checks)

    @property
    def reproduces(self) -> bool | None:
        """Whether all that the paper's picture shows is found here, whatever is said near it.

        None where the paper has no picture, and on a stand-in, which says nothing about the paper.
        """
        shown = [check.agrees for check in self.checks if check.about == "figure"]
        return all(shown) if shown and not self.synthetic else None


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, and how it is made again.

    Attributes:
        name: "p1-fig3"; the module is named so too, with _ for -.
        paper: "[P1] Fig. 3".
        title: a short heading.
        claim: what the paper says, in our own words.
        needs: the data sets it is made from, of those in `noiseless.gallery.data.SETS`.
        make: makes it; the same numbers each time.
    """

    name: str
    paper: str
    title: str
    claim: str
    needs: tuple[str, ...]
    make: "Callable[[Data], Outcome]"


Parts = Iterator[Panel | ClaimCheck | str]
"""What a figure yields: panels, the paper's statements, and remarks, in any order."""


def reproduces(
    paper: str, title: str, claim: str, *, needs: tuple[str, ...] = ()
) -> Callable[[Callable[..., Parts]], Figure]:
    """Declare a figure by the function that yields its parts; it is named as its module is.

    The function takes the data sets, or nothing if it needs none.

    Args:
        paper: "[P1] Fig. 3".
        title: a short heading.
        claim: what the paper says, in our own words.
        needs: the data sets it is made from, of those in `noiseless.gallery.data.SETS`.
    """

    def declared(parts: Callable[..., Parts]) -> Figure:
        name = (parts.__module__ or "").rpartition(".")[2].replace("_", "-")

        def make(data: "Data") -> Outcome:
            return Outcome.of(parts(data) if needs else parts())

        return Figure(name, paper, title, claim, needs, make)

    return declared


def _floats(numbers: Iterable[SupportsFloat]) -> Numbers:
    return tuple(map(float, numbers))
