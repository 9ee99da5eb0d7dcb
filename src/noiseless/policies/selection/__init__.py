"""Choosing a release: the best partition of public values for a wish, and what every method can do."""

from noiseless.policies.selection.choice import Choice
from noiseless.policies.selection.choose import choose
from noiseless.policies.selection.measures import Measures, measure
from noiseless.policies.selection.problem import Problem
from noiseless.policies.selection.survey import Series, Survey, SurveyPoint
from noiseless.policies.selection.surveying import survey
from noiseless.policies.selection.wish import Wish

__all__ = [
    "Choice",
    "Measures",
    "Problem",
    "Series",
    "Survey",
    "SurveyPoint",
    "Wish",
    "choose",
    "measure",
    "survey",
]
