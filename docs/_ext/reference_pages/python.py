"""The rest of the Python names: a page a subject, each object on one of them."""

from dataclasses import dataclass

from reference_pages import measures
from reference_pages.objects import classes_of, documented, exception, exported, public_name
from reference_pages.text import directive, manual, page, table, toctree

FOLDER = "python"


@dataclass(frozen=True)
class Subject:
    """What is described on one page.

    Attributes:
        slug: the name of the page.
        title: its title.
        says: what it is about, in a sentence.
        manuals: hand-written pages about it.
        modules: packages of which all exported names are described.
        more: further names, as module and name.
        left_out: exported names that are not for users, or are described elsewhere.
        defined: modules of which every class is described.
    """

    slug: str
    title: str
    says: str
    manuals: tuple[str, ...]
    modules: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()
    left_out: frozenset[str] = frozenset()
    defined: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """What is described, functions and classes first, errors last."""
        pairs = [(module, name) for module in self.modules for name in exported(module)]
        pairs += [(module, name) for module in self.defined for name in classes_of(module)]
        kept = [public_name(*pair) for pair in (*self.more, *pairs) if pair[1] not in self.left_out]
        return sorted(dict.fromkeys(kept), key=_order)


def _order(target: str) -> tuple[bool, bool]:
    """What stands at the top of the package first, errors last."""
    return exception(target), target.count(".") > 1


SUBJECTS = (
    Subject(
        "audit",
        "Audit",
        "What a table gives away.",
        ("audit.md",),
        ("audits",),
        (
            *(("audits.policy", name) for name in ("Policy", "PolicyColumns", "PolicyCheck", "PolicyResult")),
            ("audits.under_rules", "UnderRules"),
            ("rules.totals", "Totals"),
        ),
    ),
    Subject(
        "published-tables",
        "Published tables",
        "What tables of counts and sums give away for certain.",
        ("published-tables.md", "tables-over-time.md"),
        ("tabulations",),
        (
            ("tabulations.reading", "audit_tables"),
            ("tabulations.audit", "TabulationAudit"),
            ("tabulations.protection.request", "protect_tables"),
            *(
                ("tabulations.protection", name)
                for name in ("TableProtection", "ProtectionOutcome", "ProposedTables")
            ),
            *(
                ("tabulations.result", name)
                for name in ("CellFinding", "PersonFinding", "RequirementFinding", "ContributorFinding")
            ),
            ("tabulations.magnitudes", "ContributorAmounts"),
            ("curator.published_answers", "check_tables"),
            ("tabulations.succession", "TableCheck"),
            ("tabulations.promise", "PublicationPromise"),
            ("tabulations.promise", "Breach"),
            ("tabulations.hitting_set", "TableCoarsening"),
        ),
    ),
    Subject(
        "release",
        "Release",
        "A table that keeps a secret, its certificate, and whether that holds.",
        ("release.md", "frontier.md", "certificate.md", "verify.md"),
        ("releases", "verification"),
    ),
    Subject(
        "curate",
        "Curate",
        "Questions about a private table, within a budget.",
        ("curator.md", "ledger.md"),
        ("curator",),
        more=(("ledger", "Ledger"), ("curator.exposure", "RealisedExposure")),
    ),
    Subject(
        "client",
        "Client",
        "Asking a server from Python.",
        ("client.md",),
        ("client",),
        left_out=frozenset({"Answer", "Quote", "Reply", "Result"}),  # those of the curator
    ),
    Subject(
        "integrations",
        "Tests, checks and pipelines",
        "A policy as an assertion and as a check of pandera, a release as a transformer of scikit-learn.",
        ("how-to-ci.md", "how-to-frames.md"),
        more=(
            ("integrations.assertion", "assert_private"),
            ("integrations.assertion", "NotPrivateError"),
            ("integrations.pandera_check", "private_check"),
            ("integrations.releaser", "NoiselessReleaser"),
        ),
    ),
    Subject("reports", "Reports", "Pages and pictures.", ("audit.md", "release-report.md"), ("reports",)),
    Subject(
        "tables",
        "Tables and schemas",
        "What is read, and what columns may hold.",
        ("tables.md", "schema.md"),
        ("domain",),
        more=(("tables", "open_table"), ("examples", "write_examples")),
        left_out=frozenset({"Kind", "Role", "Value", "read_column", "Column"}),
    ),
    Subject(
        "ranges",
        "Ranges",
        "Which values can occur together, counted or measured.",
        ("ranges.md", "continuous.md"),
        ("ranges", "theory.continuous"),
    ),
    Subject(
        "exact",
        "Exact bits and nats",
        "Logarithms of rationals, rounded only when a float is asked for.",
        ("measures.md",),
        ("exact",),
    ),
    Subject(
        "plans",
        "Plans",
        "The finest answer for a budget, the cheapest for an error, and noise beside them.",
        ("plan.md", "accuracy-first.md", "consequences.md", "compare.md"),
        (
            "pricing.plan",
            "rules.plan",
            "rules.rule_plan",
            "rules.prices",
            "theory.accuracy",
            "theory.consequences",
            "comparison.comparison",
        ),
        left_out=frozenset({"privacy_by_leakage", "privacy_by_maximin", "quality"}),
    ),
    Subject(
        "prices",
        "Prices",
        "What answers cost together.",
        ("prices.md",),
        ("pricing",),
        left_out=frozenset({"ExactCounts"}),  # on the page of histograms
    ),
    Subject(
        "conversions",
        "Conversions",
        "Guarantees in terms of each other.",
        ("convert.md",),
        ("theory.differential",),
        left_out=frozenset(name for family, name in measures.described() if family == "Differential privacy"),
    ),
    Subject(
        "channels",
        "Channels",
        "What carries a secret to an answer.",
        ("capacity.md",),
        more=(("theory.channel", "Channel"),),
    ),
    Subject(
        "attacks",
        "Attacks and figures",
        "Games against a release, and the papers' figures made again.",
        ("attacks.md", "gallery.md"),
        ("adversaries",),
        (
            ("adversaries.attack", "attack"),
            ("gallery.reproduction", "reproduce"),
            ("gallery.reproduction", "ReproducedFigure"),
        ),
    ),
    Subject(
        "errors",
        "Errors",
        "Every error that a caller can mend is a `NoiselessError`. Its message says what is wrong and how"
        " to mend it, and"
        " never holds a value of the data; its attributes hold the column, the count, the source.",
        (),
        defined=("errors",),
    ),
)


def pages() -> dict[str, str]:
    """All pages, by their path."""
    made = {f"{FOLDER}/index": _index()}
    return made | {f"{FOLDER}/{subject.slug}": _page(subject) for subject in SUBJECTS}


def _index() -> str:
    rows = ((f"[{subject.title}]({subject.slug}.md)", subject.says, _names(subject)) for subject in SUBJECTS)
    return page(
        "Python",
        "`import noiseless as nl` gives what is listed here as `nl.name`; it is quick, for each name is"
        " loaded when it is"
        " first used. Measures, mechanisms, questions and rules have [pages](../../api.md) of their own.",
        table(("page", "what it is about", "names"), rows),
        directive(".. module:: noiseless"),
        toctree(subject.slug for subject in SUBJECTS),
    )


def _names(subject: Subject) -> str:
    top = [target.removeprefix("noiseless.") for target in subject.names if target.count(".") == 1]
    return ", ".join(f"`nl.{name}`" for name in top)


def _page(subject: Subject) -> str:
    links = ", ".join(manual(name, 2) for name in subject.manuals)
    return page(
        subject.title,
        subject.says,
        f"Explained in {links}." if links else "",
        *(documented(target) for target in subject.names),
    )
