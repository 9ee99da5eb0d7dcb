import re
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import noiseless as nl
from noiseless.audits import TableAudit
from noiseless.ranges import JointRange
from noiseless.reports import bipartite_plot, contribution_plot, posterior_plot
from noiseless.reports.pages import WIDTH
from noiseless.reports.plots import ALARM

NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """What a plot says, title first; it is well-formed XML."""
    root = ET.fromstring(svg)
    assert root.tag == f"{NAMESPACE}svg"
    assert root.get("role") == "img"
    title = root.find(f"{NAMESPACE}title")
    assert title is not None
    assert title.text
    return [title.text, *(element.text or "" for element in root.iter(f"{NAMESPACE}text"))]


def audit_of_sizes(*sizes: int) -> TableAudit:
    """An audit with one group for each size of a posterior set."""
    x = np.repeat(np.arange(len(sizes)), sizes)
    s = np.concatenate([np.arange(size) for size in sizes])
    audit = nl.audit(pd.DataFrame({"s": s, "x": x}), sensitive="s", public="x")
    assert isinstance(audit, TableAudit)
    return audit


class TestPosteriorPlot:
    def test_a_bar_for_each_size(self) -> None:
        said = texts(posterior_plot(audit_of_sizes(1, 2, 5), "rows"))
        assert said[0] == "Rows by how many values of s are left"
        assert said[1:] == ["values left", "rows", "1", "1 · 12.5 %", "2", "2 · 25.0 %", "5", "5 · 62.5 %"]

    def test_one_value_left_stands_out(self) -> None:
        assert posterior_plot(audit_of_sizes(1, 9), "rows").count(ALARM) == 3  # label, bar, count
        assert "1 · 10.0 %" in texts(posterior_plot(audit_of_sizes(1, 9), "rows"))

    def test_nobody_with_one_value_left_is_said_too(self) -> None:
        said = texts(posterior_plot(audit_of_sizes(3, 4), "rows"))
        assert said[3:5] == ["1", "0 · 0 %"]

    def test_thousands_of_sizes_are_binned(self) -> None:
        svg = posterior_plot(audit_of_sizes(*range(1, 2_001)), "persons")
        said = texts(svg)
        assert "5\u20138" in said
        assert "1,025\u20132,000" in said
        assert len(said) < 40
        assert len(svg) < 12_000

    def test_a_few_heads_among_many_are_still_seen(self) -> None:
        svg = posterior_plot(audit_of_sizes(1, 50_000), "rows")
        bar = re.search(rf'd="M (\S+) \S+ L (\S+) [^"]*" style="fill: {ALARM}', svg)
        assert bar is not None
        assert float(bar[2]) - float(bar[1]) >= 2

    @pytest.mark.parametrize("most", [10, 10**7])
    def test_texts_stay_inside(self, most: int) -> None:
        audit = audit_of_sizes(1, 2, most // 100 + 3)
        root = ET.fromstring(posterior_plot(audit, "rows"))
        for element in root.iter(f"{NAMESPACE}text"):
            width = 0.6 * 11 * len(element.text or "")
            ends = "text-anchor: end" in (element.get("style") or "")
            start = float(element.get("x") or 0) - (width if ends else 0)
            assert start >= -1
            assert start + width <= WIDTH + 12


class TestContributionPlot:
    def test_alone_without_and_spared(self) -> None:
        frame = pd.DataFrame({"s": list("aabc"), "x": list("nnsm"), "y": list("pqpq")})
        audit = nl.audit(frame, sensitive="s", public=["x", "y"])
        said = texts(contribution_plot(audit.contributions, audit.worst, audit.heads))
        assert said[1:] == [
            "1.59 all together",
            "x",
            "1.59 alone",
            "0.59 without",
            "4 spared",
            "y",
            "0.59 alone",
            "1.59 without",
            "0 spared",
        ]

    def test_no_more_columns_than_can_be_read(self) -> None:
        columns = {f"c{i}": [0, 1] for i in range(20)}
        audit = nl.audit(pd.DataFrame({"s": [0, 1]} | columns), sensitive="s", public=list(columns))
        said = texts(contribution_plot(audit.contributions, audit.worst, "rows"))
        assert sum(text.endswith("alone") for text in said) == 12

    def test_long_and_strange_names(self) -> None:
        name = "<b>$x$ & " + "日本語" * 20
        audit = nl.audit(pd.DataFrame({"s": [0, 1], name: [0, 1]}), sensitive="s", public=name)
        said = texts(contribution_plot(audit.contributions, audit.worst, "rows"))
        assert said[2].startswith("<b>$x$ & 日本語")
        assert said[2].endswith("…")


class TestBipartitePlot:
    JOINT = JointRange.from_pairs([("old", "n"), ("mid", "n"), ("young", "s")])

    def test_nodes_are_numbered_from_the_top(self) -> None:
        svg = bipartite_plot(self.JOINT)
        assert svg is not None
        assert texts(svg)[1:] == ["values", "groups", "s1", "s2", "s3", "x1", "x2"]

    def test_labels_only_when_asked_for(self) -> None:
        svg = bipartite_plot(self.JOINT, reveal=True)
        assert svg is not None
        assert texts(svg)[1:] == ["values", "groups", "old", "mid", "young", "n", "s"]

    def test_components_differ_in_colour_and_shape(self) -> None:
        joint = JointRange.from_matrix(np.eye(30))
        svg = bipartite_plot(joint)
        assert svg is not None
        filled = re.findall(r'd="([^"]*)" style="fill: (#\w+)', svg)
        looks = {(path.count("L"), path.count("C"), colour, _turned(path)) for path, colour in filled}
        assert len(filled) == 60
        assert len(looks) == 30

    def test_the_order_of_the_values_is_not_seen(self) -> None:
        drawn = bipartite_plot(JointRange.from_matrix([[1, 1, 0], [0, 1, 0], [0, 0, 1]]))
        turned = bipartite_plot(JointRange.from_matrix([[0, 0, 1], [0, 1, 0], [1, 1, 0]]))
        assert drawn is not None
        assert turned is not None
        assert _sorted_shapes(drawn) == _sorted_shapes(turned)

    @pytest.mark.parametrize("matrix", [np.eye(31), np.ones((13, 12))])
    def test_too_large(self, matrix: np.ndarray) -> None:
        assert bipartite_plot(JointRange.from_matrix(matrix)) is None


class TestAnyPlot:
    def plot(self) -> str:
        return posterior_plot(audit_of_sizes(1, 2, 2), "rows")

    def test_it_is_small_and_takes_the_colour_of_the_page(self) -> None:
        svg = self.plot()
        assert "currentColor" in svg
        assert " id=" not in svg
        assert "<style" not in svg
        assert len(svg) < 4_000


def _turned(path: str) -> bool:
    """Whether a shape begins with an upright edge: a square, not a diamond."""
    numbers = [float(n) for n in re.findall(r"-?\d+\.?\d*", path)]
    return abs(numbers[0] - numbers[2]) < 0.01


def _sorted_shapes(svg: str) -> list[str]:
    return sorted(re.findall(r"<(?:path|text).*", svg))
