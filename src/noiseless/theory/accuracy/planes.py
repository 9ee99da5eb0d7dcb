"""How much of a box lies below a plane that moves either way by what a function can differ from it."""

from fractions import Fraction
from itertools import product
from math import factorial

import numpy as np

from noiseless.arrays import FloatArray
from noiseless.exact import round_down, round_up
from noiseless.theory.accuracy.float_boxes import Jets, down, up


def share_below_plane(jets: Jets, lengths: FloatArray, level: Fraction) -> tuple[FloatArray, FloatArray]:
    """Bounds of the share of each box on which a function is below a level.

    On a box with centre c the function lies within r of f(c) + g . (x - c), g being the middle of its slopes
    and r half the box's sides times what slopes differ from g. All sums are rounded to the safe side. The
    plane is looked at along its k steepest axes, the others going into r, for every k; the best bounds count.

    Args:
        jets: what is known of the function on each box.
        lengths: the sides of each box, a column an axis.
        level: the level.
    """
    with np.errstate(all="ignore"):
        weights, rest = [], np.zeros(len(lengths))
        for axis, slope in enumerate(jets.slopes):
            middle = np.nan_to_num(slope.low / 2 + slope.high / 2, nan=0.0, posinf=0.0, neginf=0.0)
            differ = np.maximum(up(slope.high - middle), up(middle - slope.low))
            rest = up(rest + up(differ * lengths[:, axis] / 2))
            weights.append(abs(middle) * lengths[:, axis])  # exact: sides are powers of 2
        steepest = -np.sort(-np.stack(weights), axis=0)
        room = down(down(round_down(level) - jets.centres.high) - rest)
        reach = up(up(round_up(level) - jets.centres.low) + rest)
        low, high = np.zeros(len(lengths)), np.ones(len(lengths))
        for axes in range(len(steepest) + 1):
            flat = up(up(steepest[axes:].sum(axis=0) / 2) * (1 + 2.0**-40))
            low = np.maximum(low, _below(steepest[:axes], down(room - flat), -1))
            high = np.minimum(high, _below(steepest[:axes], up(reach + flat), 1))
    return low, high


def _below(weights: FloatArray, level: FloatArray, side: int) -> FloatArray:
    """The share of w . (u - 1/2) below a level, u in the unit box: never above (side -1) or below it (1).

    Inclusion and exclusion over corners, with a margin for all roundings: so many terms, none larger than the
    power of the whole length.
    """
    axes = len(weights)
    if not axes:
        return (level > 0 if side < 0 else level >= 0).astype(float)
    length = weights.sum(axis=0)
    place = level + length / 2
    terms = sum(
        (-1) ** sum(corner)
        * np.maximum(place - sum(w * c for w, c in zip(weights, corner, strict=True)), 0.0) ** axes
        for corner in product((0, 1), repeat=axes)
    )
    divisor = factorial(axes) * weights.prod(axis=0)
    margin = 2.0 ** (axes - 48) * (axes + 3) ** 2 * np.maximum(length, abs(place)) ** axes / divisor
    share = np.nan_to_num(terms / divisor + side * margin, nan=float(side > 0), posinf=1.0, neginf=0.0)
    if side < 0:
        return np.where(place >= length * (1 + 2.0**-40), 1.0, np.clip(share, 0.0, 1.0))
    return np.where(place <= -length * 2.0**-40, 0.0, np.clip(share, 0.0, 1.0))
