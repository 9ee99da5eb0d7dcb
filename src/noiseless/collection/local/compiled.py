"""Loops over a column as machine code, a block at a time that stays in the nearest cache.

The loops of a block have no branches, so that they become vector instructions; blocks are slices, so that
no index can be negative, which would have to be looked at. Labels are as many bytes as the readings: a block
of them is written past the caches, which saves reading the memory that is about to be overwritten.

numba keeps compiled code beside this file and looks at its age only: all that kernels call stands here.
"""

# Compiled functions return plain numbers; numba and llvmlite ship no types.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
# mypy: disable-error-code="import-untyped,untyped-decorator,call-arg"
# ruff: noqa: ANN001, ANN201, ANN202, PLR0917 - kernels take arrays and numbers one by one
# ruff: noqa: FURB136 - min and max would ask for NaN, which takes longer

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_BLOCK = 2048
_LANES = 8
"""Doubles in 64 bytes: the line of a cache, which is written whole or is first read."""


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as machine code that runs without the interpreter's lock.

    Products and sums may be fused: where that matters, they are exact.
    """
    options: dict[str, Any] = {"nogil": True, "fastmath": {"contract"}}
    try:
        return cast("Callable[..., Any]", numba.njit(cache=True, **options)(function))
    except RuntimeError:  # no folder to keep it in: compile it anew in each process
        return cast("Callable[..., Any]", numba.njit(**options)(function))


def _line_writer(past_caches: bool) -> Callable[..., Any]:
    """`found[place : place + 8] = labels[codes[i : i + 8]]`; past the caches where a line of them begins."""

    def write_line(_context, found, place, labels, codes, i):
        def build(context, builder, signature, arguments):
            target, source, chosen = (
                context.make_array(signature.args[at])(context, builder, arguments[at]).data
                for at in (0, 2, 3)
            )
            lanes = ir.VectorType(ir.DoubleType(), _LANES)
            line = ir.Constant(lanes, ir.Undefined)
            for lane in range(_LANES):
                at = builder.add(arguments[4], ir.Constant(arguments[4].type, lane))
                code = builder.zext(builder.load(builder.gep(chosen, [at])), ir.IntType(64))
                label = builder.load(builder.gep(source, [code]))
                line = builder.insert_element(line, label, ir.Constant(ir.IntType(32), lane))
            begin = builder.bitcast(builder.gep(target, [arguments[1]]), lanes.as_pointer())
            store = builder.store(line, begin, align=64 if past_caches else 8)
            if past_caches:
                mark = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
                store.set_metadata("nontemporal", mark)
            return context.get_dummy_value()

        return types.void(found, place, labels, codes, i), build

    return cast("Callable[..., Any]", intrinsic(write_line))


_write_line, _write_line_past_caches = _line_writer(past_caches=False), _line_writer(past_caches=True)


@intrinsic
def _settle(_context):
    """Have everything written before anything else: what goes past the caches may come late."""

    def build(context, builder, _signature, _arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), build


@kernel
def _write(labels, codes, size, found, begin, past_caches):
    """Write the labels of a block of codes."""
    whole = 0
    if past_caches and size == _BLOCK:
        for i in range(0, _BLOCK, _LANES):
            _write_line_past_caches(found, begin + i, labels, codes, i)
        whole = _BLOCK
    elif not past_caches:
        whole = size // _LANES * _LANES
        for i in range(0, whole, _LANES):
            _write_line(found, begin + i, labels, codes, i)
    for i in range(whole, size):
        found[begin + i] = labels[codes[i]]


@kernel
def _move_inside(block, low, high, moved):
    """Move values to the nearest bound, NaN to the lower one; return how many moved."""
    outside = 0
    for i in range(len(block)):
        outside += not ((block[i] >= low) & (block[i] <= high))
        value = block[i] if block[i] >= low else low
        moved[i] = value if value <= high else high
    return outside


@kernel
def _cells(block, starts, end, origin, scale, line, codes):
    """The cell of each value of a block; returns False when some are outside, and cells are unknown."""
    begin, last, inside = starts[0], np.float64(len(starts) - 1), True
    high, high_step, low, low_step = line
    if high_step:
        for i in range(len(block)):
            inside &= (block[i] >= begin) & (block[i] <= end)
            guess = np.floor((block[i] - origin) * scale)
            guess = guess if guess < last else last
            above = block[i] - (high + guess * high_step) >= low + guess * low_step
            codes[i] = np.int32(guess if above else guess - 1.0)
        return inside
    for i in range(len(block)):
        inside &= (block[i] >= begin) & (block[i] <= end)
        guess = (block[i] - origin) * scale
        codes[i] = np.int32(guess if guess < last else last)
    if inside:
        for i in range(len(block)):
            codes[i] -= block[i] < starts[codes[i]]
    return inside


@kernel
def codes(values, starts, high, origin, scale, line, codes):
    """The cell of each value; returns how many values were outside."""
    outside, moved = 0, np.empty(_BLOCK)
    for begin in range(0, len(values), _BLOCK):
        block, told = values[begin : begin + _BLOCK], codes[begin : begin + _BLOCK]
        if not _cells(block, starts, high, origin, scale, line, told):
            outside += _move_inside(block, starts[0], high, moved)
            _cells(moved[: len(block)], starts, high, origin, scale, line, told)
    return outside


@kernel
def labels(values, starts, high, origin, scale, line, labels, found, head):
    """The label of each value's cell; returns how many values were outside.

    `head` labels come before a line of the caches begins; below 0, they are written as usual.
    """
    outside, moved, cells = 0, np.empty(_BLOCK), np.empty(_BLOCK, np.uint32)
    for end in range(max(head, 0), len(values) + _BLOCK, _BLOCK):
        block = values[max(end - _BLOCK, 0) : end]
        if not _cells(block, starts, high, origin, scale, line, cells):
            outside += _move_inside(block, starts[0], high, moved)
            _cells(moved[: len(block)], starts, high, origin, scale, line, cells)
        _write(labels, cells, len(block), found, max(end - _BLOCK, 0), head >= 0)
    _settle()
    return outside


@kernel
def _lattice_cells(block, cells, origin, scale, line, shift, slope, codes):
    """The cell of each point of a block; returns False when values are no points, and cells are unknown."""
    high, high_step, low, low_step = line
    last, points, listed = np.float64(len(cells) - 1), True, slope == 0.0
    if listed:
        shift, slope = 0.5, 1.0  # the position itself
    for i in range(len(block)):
        place = np.floor((block[i] - origin) * scale)
        point = (high + place * high_step) + (low + place * low_step)
        points &= (place >= 0) & (place <= last) & (point == block[i])
        codes[i] = np.int32((place + shift) * slope)
    if listed and points:
        for i in range(len(block)):
            codes[i] = cells[codes[i]]
    return points


@kernel
def lattice_codes(values, cells, origin, scale, line, shift, slope, codes):
    """The cell of each point; returns 1 when values are no points, and their cells are unknown."""
    places = np.empty(_BLOCK, np.uint32)
    for begin in range(0, len(values), _BLOCK):
        block, told = values[begin : begin + _BLOCK], codes[begin : begin + _BLOCK]
        if slope:
            points = _lattice_cells(block, cells, origin, scale, line, shift, slope, told)
        else:  # positions may be more than fit into codes
            points = _lattice_cells(block, cells, origin, scale, line, shift, slope, places)
            for i in range(len(block)):
                told[i] = places[i]
        if not points:
            return 1
    return 0


@kernel
def lattice_labels(values, cells, origin, scale, line, shift, slope, labels, found, head):
    """The label of each point's cell; returns 1 when values are no points."""
    told = np.empty(_BLOCK, np.uint32)
    for end in range(max(head, 0), len(values) + _BLOCK, _BLOCK):
        block = values[max(end - _BLOCK, 0) : end]
        if not _lattice_cells(block, cells, origin, scale, line, shift, slope, told):
            return 1
        _write(labels, told, len(block), found, max(end - _BLOCK, 0), head >= 0)
    _settle()
    return 0


@kernel
def take(codes, labels, found):
    """The label of each code."""
    for i in range(len(codes)):
        found[i] = labels[codes[i]]
    return 0
