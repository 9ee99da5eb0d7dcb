from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest

from noiseless.errors import OutputError
from noiseless.exact import Bits
from noiseless.reports import save_plot
from noiseless.reports.canvas import OTHERS, OURS
from noiseless.reports.charts import chart_of
from noiseless.reports.frontier_plot import NARROW, WIDE, frontier_svg
from noiseless.reports.frontier_rows import scope_words
from noiseless.search.survey import Series
from release_examples import EXACT, GREEDY, MONDRIAN, frontier, point

SHADE = "var(--card)"
MANY = tuple(point(1 + i, i, leakage=Bits(Fraction(10**4, 1 + i))) for i in range(3000))


def words(svg: str) -> list[str]:
    """The texts of a drawing; it is well-formed XML."""
    return [element.text or "" for element in ET.fromstring(svg).iter("text")]


def style(element: ET.Element) -> dict[str, str]:
    """The style of an element."""
    return dict(part.split(": ") for part in element.attrib["style"].split("; "))


class TestChart:
    def test_left_and_down_are_better(self) -> None:
        front = chart_of(frontier()).front
        assert [dot.point for dot in front] == [*EXACT[:4], MONDRIAN[2], EXACT[4]]  # none is in the shade
        xs, ys = [dot.x for dot in front], [dot.y for dot in front]
        assert xs == sorted(xs)
        assert ys == sorted(ys, reverse=True)
        assert ys[-1] == 0

    def test_nothing_is_shaded_where_a_release_may_do_better(self) -> None:
        vast = replace(frontier(), is_complete=False, scope="contiguous")
        assert chart_of(vast).front == ()
        assert SHADE not in frontier_svg(chart_of(vast))
        assert SHADE in frontier_svg(chart_of(frontier()))
        assert scope_words(vast).endswith("A release with another target may do better.")
        assert chart_of(replace(vast, scope="all")).front == ()
        assert scope_words(replace(vast, scope="all")).endswith("may lie between its points.")

    def test_with_resolution_too(self) -> None:
        chart = chart_of(frontier(utility="resolution"))
        assert chart.across.falling
        assert [dot.point.min_posterior for dot in chart.front] == [1, 2, 3, 4, 5, 10, 12, 38]
        assert chart.across_title.startswith("Resolution")

    def test_a_logarithmic_axis_says_so(self) -> None:
        crowded = tuple(point(k, d) for k, d in ((1, 0), (2, 1), (3, 2), (38, 5000)))
        assert chart_of(frontier(points=crowded, series=())).across_title.endswith(", log scale")
        assert not chart_of(frontier()).across_title.endswith(", log scale")

    def test_points_that_a_method_beats_itself_are_apart(self) -> None:
        mondrian = chart_of(frontier()).curves[2]
        assert [dot.point.min_posterior for dot in mondrian.dots] == [4, 12]
        assert [dot.point.min_posterior for dot in mondrian.beaten] == [3]

    def test_methods_look_different(self) -> None:
        curves = chart_of(frontier()).curves
        assert [curve.look for curve in curves] == [OURS[0], OURS[1], OTHERS[0]]
        looks = [(look.marker, look.dashes) for look in (*OURS, *OTHERS)]
        assert len(set(looks)) == len(looks)  # without their colours

    def test_values_left_are_a_second_scale(self) -> None:
        chart = chart_of(frontier())
        texts = [text for _, text in chart.posteriors]
        assert texts[0] == "38"
        assert texts[-1] == "1"
        assert (chart.front[2].y, "5") in chart.posteriors

    def test_but_not_with_side_information(self) -> None:
        known = [replace(p, leakage=Bits(Fraction(3, 2))) for p in EXACT]
        assert chart_of(frontier(points=tuple(known), series=())).posteriors == ()

    def test_nor_for_maximin_information(self) -> None:
        chart = chart_of(frontier(objective="maximin"))
        assert chart.posteriors == ()
        assert chart.up_title.startswith("Always revealed")
        assert [dot.point.min_posterior for dot in chart.front] == [1, 2]

    def test_marked_points_in_one_place_share_a_name(self) -> None:
        chart = chart_of(frontier(), {"this release": EXACT[2], "the other": EXACT[2]})
        assert [name for name, _ in chart.marked] == ["this release = the other"]

    def test_a_marked_point_off_the_frontier_is_on_the_plot(self) -> None:
        _, dot = chart_of(frontier(), {"mine": point(1, 400)}).marked[0]
        assert 0 <= dot.x <= 1

    def test_no_points_at_all(self) -> None:
        chart = chart_of(frontier(points=(), series=(Series("greedy", ()),)))
        assert not chart.front
        assert not chart.curves
        assert words(frontier_svg(chart))


class TestInline:
    @pytest.mark.parametrize("width", [WIDE, NARROW])
    def test_it_says_what_is_what(self, width: int) -> None:
        svg = frontier_svg(chart_of(frontier(), {"this release": EXACT[2]}), width)
        said = words(svg)
        for text in ("Leakage, L0 (bits)", "fewest values left", "exact, contiguous", "greedy", "Mondrian"):
            assert text in said
        assert "this release" in said
        assert ET.fromstring(svg).get("role") == "img"
        assert ET.fromstring(svg)[0].tag == "title"

    def test_every_text_is_within_the_drawing(self) -> None:
        for width in (WIDE, NARROW):
            root = ET.fromstring(frontier_svg(chart_of(frontier()), width))
            _, _, right, bottom = map(float, root.attrib["viewBox"].split())
            for text in root.iter("text"):
                long = 6.2 * len(text.text or "")
                if "rotate(-90" in text.get("transform", ""):
                    continue
                shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[style(text).get("text-anchor", "start")]
                left = float(text.attrib["x"]) - shift * long
                assert left >= -4, text.text
                assert left + long <= right + 8, text.text
                assert 0 < float(text.attrib["y"]) < bottom

    def test_points_tell_what_they_are(self) -> None:
        svg = frontier_svg(chart_of(frontier(), {"this release": EXACT[2]}))
        told = "this release: leakage 2.93 bits, I* 0.00 bits, at least 5 left, at least 12 rows alike"
        assert f"<title>{told}, resolution 4.94 bits, distortion 10.5, 20 cells</title>" in svg
        assert svg.count("<title>") == 1 + 5 + 5 + 3 + 1

    def test_steps_go_right_and_then_down(self) -> None:
        svg = frontier_svg(chart_of(frontier()))
        lines = [path for path in ET.fromstring(svg).iter("path") if path.get("clip-path")]
        paths = [path.attrib["d"].split() for path in lines if style(path)["fill"] == "none"]
        corners = [list(zip(path[1::3], path[2::3], strict=True)) for path in paths]
        stairs = [line for line in corners if len(line) > 2]
        assert [len(line) for line in stairs] == [3, 9, 9]  # Mondrian's two points, and two times five
        for line in stairs:
            for (_, y), (across, low), (far, down) in zip(line[::2], line[1::2], line[2::2], strict=False):
                assert y == low
                assert across == far
                assert float(down) > float(low)

    def test_thousands_of_points_make_a_small_line(self) -> None:
        many = frontier(points=MANY, series=(Series("greedy", MANY),), sensitive_values=10**4)
        svg = frontier_svg(chart_of(many))
        assert len(svg) < 60_000
        assert svg.count("<title>") == 1

    def test_names_are_escaped(self) -> None:
        svg = frontier_svg(chart_of(frontier(series=(Series("<b>&", GREEDY),)), {"<i>": EXACT[1]}))
        assert {"<b>&", "<i>"} <= set(words(svg))

    def test_the_same_bytes_again(self) -> None:
        assert frontier_svg(chart_of(frontier())) == frontier_svg(chart_of(frontier()))


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "magic"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml"), ("a.pdf", b"%PDF")]
    )
    def test_the_ending_says_what_is_written(self, name: str, magic: bytes, tmp_path: Path) -> None:
        save_plot(frontier(), tmp_path / name, EXACT[2])
        assert (tmp_path / name).read_bytes().startswith(magic)
        assert [path.name for path in tmp_path.iterdir()] == [name]

    @pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
    def test_the_same_bytes_again_whatever_the_settings(self, kind: str, tmp_path: Path) -> None:
        save_plot(frontier(), tmp_path / f"one.{kind}")
        with mpl.rc_context({"font.size": 30, "axes.facecolor": "red"}):
            save_plot(frontier(), tmp_path / f"two.{kind}")
        assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()

    def test_texts_are_texts(self, tmp_path: Path) -> None:
        save_plot(frontier(), tmp_path / "a.svg", {"$x$": EXACT[1], "the other": EXACT[2]})
        text = (tmp_path / "a.svg").read_text()
        for word in ("exact, contiguous", "fewest values left", "better", ">$x$<", "the other"):
            assert word in text

    @pytest.mark.parametrize(
        "changed", [{"points": (), "series": ()}, {"utility": "resolution"}, {"objective": "both"}]
    )
    def test_other_frontiers(self, changed: dict[str, object], tmp_path: Path) -> None:
        save_plot(frontier(**changed), tmp_path / "a.svg")
        assert "<svg" in (tmp_path / "a.svg").read_text("utf-8")

    def test_an_ending_that_says_nothing(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match=r"end its name in \.png, \.svg or \.pdf"):
            save_plot(frontier(), tmp_path / "a.gif")

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="folder does not exist"):
            save_plot(frontier(), tmp_path / "nowhere" / "a.png")
