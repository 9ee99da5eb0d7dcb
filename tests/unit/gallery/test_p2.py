"""The figures of [P2]: what they find, and the computations that only they need."""

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from noiseless.gallery import p2_early_fig5, p2_fig4, p2_fig5, p2_fig6, p2_fig7, p2_fig8
from noiseless.gallery.data import Data
from noiseless.gallery.figure import Figure, Outcome
from noiseless.gallery.p2_fig4 import Respondents, blurred, continuous_blur, lattice_blur
from noiseless.theory.linear_query import LinearQuery


def made(figure: Figure, folder: Path | None = None) -> Outcome:
    return figure.make(Data(folder).needing(figure.needs))


def disagreeing(outcome: Outcome) -> list[str]:
    return [check.claim for check in outcome.checks if not check.agrees]


@pytest.fixture(scope="module")
def people() -> Respondents:
    return Respondents.of(Data(None))


class TestAccuracy:
    @pytest.mark.parametrize("rho", [Fraction(1, 80), Fraction(1, 20), Fraction(1), Fraction(10)])
    def test_e_is_the_integral_of_example_3(self, rho: Fraction) -> None:
        """The band's measure as the paper integrates it (its sign mended), by the midpoint rule."""
        height = (np.arange(100_000) + 0.5) / 100_000 * 250
        boundary, change = 3 * height**2 / 1000, float(1 / rho)
        band = float((np.minimum(boundary + change, 200) - np.maximum(boundary - change, 0)).mean()) * 250
        assert float(continuous_blur(rho).epsilon) == pytest.approx(band / (50_000 - band), rel=1e-6)

    def test_theorem_4_alone_is_not_as_printed(self) -> None:
        assert disagreeing(made(p2_fig4.figure)) == ["Theorem 4: the collapsing policy has Priv >= ln(1 + e)"]


class TestPeople:
    def test_the_survey(self, data: Path) -> None:
        found = Respondents.of(Data(data))
        assert (len(found), found.asked, found.mistyped) == (979, 1010, 1)
        assert int(np.count_nonzero(found.obese)) == 13
        assert [int(found.within(change).sum()) for change in (5, 10, 20)] == [15, 53, 257]

    def test_blurred_as_one_record_at_a_time(self, people: Respondents) -> None:
        found = blurred(people.height[:40], people.weight[:40], 20)
        rows = zip(people.height[:40].tolist(), people.weight[:40].tolist(), strict=True)
        assert found.tolist() == [
            lattice_blur(20).release({"height": height, "weight": weight})["weight"]
            for height, weight in rows
        ]

    def test_the_papers_policy_reports_the_boundary(self) -> None:
        ann = Respondents(np.array([180, 180]), np.array([95, 120]), 2, 0)
        assert ann.released(5, "collapse").tolist() == [97.2, 120.0]
        assert ann.released(0, "collapse").tolist() == [95.0, 120.0]

    def test_the_figures_on_the_survey(self, data: Path) -> None:
        assert disagreeing(made(p2_fig5.figure, data)) == []
        assert disagreeing(made(p2_early_fig5.figure, data)) == []


class TestLeakage:
    def test_proposition_1_alone_is_not_as_printed(self) -> None:
        assert disagreeing(made(p2_fig6.figure)) == ["Proposition 1: L0(Y;H) <= -ln(1 - exp(-e))"]

    def test_cells_of_an_average(self) -> None:
        assert disagreeing(made(p2_fig7.figure)) == []

    def test_of_all_records(self) -> None:
        """For two records in [0, 1] the cells of the sum are strips whose areas are known."""

        def below(total: float) -> float:
            return total**2 / 2 if total <= 1 else 1 - (2 - total) ** 2 / 2

        for cells in (2, 3, 4, 7, 10):
            areas = [below(2 * (i + 1) / cells) - below(2 * i / cells) for i in range(cells)]
            assert p2_fig8.of_all(2, cells) == pytest.approx(-math.log(min(areas)))
        with pytest.raises(ValueError, match="simplex"):
            p2_fig8.of_all(5, 3)

    @pytest.mark.parametrize("n", [2, 3, 5])
    def test_of_one_record(self, n: int) -> None:
        mean = LinearQuery.average(n, 0, 1)
        for cells in range(1, 13):
            fewest = min(len(mean.cells_given(0, Fraction(k, 60), cells)) for k in range(61))
            assert p2_fig8.to_outputs(n, cells) == pytest.approx(math.log2(cells / fewest))
            values = [k for k in range(601) if 0 in mean.cells_given(0, Fraction(k, 600), cells)]
            assert p2_fig8.of_one(n, cells) == pytest.approx(math.log(601 / len(values)), abs=0.02)

    def test_what_falls_with_the_number_of_people(self) -> None:
        """Not L0(X;Y), however it is read; L0(Y;X_i) does, and stays as it is with a smaller epsilon."""
        assert disagreeing(made(p2_fig8.figure)) == [
            "The leakage falls with a smaller epsilon: L0(Y;X_i), outputs",
            "The leakage falls with the number of people: L0(X;Y), all records",
            "The leakage falls with the number of people: L0(X_i;Y), one record",
        ]
