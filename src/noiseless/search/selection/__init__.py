"""Choosing a release: the best partition of public values for a wish, and what every method can do."""

from noiseless.search.selection.choice import Choice
from noiseless.search.selection.choose import choose
from noiseless.search.selection.measures import Measures, measure
from noiseless.search.selection.problem import Problem
from noiseless.search.selection.survey import Series, Survey, SurveyPoint
from noiseless.search.selection.surveying import survey
from noiseless.search.selection.wish import Wish

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
