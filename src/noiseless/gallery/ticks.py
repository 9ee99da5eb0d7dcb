"""The numbers that are written beside an axis."""

import math
from typing import TYPE_CHECKING

from noiseless.gallery.figure import Panel
from noiseless.reports.axes import number_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

_MOST = 6
_FEW, _SOME = 1.5, 2.5
"""Up to so many decades an axis has 1, 2 and 5 of each, and up to so many 1 and 3."""

_SMALL, _LARGE = -4, 6
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def set_ticks(panel: Panel, axes: "Axes") -> None:
    """Write few numbers beside both axes, or the texts that the panel gives."""
    for axis, given, log in (
        (axes.xaxis, panel.x_ticks, panel.log_x),
        (axes.yaxis, panel.y_ticks, panel.log_y),
    ):
        if given:
            axis.set_ticks([place for place, _ in given], [text for _, text in given])
            axis.minorticks_off()
        elif log:
            low, high = sorted(axis.get_view_interval())
            _logarithmic(axis, low, high)
        else:
            _even(axis)


def shade_ticks(axes: "Axes", low: float, high: float, *, log: bool) -> None:
    """The same for a scale of shades."""
    if log:
        _logarithmic(axes.yaxis, low, high)
    else:
        _even(axes.yaxis)


def tick_text(value: float) -> str:
    """A number in few characters.

    >>> tick_text(0.25), tick_text(2000.0), tick_text(1e-9)
    ('0.25', '2,000', '10⁻⁹')
    """
    if value == 0:
        return "0"
    power = math.floor(math.log10(abs(value)) + 1e-9)
    if _SMALL <= power < _LARGE:
        return number_text(float(f"{value:.10g}")).replace("-", "−")  # noqa: RUF001 - a minus sign
    factor = f"{value / 10.0**power:.4g}"
    raised = f"10{str(power).translate(_RAISED)}"
    return raised if factor == "1" else f"{factor}×{raised}".replace("-", "−")  # noqa: RUF001 - signs


def _even(axis: "Axis") -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(_MOST, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def _logarithmic(axis: "Axis", low: float, high: float) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis.set_minor_locator(NullLocator())
    powers = decades(low, high)
    if len(powers) < 2:  # noqa: PLR2004 - one number alone does not make a scale
        _even(axis)
        return
    axis.set_major_locator(FixedLocator(powers))
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))


def decades(low: float, high: float) -> list[float]:
    """Powers of ten between two numbers, as few as will do; others between them where these are too few.

    >>> decades(1, 20), decades(0.001, 1e6)
    ([1.0, 2.0, 5.0, 10.0, 20.0], [0.001, 0.1, 10.0, 1000.0, 100000.0])
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    wide = math.log10(high / low)
    factors = (1, 2, 5) if wide <= _FEW else (1, 3) if wide <= _SOME else (1,)
    every = max(1, math.ceil((last - first) / (_MOST + 1))) if len(factors) == 1 else 1
    numbers = [factor * 10.0**power for power in range(first, last + 1, every) for factor in factors]
    return [number for number in numbers if low * (1 - 1e-9) <= number <= high * (1 + 1e-9)]
