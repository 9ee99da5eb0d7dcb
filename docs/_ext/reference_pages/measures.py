"""One page a measure; what belongs to several of them is on the page of their family."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from inspect import isfunction

from reference_pages.objects import documented, exported, found, public_name, summary
from reference_pages.text import manual, page, section_about, table, title_of, toctree

FOLDER = "measures"


@dataclass(frozen=True)
class Family:
    """Measures of one package.

    Attributes:
        module: the package, or the module.
        title: what they are about.
        manual: the hand-written page about them.
        helpers: functions that are no measures: bounds on them, parts of them, what attains them.
    """

    module: str
    title: str
    manual: str
    helpers: frozenset[str] = frozenset()

    @property
    def slug(self) -> str:
        """The name of its folder."""
        return self.title.lower().replace(" ", "-")

    @property
    def measures(self) -> list[str]:
        """The functions that measure."""
        return [name for name in exported(self.module) if name not in self.helpers and self._measures(name)]

    @property
    def others(self) -> list[str]:
        """Everything else that the package exports."""
        return [name for name in exported(self.module) if name not in self.measures]

    def _measures(self, name: str) -> bool:
        return isfunction(found(f"noiseless.{self.module}.{name}"))


FAMILIES = (
    Family("measures", "Ranges", "measures.md"),
    Family("measures.covering", "Covering", "continuous.md"),
    Family(
        "measures.distortion",
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
    ),
    Family(
        "measures.hypothesis",
        "Hypothesis tests",
        "hypothesis-tests.md",
        frozenset(
            {
                "leakage_bound",
                "leakage_bound_as_printed",
                "leakage_bound_bits",
                "success_bound",
                "worst_prior",
            }
        ),
    ),
    Family(
        "measures.indistinguishability",
        "Indistinguishability",
        "indistinguishability.md",
        frozenset({"largest_cells", "printed_cells"}),
    ),
    Family("measures.capacity", "Capacity", "capacity.md"),
    Family(
        "measures.zero_error",
        "Zero-error capacity",
        "zero-error.md",
        frozenset({"block_code", "independent_set"}),
    ),
    Family(
        "measures.differential",
        "Differential privacy",
        "differential-privacy.md",
        frozenset({"dp_curve", "is_close"}),
    ),
    Family(
        "measures.stochastic",
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
    others = [documented(public_name(family.module, name)) for name in family.others]
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
    return summary(public_name(family.module, name))


def _measure(family: Family, name: str) -> str:
    target = public_name(family.module, name)
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
