"""The public data sets: what they are, where each is fetched and where its file is put."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A public data set.

    Attributes:
        name: as figures call it.
        path: where it is put, below the folder.
        what: a description of it.
        address: where it is fetched.
    """

    name: str
    path: str
    what: str
    address: str


SETS: Mapping[str, Source] = {
    source.name: source
    for source in (
        Source(
            "meters",
            "meters/lcl_100_households_2013.parquet",
            "Low Carbon London smart meters, the half hours of 2013, a column a household",
            "https://data.london.gov.uk/dataset/smartmeter-energy-use-data-in-london-households",
        ),
        Source(
            "redd",
            "redd/house1_3s.parquet",
            "REDD, house 1 at 3 s: the mains and its circuits",
            "http://redd.csail.mit.edu",
        ),
        Source(
            "taxi",
            "taxi/trips.parquet",
            "trips of New York yellow cabs 2009-2015 with coordinates",
            "https://www.kaggle.com/c/new-york-city-taxi-fare-prediction",
        ),
        Source(
            "heart",
            "heart/processed.hungarian.data",
            "UCI Heart Disease, Hungarian Institute of Cardiology",
            "https://archive.ics.uci.edu/dataset/45/heart+disease",
        ),
        Source(
            "young-people",
            "young-people/responses.csv",
            "Young People Survey, Slovakia 2013",
            "https://www.kaggle.com/datasets/miroslavsabo/young-people-survey",
        ),
        Source(
            "adult",
            "adult/adult.csv",
            "UCI Adult, the census of 1994",
            "https://archive.ics.uci.edu/dataset/2/adult",
        ),
    )
}
"""All data sets that a figure can need."""
