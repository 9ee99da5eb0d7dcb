from dataclasses import replace

from noiseless.releases.changes import Example
from noiseless.reports.release_text import frontier_text, release_text
from noiseless.search.survey import Series
from release_examples import CHANGE, EXACT, frontier, point, release


class TestRelease:
    def test_before_and_after(self) -> None:
        text = release_text(release())
        assert text.startswith(
            "PARTLY PRIVATE: Every released row leaves at least 5 of 38 values of age possible"
        )
        assert "  bits leaked, L0         5.25     2.93\n" in text
        assert "  fewest values left         1        5\n" in text
        assert "  distortion                 0     10.5\n" in text
        assert "fewest values left  at least 5      5  holds" in text
        assert "chol  154 -> 3           280     10.5  3.3334  236, 238, 4 more -> 237" in text
        assert text.endswith("within the limits. (found\nby: exact, contiguous)")

    def test_warnings_and_suppressed_rows(self) -> None:
        text = release_text(release(point=point(5, None, suppressed_rows=4), warnings=("Beware.",)))
        assert text.endswith("\n\nNote: Beware.")
        assert "  suppressed rows            0        4" in text
        assert "\n  distortion" not in text

    def test_no_line_is_too_long(self) -> None:
        assert max(map(len, release_text(release()).splitlines())) <= 100


class TestFrontier:
    def test_points_methods_and_proof(self) -> None:
        lines = frontier_text(frontier()).splitlines()
        assert lines[0] == "5 undominated releases: age hidden, chol published:"
        assert lines[6].split() == ["5", "12", "2.93", "0.00", "4.94", "10.5", "exact,", "contiguous"]
        assert "The least distortion each method needs, leaving at least this many values:" in lines
        assert any(line.split()[:2] == ["Mondrian", "(baseline)"] for line in lines)
        assert lines[-2].startswith("Proved: no contiguous cells")

    def test_many_points_are_thinned_evenly(self) -> None:
        many = tuple(point(1, i) for i in range(100))
        lines = frontier_text(frontier(points=many)).splitlines()
        assert lines[0].startswith("20 of the 100 undominated releases: ")
        shown = [line.split() for line in lines if line.split()[:1] == ["1"]]
        assert (len(shown), shown[0][5], shown[-1][5]) == (20, "0", "99")

    def test_resolution_and_bits(self) -> None:
        text = frontier_text(frontier(utility="resolution", objective="maximin", scope=None))
        assert "The most resolution each method keeps, giving away at most this much:" in text
        assert " ".join(text.split()).endswith("that nothing does, or that no others lie between them.")

    def test_nothing_to_compare(self) -> None:
        assert "each method" not in frontier_text(frontier(series=()))
        assert "each method" not in frontier_text(frontier(points=EXACT[:1], series=(Series("greedy", ()),)))


class TestExamples:
    def test_as_many_values_as_there_is_room_for(self) -> None:
        many = Example("26-88", tuple(str(n) for n in range(26, 46)), 14)
        text = release_text(release(changes=(replace(CHANGE, examples=(many,)),)))
        assert "  26, 27, 28, 29, 30, 29 more -> 26-88\n" in text

    def test_long_values_are_cut_and_what_is_released_stays(self) -> None:
        long = Example("Z" * 50, ("A" * 50, "B" * 50))
        text = release_text(release(changes=(replace(CHANGE, examples=(long,)),)))
        assert f"2 values -> {'Z' * 23}…\n" in text

    def test_a_column_without_any(self) -> None:
        assert "280" in release_text(release(changes=(replace(CHANGE, examples=()),)))
