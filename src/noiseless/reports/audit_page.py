"""One self-contained HTML page an audit, for the data steward."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from noiseless import __version__
from noiseless.audits import Audit, TableAudit
from noiseless.audits.policy import PolicyResult
from noiseless.audits.stochastic import StochasticAudit
from noiseless.audits.verdict import dropped_text, missing_text, width_text
from noiseless.display import singular
from noiseless.errors import RequestError
from noiseless.exact import Bits
from noiseless.ranges import JointRange
from noiseless.reports.audit_rows import (
    closest_words,
    finest_text,
    key_rows,
    posterior_bins,
    side_rows,
    status_of,
)
from noiseless.reports.notation import rounding_text, value_text
from noiseless.reports.pages import environment, inline, write_page
from noiseless.reports.plots import bipartite_plot, contribution_plot, drawable, posterior_plot
from noiseless.tables import Tally
from noiseless.tables.spellings import spelling_texts


def audit_html(
    audit: Audit,
    policy: PolicyResult | None = None,
    *,
    reveal: bool = False,
    average: StochasticAudit | None = None,
) -> str:
    """An audit as one HTML page that needs nothing else: no script, no network, the same bytes every time.

    Args:
        audit: the audit.
        policy: the outcome of a policy's checks, to be shown with it.
        reveal: show the values of the groups that give most away; the page then warns that it holds them.
        average: what is published on average, to be shown with it.

    Raises:
        RequestError: the groups are too many for one machine, and stay on Spark.
    """
    if not isinstance(audit, TableAudit):
        raise RequestError(
            f"{audit.source}: a page draws its groups, which stay on Spark; ask for text or JSON"
        )
    template = environment().get_template("audit.html.j2")
    return template.render(
        audit=audit,
        worst=audit.worst,
        several=len(audit.sensitive) > 1,
        status=status_of(audit),
        sentence=_sentence(audit),
        policy=policy,
        average=None if average is None else average.facts,
        bins=posterior_bins(audit.worst),
        side=side_rows(audit),
        witnesses=audit.reveal_witnesses() if reveal else audit.witnesses,
        reveal=reveal,
        version=__version__,
        bits_of=Bits,
        largest=_largest_homogeneous(audit),
        heads=audit.heads,
        head=singular(audit.heads),
        keys=key_rows(audit),
        width=width_text(audit, audit.worst),
        missing=missing_text(audit),
        dropped=dropped_text(audit),
        spellings=spelling_texts(audit.spellings),
        rounding=rounding_text(audit.worst.entropy, audit.worst.leakage, audit.worst.maximin),
        **_rules(audit, reveal=reveal),
        **_plots(audit, reveal=reveal),
    )


def write_audit_html(
    audit: Audit,
    path: Path | str,
    policy: PolicyResult | None = None,
    reveal: bool = False,
    average: StochasticAudit | None = None,
) -> None:
    """Write the page of an audit; a reader sees the old file or the whole new one, never a part.

    Args:
        audit: the audit.
        path: where to write it.
        policy: as for `audit_html`.
        reveal: as for `audit_html`; only its owner may then read the file.
        average: as for `audit_html`.

    Raises:
        OutputError: it cannot be written there.
    """
    files = audit.table.files if isinstance(audit, TableAudit) else ()
    write_page(path, audit_html(audit, policy, reveal=reveal, average=average), files, private=reveal)


def _sentence(audit: Audit) -> str:
    """The verdict without the status before it; it then begins with a small letter, or a column's name."""
    text = audit.verdict.partition(": ")[2]
    return text if audit.worst.sensitive_values == 1 else text[0].upper() + text[1:]


def _rules(audit: Audit, *, reveal: bool) -> dict[str, Any]:
    """What the rules change, if there are any."""
    rules = audit.rules
    if rules is None:
        return {"rules": None}
    from noiseless.audits.under_rules import change_text, rule_rows

    return {
        "rules": rules,
        "rule_figures": rule_rows(rules),
        "change_text": change_text,
        "closest_words": closest_words,
        "rule_finest": finest_text(rules),
        "rule_totals": rules.reveal_totals() if reveal else rules.totals,
    }


def _largest_homogeneous(audit: TableAudit) -> int:
    worst = audit.worst
    return int(worst.census.group_sizes[worst.census.joint.posterior_sizes == 1].max(initial=0))


def _plots(audit: TableAudit, *, reveal: bool) -> dict[str, Markup | None]:
    worst = audit.worst
    bipartite = None
    if drawable(worst.census.joint):
        joint = _labelled(audit) if reveal else worst.census.joint
        bipartite = inline(bipartite_plot(joint, reveal=reveal))
    return {
        "posterior_svg": inline(posterior_plot(worst, audit.heads)),
        "contribution_svg": inline(contribution_plot(audit.contributions, worst, audit.heads)),
        "bipartite_svg": bipartite,
    }


def _labelled(audit: TableAudit) -> JointRange:
    """The joint range of the worst column with its values as labels."""
    joint = audit.worst.census.joint
    return replace(
        joint,
        x_labels=_texts(audit.tally.project(audit.worst.target)),
        y_labels=_texts(audit.tally.project(audit.seen)),
    )


def _texts(tally: Tally) -> list[str]:
    """Each combination of a tally's columns in one text."""
    columns = [tally.decode(column).to_pylist() for column in tally.columns]
    return [", ".join(map(value_text, values)) for values in zip(*columns, strict=True)]
