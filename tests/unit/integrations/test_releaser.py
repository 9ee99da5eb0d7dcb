"""A release as a transformer of scikit-learn."""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import noiseless as nl

PEOPLE = pd.DataFrame(
    {
        "age": [31, 35, 52, 47, 31, 60, 44, 58],
        "sex": [*"fmfmfmfm"],
        "ill": ["flu", "cold", "flu", "asthma", "cold", "flu", "asthma", "cold"],
    }
)
WITHOUT = ("check_array_api_input",)  # another kind of array, switched on by the environment


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([nl.NoiselessReleaser()])  # type: ignore[untyped-decorator]
def test_the_checks_of_scikit_learn(estimator: nl.NoiselessReleaser, check: partial[None]) -> None:
    if check.func.__name__ in WITHOUT:
        pytest.skip("needs SCIPY_ARRAY_API")
    check(estimator)


def test_it_writes_what_a_release_writes() -> None:
    releaser = nl.NoiselessReleaser(sensitive="ill", min_posterior=2, codeword="interval")
    out = releaser.set_output(transform="pandas").fit_transform(PEOPLE)
    done = nl.release(PEOPLE, sensitive="ill", public=["age", "sex"], min_posterior=2, keep_order=True)
    assert out.to_dict("list") == done.to_pandas().to_dict("list")
    assert nl.verify(releaser.certificate_, original=PEOPLE, released=out).holds


def test_new_rows_become_cells_and_what_no_cell_covers_is_missing() -> None:
    releaser = nl.NoiselessReleaser(min_posterior=2).fit(PEOPLE[["age"]], PEOPLE["ill"])
    old = releaser.transform(PEOPLE[["age"]])
    new = releaser.transform(pd.DataFrame({"age": [31, 999]}))
    assert new[0] == old[0]
    assert np.isnan(new[1, 0])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_kind_and_names(frame: type[pd.DataFrame | pl.DataFrame]) -> None:
    releaser = nl.NoiselessReleaser(sensitive="ill").set_output(transform=frame.__module__.split(".")[0])
    out = releaser.fit_transform(frame(PEOPLE.to_dict("list")))
    assert isinstance(out, frame)
    assert list(out.columns) == list(releaser.get_feature_names_out()) == ["age", "sex"]


def test_what_new_rows_give_away_is_counted() -> None:
    releaser = nl.NoiselessReleaser(min_posterior=2).fit(PEOPLE[["age"]], PEOPLE["ill"])
    assert releaser.apply(PEOPLE[["age"]], PEOPLE["ill"]).holds is True
    alone = releaser.apply(PEOPLE[["age"]][:1], PEOPLE["ill"][:1])
    assert alone.holds is False
    assert [limit.name for limit in alone.missed] == ["min_posterior"]
    assert releaser.apply(PEOPLE[["age"]]).holds is None


def test_a_pipeline_fits_on_each_fold_and_is_searched() -> None:
    many = pd.concat([PEOPLE] * 6, ignore_index=True)
    many["age"] += np.arange(len(many)) % 5
    model = make_pipeline(nl.NoiselessReleaser(), DecisionTreeClassifier(random_state=0))
    assert len(cross_val_score(model, many[["age"]], many["ill"], cv=2)) == 2
    search = GridSearchCV(model, {"noiselessreleaser__min_posterior": [2, 3]}, cv=2).fit(
        many[["age"]], many["ill"]
    )
    assert search.best_params_["noiselessreleaser__min_posterior"] in (2, 3)
    assert clone(model).get_params()["noiselessreleaser__codeword"] == "midrange"


def test_mistakes_are_said_in_one_line() -> None:
    with pytest.raises(NotFittedError):
        nl.NoiselessReleaser().transform(PEOPLE)
    with pytest.raises(ValueError, match="requires y to be passed"):
        nl.NoiselessReleaser().fit(PEOPLE[["age"]])
    with pytest.raises(ValueError, match="height"):
        nl.NoiselessReleaser(sensitive="height").fit(PEOPLE)
    with pytest.raises(ValueError, match="ask for min_posterior=3 or less"):
        nl.NoiselessReleaser(min_posterior=50).fit(PEOPLE[["age"]], PEOPLE["ill"])
    with pytest.raises(ValueError, match="rename it"):
        nl.NoiselessReleaser().fit(PEOPLE[["age"]].rename(columns={"age": "target"}), PEOPLE["ill"])
    with pytest.raises(ValueError, match="same rows"):
        nl.NoiselessReleaser().fit(PEOPLE[["age"]], PEOPLE["ill"][:3])
