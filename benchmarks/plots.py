"""Growth drawn as a small SVG file, the same for the same numbers."""

from pathlib import Path
from typing import Any

from page import Plot

_COLOURS = ("#0b6e4f", "#c1440e", "#3d5a80", "#8a5a83", "#7a7a7a", "#b8860b")


def draw(plot: Plot, folder: Path) -> None:
    """Write a plot into a folder."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    folder.mkdir(parents=True, exist_ok=True)
    settings: Any = {"svg.hashsalt": plot.name, "svg.fonttype": "none", "font.size": 9}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(5.6, 3.2), layout="constrained")
        axes = figure.add_subplot()
        for (name, points), colour in zip(plot.lines.items(), _COLOURS * 3, strict=False):
            if points:
                style = "--" if "copy" in name or "scan" in name else "-"
                axes.plot(*zip(*points, strict=True), style, marker="o", ms=3.5, color=colour, label=name)
        axes.set(xscale="log", yscale="log", xlabel=plot.across, ylabel=plot.up)
        axes.set_title(plot.title, fontsize=9)
        axes.minorticks_off()
        axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
        figure.savefig(folder / f"bench-{plot.name}.svg", metadata={"Date": None})
