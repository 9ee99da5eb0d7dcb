"""Distortion [P4]: how far the best estimate of what is hidden must be from it."""

from noiseless.theory.distortion.distances import Distance
from noiseless.theory.distortion.errors import (
    max_distortion,
    max_distortion_bound,
    min_distortion,
    min_distortion_bound,
    radius_for_volume,
)
from noiseless.theory.distortion.polytopes import Polytope, mean_errors, slab_volume, smallest_enclosing_ball
from noiseless.theory.distortion.radii import cell_radius

__all__ = [
    "Distance",
    "Polytope",
    "cell_radius",
    "max_distortion",
    "max_distortion_bound",
    "mean_errors",
    "min_distortion",
    "min_distortion_bound",
    "radius_for_volume",
    "slab_volume",
    "smallest_enclosing_ball",
]
