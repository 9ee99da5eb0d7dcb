"""How results show themselves: `plot` draws them with matplotlib, `page` makes their page of HTML."""

from collections.abc import Callable, Collection
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noiseless.audits import Audit
from noiseless.audits.table_audit import TableAudit
from noiseless.comparison.comparison import Comparison
from noiseless.display import counted
from noiseless.releases.results import Release, ReleaseFrontier
from noiseless.reports.audit_page import audit_html
from noiseless.reports.audit_rows import posterior_bins
from noiseless.reports.board_page import board_html
from noiseless.reports.canvas import OTHERS, OURS, plain_axes, plain_style
from noiseless.reports.frontier_page import render_frontier
from noiseless.reports.frontier_plot import draw_frontier
from noiseless.reports.game_plot import GameLike, draw_game
from noiseless.reports.pages import write_page
from noiseless.reports.plots import ALARM, BAR
from noiseless.reports.protection_page import protection_html
from noiseless.reports.release_page import render_release
from noiseless.reports.tabulation_page import tabulation_html
from noiseless.reports.verification_page import verification_html
from noiseless.tabulations.audit import TabulationAudit
from noiseless.tabulations.protection import TableProtection
from noiseless.verification import Verification

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(result: object, ax: "Axes | None" = None) -> "Axes":
    """Draw a result on some axes, or on those of a new figure of pyplot, which notebooks show.

    Args:
        result: an audit, a release, a frontier, a comparison or a game.
        ax: the axes.
    """
    with plain_style():
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")[1]
        draw(result, ax)
    return ax


@singledispatch
def draw(result: object, axes: "Axes") -> None:
    """Draw a result on axes; games are of a room above, and told by what they have."""
    if not isinstance(result, GameLike):
        raise TypeError(f"a {type(result).__name__} has no picture")
    draw_game(result, axes)


@draw.register(ReleaseFrontier)
def _(result: ReleaseFrontier, axes: "Axes") -> None:
    draw_frontier(result, axes)


@draw.register(Release)
def _(result: Release, axes: "Axes") -> None:
    draw_frontier(result.frontier(), axes, result.point)


@draw.register(Audit)
def _(result: Audit, axes: "Axes") -> None:
    """How many rows (persons) sit in groups that leave this many values possible."""
    if isinstance(result, TableAudit):
        bars = [(found.label, found.heads, found.last == 1) for found in posterior_bins(result.worst)]
    else:
        bars = [(f"{size:,}", heads, size == 1) for size, _, heads in result.worst.posterior_histogram]
    labels, heads, alone = zip(*bars, strict=True)
    drawn = axes.barh(labels, heads, color=[ALARM if one else BAR for one in alone])
    axes.bar_label(drawn, [f"{number:,}" for number in heads], padding=4)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set(xlabel=result.heads, ylabel=f"values of {result.worst.name} left", title=result.verdict)
    axes.title.set_wrap(True)
    plain_axes(axes)


@draw.register(Comparison)
def _(result: Comparison, axes: "Axes") -> None:
    """The worst and the mean error of each mechanism."""
    places = range(len(result.mechanisms))
    names = [one.name for one in result.mechanisms]
    for shift, look, word in ((-0.2, OTHERS[0], "worst_error"), (0.2, OURS[0], "mean_error")):
        values = [getattr(one, word) for one in result.mechanisms]
        axes.barh(
            [place + shift for place in places], values, 0.38, color=look.light, label=word.replace("_", " ")
        )
    axes.set_yticks(list(places), names)
    axes.invert_yaxis()
    people = counted(result.people, "people")
    axes.set(xscale="log", xlabel="error", title=f"{result.query} of {people}, at equal bits")
    axes.legend(frameon=False)
    plain_axes(axes)


def page(result: object, out: Path | str | None = None, **options: Any) -> str:  # noqa: ANN401 - the page's own
    """The page of a result, written to a file if one is named.

    Args:
        result: an audit, a release, a frontier, a verification, or published tables, audited or protected.
        out: the file.
        options: as the page's own function takes them.

    Raises:
        OutputError: it cannot be written there.
    """
    make, sources = _page_of(result)
    text = make(result, **options)
    if out is not None:
        shows_values = bool(options.get("reveal") or options.get("private"))
        private = shows_values or isinstance(result, TableProtection)  # whose page has the true figures
        write_page(out, text, sources, private=private)
    return text


def board(result: Audit | Release, out: Path | str | None = None, **options: Any) -> str:  # noqa: ANN401 - as above
    """The sheet for the board of a result, written to a file if one is named.

    Args:
        result: an audit or a release.
        out: the file.
        options: as `board_html` takes them.

    Raises:
        OutputError: it cannot be written there.
    """
    text = board_html(result, **options)
    if out is not None:
        others = [Path(name) for name in (*options.get("read", ()), *options.get("written", ()))]
        write_page(out, text, [*_page_of(result)[1], *others])
    return text


def _page_of(result: object) -> tuple[Callable[..., str], Collection[Path]]:
    """What makes the page, and which files it may not overwrite."""
    if isinstance(result, Audit):
        return audit_html, result.table.files if isinstance(result, TableAudit) else ()
    if isinstance(result, Release):
        return render_release, result.sources
    if isinstance(result, ReleaseFrontier):
        return render_frontier, ()
    if isinstance(result, TabulationAudit):
        return tabulation_html, ()
    if isinstance(result, Verification):
        return verification_html, ()
    if isinstance(result, TableProtection):
        return protection_html, [source.file for source in result.sources if source.file is not None]
    raise TypeError(f"a {type(result).__name__} has no page")
