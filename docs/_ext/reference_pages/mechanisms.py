"""One page a mechanism: what it does to data before that leaves, and what it guarantees."""

from collections.abc import Iterator
from dataclasses import dataclass

from reference_pages.objects import documented, exported, public_name, summary
from reference_pages.text import manual, page, section_about, table, toctree

FOLDER = "mechanisms"


@dataclass(frozen=True)
class Family:
    """Mechanisms of one kind.

    Attributes:
        title: what they have in common.
        manual: the hand-written page about them.
        mechanisms: each mechanism's module and name.
        others: modules of which everything else is described with the family.
        more: further names that are.
    """

    title: str
    manual: str
    mechanisms: tuple[tuple[str, str], ...]
    others: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()

    @property
    def slug(self) -> str:
        """The name of its page."""
        return self.title.lower().replace(" ", "-").replace(",", "")

    @property
    def other_names(self) -> list[str]:
        """What is described on the family's page, by the shortest public names."""
        own = set(self.mechanisms)
        listed = [(module, name) for module in self.others for name in exported(module)]
        return [public_name(*pair) for pair in (*listed, *self.more) if pair not in own]


FAMILIES = (
    Family(
        "Cells",
        "plan.md",
        (
            ("ranges.quantizer", "Uniform"),
            ("ranges.quantizer", "Stepped"),
            ("ranges.quantizer", "Edged"),
            ("pricing.reach", "QuantizedQuery"),
            ("theory.accuracy.regions", "PiecewiseConstant"),
        ),
        more=(
            ("ranges.quantizer", "CellInterval"),
            ("ranges.quantizer", "Quantizer"),
            ("pricing.reach", "Reach"),
            ("pricing.reach", "reach"),
        ),
    ),
    Family(
        "Readings as cells",
        "quantize.md",
        (("collection.local", "LocalQuantizer"), ("collection.local", "LocalVector")),
        ("collection.local",),
    ),
    Family(
        "Blur",
        "blur.md",
        (("collection.blur", "Blur"), ("collection.blur", "ContinuousBlur")),
        ("collection.blur",),
    ),
    Family(
        "Noise, for comparison",
        "compare.md",
        (
            ("comparison", "laplace"),
            ("comparison", "geometric"),
            ("comparison", "gaussian"),
            ("comparison", "Exponential"),
            ("comparison", "RandomisedResponse"),
        ),
        ("comparison",),
    ),
)

TITLES = {
    "Uniform": "Equal cells",
    "Stepped": "Cells of equally many points",
    "Edged": "Cells of any width",
    "QuantizedQuery": "A question answered in cells",
    "PiecewiseConstant": "Regions in several dimensions",
    "LocalQuantizer": "Readings of a number",
    "LocalVector": "Readings of several numbers",
    "Blur": "Blur on a lattice",
    "ContinuousBlur": "Blur on a continuum",
    "laplace": "Laplace noise",
    "geometric": "Geometric noise",
    "gaussian": "Gaussian noise",
    "Exponential": "Exponential mechanism",
    "RandomisedResponse": "Randomised response",
}


def names() -> Iterator[tuple[Family, str, str]]:
    """Every mechanism with its family and module."""
    for family in FAMILIES:
        for module, name in family.mechanisms:
            yield family, module, name


def pages() -> dict[str, str]:
    """All pages, by their path."""
    made = {f"{FOLDER}/index": _index()}
    for family in FAMILIES:
        made[f"{FOLDER}/{family.slug}"] = _family(family)
    for family, module, name in names():
        made[f"{FOLDER}/{name}"] = _mechanism(family, public_name(module, name), name)
    return made


def _index() -> str:
    parts = []
    for family in FAMILIES:
        parts += [f"## [{family.title}]({family.slug}.md)", _table(family)]
    return page(
        "Mechanisms",
        "What is done to data before it leaves. Each mechanism states its domain and its guarantee when it"
        " is made. A table"
        f" is released by merging values: {manual('release.md', 2)}. Disclosure rules are mechanisms too:"
        " [rules](../rules/index.md).",
        *parts,
        toctree(family.slug for family in FAMILIES),
    )


def _family(family: Family) -> str:
    others = [documented(target) for target in family.other_names]
    return page(
        family.title,
        f"Explained in {manual(family.manual, 2)}.",
        _table(family),
        "## Also here" if others else "",
        *others,
        toctree(name for _, name in family.mechanisms),
    )


def _table(family: Family) -> str:
    rows = (
        (f"[{TITLES[name]}]({name}.md)", summary(public_name(module, name)))
        for module, name in family.mechanisms
    )
    return table(("mechanism", "what it does"), rows)


def _mechanism(family: Family, target: str, name: str) -> str:
    anchor = section_about(family.manual, name)
    return page(
        TITLES[name],
        documented(target),
        f"## See also\n\n- {manual(family.manual, 2, anchor)}: the same explained."
        f"\n- [{family.title}]({family.slug}.md): others of the kind, and what they share."
        f"\n- {manual('prices.md', 2)}: what answers cost together.",
    )
