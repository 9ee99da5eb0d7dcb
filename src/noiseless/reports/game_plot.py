"""The plot of an attack game as a file: the adversary's score against the budget."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from noiseless.reports.canvas import (
    OTHERS,
    OURS,
    QUIET,
    SeriesStyle,
    picture_kind,
    plain_axes,
    plain_style,
    save_figure,
)
from noiseless.tables import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = (*OURS, *OTHERS)
_MANY = 6
"""With more lines than this each adversary (or other text that tells lines apart) gets a panel of its own."""

_LETTERS_AN_INCH, _LEGEND_SAMPLE = 12, 7
"""What a legend's texts and the samples before them take; it has as many columns as fit."""

_ROOM = 0.04

_TOLD = "bits leaked about one person, at most"
_BUDGETS = {"homogeneity": "bits that the release may leak, L0"}
"""What the budget of a game is, where it is not what one person may tell."""


Result = Mapping[str, Any]
"""The adversary's score at one budget under its JSON names: budget, score, low, high, and details."""


@runtime_checkable
class GameLike(Protocol):
    """A game that was played, as `adversaries.Game` has it: a row above, not to be imported."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The details that tell one line from another."""

    def to_dict(self) -> dict[str, Any]:
        """All of it under the names it has in JSON."""


@dataclass(frozen=True)
class _Line:
    """Scores that belong together: their panel, their name, where they go, and the unprotected one."""

    panel: str
    name: str
    points: tuple[tuple[float, Result], ...]
    unprotected: Result | None


def game_plot(game: GameLike, path: Path | str, *, across: str = "budget") -> None:
    """Draw a game: score against budget with the band of its interval, dashed where nothing is protected.

    One line for each combination of the details that `game.lines` names. Many lines are spread over panels,
    one for each text among those details. The same game gives the same bytes.

    Args:
        game: what was played.
        path: where to; `.png` and `.svg` say what is written.
        across: what goes across: the budget, or a detail that is a number, such as "questions".

    Raises:
        OutputError: the name says neither, or it cannot be written there.
    """
    kind, played = picture_kind(path), game.to_dict()
    lines = _lines(played["results"], game.lines, across)
    below = _BUDGETS.get(played["game"], _TOLD) if across == "budget" else across
    with written_whole(path) as part:
        _save(lines, below, played["measure"], part, kind)


def draw_game(game: GameLike, axes: "Axes") -> None:
    """Draw a game on axes of somebody's: all lines together, score against budget.

    Args:
        game: what was played.
        axes: where.
    """
    played = game.to_dict()
    lines = [
        replace(line, name=", ".join(filter(None, (line.panel, line.name))))
        for line in _lines(played["results"], game.lines, "budget")
    ]
    looks = {line.name: _LOOKS[i % len(_LOOKS)] for i, line in enumerate(lines)}
    if not any(line.points for line in lines):  # nothing was protected
        axes.barh(
            [line.name for line in lines], [line.unprotected["score"] for line in lines if line.unprotected]
        )
        axes.set(xlim=(0, 1), xlabel=played["measure"])
        plain_axes(axes)
        return
    _panel("", lines, looks, axes)
    _limits(lines, axes)
    axes.set(xlabel=_BUDGETS.get(played["game"], _TOLD), ylabel=played["measure"])
    if any(looks):
        axes.legend(frameon=False)


def _lines(results: Sequence[Result], keys: Sequence[str], across: str) -> list[_Line]:
    keys = keys or list(
        dict.fromkeys(k for one in results for k, v in one.items() if isinstance(v, str) and k != "budget")
    )
    groups = dict[tuple[Any, ...], list[Result]]()
    for one in results:
        groups.setdefault(tuple(one.get(key) for key in keys), []).append(one)
    by_text = [i for i, key in enumerate(keys) if any(isinstance(group[i], str) for group in groups)]
    apart = by_text[:1] if len(groups) > _MANY and len(keys) > 1 else []
    found = []
    for group, scores in groups.items():
        names = [_named(k, v) for i, (k, v) in enumerate(zip(keys, group, strict=True)) if i not in apart]
        placed = sorted(((float(one[across]), one) for one in scores), key=lambda pair: pair[0])
        points = tuple((x, one) for x, one in placed if math.isfinite(x))
        unprotected = next((one for x, one in placed if math.isinf(x)), None)
        panel = str(group[apart[0]]) if apart else ""
        found.append(_Line(panel, ", ".join(filter(None, names)), points, unprotected))
    return found


def _few_numbers(lines: Sequence[_Line]) -> list[int]:
    """The places of points that are a few whole numbers, one after the other; none otherwise."""
    places = sorted({x for line in lines for x, _ in line.points})
    first = int(places[0]) if places else 0
    row = [*range(first, first + len(places))]
    return row if places == row and 1 < len(row) <= _MANY else []


def _named(key: str, value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{key.replace('_', ' ')} {value}"


def _save(lines: Sequence[_Line], across: str, measure: str, path: Path, kind: str) -> None:
    from matplotlib.figure import Figure

    panels = list(dict.fromkeys(line.panel for line in lines))
    with plain_style():
        width = 8.0 if len(panels) == 1 else 3.4 * len(panels) + 0.8
        figure = Figure(figsize=(width, 4.6), layout="constrained")
        axes = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)[0]
        names = list(dict.fromkeys(line.name for line in lines))
        looks = {name: _LOOKS[i % len(_LOOKS)] for i, name in enumerate(names)}
        for panel, axis in zip(panels, axes, strict=True):
            _panel(panel, [line for line in lines if line.panel == panel], looks, axis)
            axis.set_xlabel("budget, bits" if across == "budget" else across.replace("_", " "))
            if few := _few_numbers(lines):
                axis.set_xticks(few)
        axes[0].set_ylabel(measure)
        _limits(lines, axes[0])
        longest = max((len(name) for name in names), default=1)
        columns = max(1, int(width * _LETTERS_AN_INCH / (longest + _LEGEND_SAMPLE)))
        _legend(figure, axes[0], columns, dashed=any(line.unprotected for line in lines))
        save_figure(figure, path, kind)


def _panel(title: str, lines: Sequence[_Line], looks: Mapping[str, SeriesStyle], axes: "Axes") -> None:
    axes.set_title(title)
    plain_axes(axes)
    for line in lines:
        look = looks[line.name]
        xs = [x for x, _ in line.points]
        band = [one["low"] for _, one in line.points], [one["high"] for _, one in line.points]
        axes.fill_between(xs, *band, color=look.light, alpha=0.15, linewidth=0)
        ys = [one["score"] for _, one in line.points]
        axes.plot(
            xs, ys, color=look.light, marker=look.marker, markersize=4, linewidth=1.5, label=line.name or None
        )
        if line.unprotected is not None:
            axes.axhline(line.unprotected["score"], color=look.light, linewidth=0.9, linestyle=(0, (5, 3)))


def _limits(lines: Sequence[_Line], axes: "Axes") -> None:
    """All scores and bands, and somewhat more."""
    every = [one for line in lines for one in (*(o for _, o in line.points), line.unprotected) if one]
    low, high = min(one["low"] for one in every), max(one["high"] for one in every)
    room = _ROOM * ((high - low) or 1.0)
    axes.set_ylim(low - room, high + room)


def _legend(figure: "Figure", axes: "Axes", columns: int, *, dashed: bool) -> None:
    from matplotlib.lines import Line2D

    handles, names = axes.get_legend_handles_labels()
    found = [(h, n) for h, n in zip(handles, names, strict=True) if not n.startswith("_")]
    if dashed:
        found.append((Line2D([], [], color=QUIET, linewidth=0.9, linestyle=(0, (5, 3))), "unprotected"))
    if found:
        figure.legend(*zip(*found, strict=True), loc="outside lower center", ncols=columns, frameon=False)
