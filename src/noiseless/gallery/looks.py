"""How the curves and regions of a figure look: one label, one look, in all of its panels."""

from itertools import cycle

from noiseless.gallery.figure import Outcome
from noiseless.reports.curves import OTHERS, OURS, Look

LOOKS: tuple[Look, ...] = (
    *OURS,
    *(look for look in OTHERS if look.light not in {ours.light for ours in OURS}),
)
"""Colours that are told apart on white and on black, each with a marker of its own."""


def looks_of(outcome: Outcome) -> dict[str, int]:
    """The number of each label's look, in the order in which labels are drawn.

    Without a label there is no look: such curves and outlines are drawn in the colour of the text.
    """
    labels = dict[str, None]()
    for panel in outcome.panels:
        labels |= dict.fromkeys(curve.label for curve in panel.curves if curve.label)
        labels |= dict.fromkeys(area.label for area in panel.areas if area.label)
    return dict(zip(labels, cycle(range(len(LOOKS))), strict=False))
