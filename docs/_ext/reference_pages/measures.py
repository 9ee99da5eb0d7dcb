"""One page a measure; what belongs to several of them is on the page of their family."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import isfunction
from typing import Any

from reference_pages.objects import documented, exported, found, public_name, summary
from reference_pages.text import manual, page, section_about, table, title_of, toctree

FOLDER = "measures"


@dataclass(frozen=True)
class Family:
    """Measures of one package.

    Attributes:
        modules: the package, or the modules.
        title: what they are about.
        manual: the hand-written page about them.
        helpers: functions that are no measures: bounds on them, parts of them, what attains them.
        names: what is public of modules that do not say so in `__all__`.
    """

    modules: tuple[str, ...]
    title: str
    manual: str
    helpers: frozenset[str] = frozenset()
    names: tuple[str, ...] | None = None

    @property
    def slug(self) -> str:
        """The name of its folder."""
        return self.title.lower().replace(" ", "-")

    @property
    def measures(self) -> list[str]:
        """The functions that measure."""
        return [name for name in self._exported if name not in self.helpers and isfunction(self.object(name))]

    @property
    def others(self) -> list[str]:
        """Everything else that the package exports."""
        return [name for name in self._exported if name not in self.measures]

    @property
    def _exported(self) -> list[str]:
        if self.names is not None:
            return list(self.names)
        return [name for module in self.modules for name in exported(module)]

    def module(self, name: str) -> str:
        """The first of its modules that has a name."""
        return next(module for module in self.modules if hasattr(import_module(f"noiseless.{module}"), name))

    def object(self, name: str) -> Any:  # noqa: ANN401 - a function or a class
        """What has a name."""
        return found(f"noiseless.{self.module(name)}.{name}")


FAMILIES = (
    Family(
        ("measures", "theory.accuracy.policy"),
        "Ranges",
        "measures.md",
        names=tuple(sorted([*exported("measures"), "privacy_by_leakage", "privacy_by_maximin", "quality"])),
    ),
    Family(("theory.continuous.covering_number",), "Covering", "continuous.md"),
    Family(
        ("theory.distortion", "theory.polytopes"),
        "Distortion",
        "distortion.md",
        frozenset(
            {
                "cell_radius",
                "max_distortion_bound",
                "mean_errors",
                "min_distortion_bound",
                "radius_for_volume",
                "slab_volume",
                "smallest_enclosing_ball",
            }
        ),
        (
            *("Distance", "Polytope", "cell_radius", "max_distortion", "max_distortion_bound", "mean_errors"),
            *("min_distortion", "min_distortion_bound", "radius_for_volume", "slab_volume"),
            "smallest_enclosing_ball",
        ),
    ),
    Family(
        ("theory.hypothesis",),
        "Hypothesis tests",
        "hypothesis-tests.md",
        frozenset(
            {
                "leakage_bound",
                "leakage_bound_as_printed",
                "leakage_bound_bits",
                "success_bound",
                "success_bound_as_printed",
                "worst_prior",
            }
        ),
    ),
    Family(
        ("theory.indistinguishability", "theory.chosen_pair", "theory.linear_query"),
        "Indistinguishability",
        "indistinguishability.md",
        frozenset({"largest_cells", "printed_cells"}),
        (
            *("ChosenPair", "FiniteMechanism", "Indistinguishability", "KnownOthers", "LinearQuery"),
            *("indistinguishability", "known_others", "largest_cells", "linear_indistinguishability"),
            *("printed_cells", "worst_pair"),
        ),
    ),
    Family(("theory.capacity",), "Capacity", "capacity.md"),
    Family(
        ("theory.zero_error",),
        "Zero-error capacity",
        "zero-error.md",
        frozenset({"block_code", "independent_set"}),
    ),
    Family(
        ("theory.differential.guarantees", "theory.differential.database"),
        "Differential privacy",
        "differential-privacy.md",
        frozenset({"dp_curve", "is_close"}),
        (
            *("Database", "InformationBounds", "divergence", "dp_curve", "dp_delta", "dp_epsilon"),
            *("is_close", "kl_dp", "mi_dp", "smallest_delta", "smallest_epsilon", "total_variation"),
        ),
    ),
    Family(
        ("theory.stochastic",),
        "Stochastic companions",
        "stochastic.md",
        frozenset(
            {
                "local_dp_attainable",
                "local_dp_statement",
                "local_privacy",
                "maximin_prior",
                "renyi_switch",
                "sibson_output",
            }
        ),
    ),
)

TITLES: Mapping[str, str] = {
    "dp_delta": "The delta of differential privacy",
    "dp_epsilon": "The epsilon of differential privacy",
    "kl_dp": "KL-DP",
    "mi_dp": "MI-DP",
    "ldp_epsilon_nats": "The epsilon of local differential privacy",
    "information_privacy_nats": "Information privacy",
    "divergence": "Kullback-Leibler divergence",
    "maximin": "Maximin information",
    "quality": "Quality of a report",
    "lovasz_theta": "The Lovasz number",
    "best_success": "Success of the best test",
    "known_others": "Chosen pair, others known",
    "worst_pair": "Chosen pair, others unknown",
    "chi_squared": "Chi-squared information",
    "hockey_stick": "Hockey-stick information",
}
"""Titles that are not simply the function's name."""


def names() -> Iterator[tuple[Family, str]]:
    """Every measure with its family."""
    for family in FAMILIES:
        for name in family.measures:
            yield family, name


def described() -> Iterator[tuple[str, str]]:
    """Every name on these pages, with the title of its family."""
    for family in FAMILIES:
        yield from ((family.title, name) for name in (*family.measures, *family.others))


def pages() -> dict[str, str]:
    """All pages, by their path."""
    made = {f"{FOLDER}/index": _index()}
    for family in FAMILIES:
        made[f"{FOLDER}/{family.slug}/index"] = _family(family)
        for name in family.measures:
            made[f"{FOLDER}/{family.slug}/{name}"] = _measure(family, name)
    return made


def title(name: str) -> str:
    """A measure's name as a title."""
    return TITLES.get(name, name.replace("_", " ").capitalize())


def _index() -> str:
    parts = []
    for family in FAMILIES:
        parts += [f"## [{family.title}]({family.slug}/index.md)", _table(family, f"{family.slug}/")]
    return page(
        "Measures",
        "A page for each: its formula, what it says in words, an example that runs, and the inequalities"
        " that it takes"
        f" part in. {manual('measures.md', 2)} explains the measures of ranges one after the other.",
        *parts,
        toctree(f"{family.slug}/index" for family in FAMILIES),
    )


def _family(family: Family) -> str:
    others = [documented(public_name(family.module(name), name)) for name in family.others]
    return page(
        family.title,
        f"Explained in {manual(family.manual, 3)}.",
        _table(family, ""),
        "## Also in this package" if others else "",
        *others,
        toctree(family.measures),
    )


def _table(family: Family, folder: str) -> str:
    rows = ((f"[{title(name)}]({folder}{name}.md)", _said(family, name)) for name in family.measures)
    return table(("measure", "what it is"), rows)


def _said(family: Family, name: str) -> str:
    return summary(public_name(family.module(name), name))


def _measure(family: Family, name: str) -> str:
    target = public_name(family.module(name), name)
    anchor = section_about(family.manual, name)
    others = ", ".join(f"[{title(other).lower()}]({other}.md)" for other in family.measures if other != name)
    more = f"\n- Of the same kind: {others}." if others else ""
    return page(
        title(name),
        documented(target),
        "## See also\n\n"
        f"- [{title_of(family.manual)}](../../../{family.manual}{f'#{anchor}' if anchor else ''}): the same"
        f" explained."
        f"{more}\n- The words: [glossary](../../../glossary.md); the papers:"
        f" [references](../../../references.md).",
    )
