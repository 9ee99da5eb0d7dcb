"""The figures of a release or an audit in the words of four documents that boards decide by.

Article 29 Working Party, Opinion 05/2014 (WP216); 45 CFR 164.514(b)(1) and the guidance of the Department of
Health and Human Services (2012); European Medicines Agency, guidance on policy 0070 (EMA/90915/2016); NIST
SP 800-188 (2023). Each is quoted for its terms; none is interpreted.
"""

from dataclasses import dataclass
from fractions import Fraction

from noiseless.audits.census import GroupSizes
from noiseless.audits.odds import Odds
from noiseless.display import counted, percent_above, verb
from noiseless.reports.notation import upper_text

THRESHOLD, GROUP = Fraction(9, 100), 11
"""The risk that the guidance on policy 0070 allows in public, and the group that is meant by it."""


@dataclass(frozen=True)
class Guidance:
    """One document: its name, where it is found, and its terms with the figures that belong to them."""

    name: str
    source: str
    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class BoardFigures:
    """What all four documents are about.

    Attributes:
        sizes: how many rows (persons) look alike.
        odds: what a bettor wins.
        left: the fewest values left.
        values: how many there are.
        secret: what is to stay hidden, in words.
        knows: what an adversary is assumed to know, in words.
        heads: what is counted: rows or persons.
        limits: how many limits were set.
        kept: how many of them are kept.
    """

    sizes: GroupSizes
    odds: Odds
    left: int
    values: int
    secret: str
    knows: str
    heads: str
    limits: int
    kept: int

    def promise(self) -> str:
        """What stays possible, and for whom."""
        anyone = f"anyone who sees this table and knows a person's {self.knows}"
        if self.values == 1:
            return f"{self.secret} is the same in every row, so there is nothing to hide."
        if self.left == 1:
            return f"There is none. To {anyone}, at least one row gives {self.secret} away completely."
        some = f"all {self.values:,}"
        if self.left < self.values:
            some = f"at least {self.left:,} of the {self.values:,}"
        return f"To {anyone}, {some} values of {self.secret} stay possible."

    def guidance(self) -> tuple[Guidance, ...]:
        """The four documents."""
        return (self._opinion(), self._rule(), self._policy(), self._publication())

    @property
    def _risks(self) -> str:
        worst, mean = map(percent_above, (self.sizes.prosecutor_risk, self.sizes.marketer_risk))
        return f"{worst} at worst (1 in {self.sizes.smallest:,}), {mean} on average"

    @property
    def _alone(self) -> str:
        alone = self.sizes.alone
        if self.heads == "persons":  # a person can be in several groups
            every = counted(sum(self.sizes.groups.values()), "groups")
            return f"{alone:,} of {every} {verb(alone, 'hold')} a single person"
        return f"{alone:,} of {counted(self.sizes.heads, self.heads)} {verb(alone, 'are')} unique"

    def _opinion(self) -> Guidance:
        known = "Someone who knows the columns of the promise finds a person's row with probability"
        left = f"At least {counted(self.left, 'values')} of {self.secret} {verb(self.left, 'stay')} possible."
        right, blind = percent_above(self.odds.best_guess), self.odds.blind_text
        worst = percent_above(self.odds.largest_belief)
        return Guidance(
            "EU: WP216, the three criteria",
            "Article 29 Working Party, Opinion 05/2014 on anonymisation techniques",
            (
                ("Singling out", f"{self._alone}; the smallest group has {self.sizes.smallest:,}."),
                ("Linkability", f"{known} {self._risks}. Other tables were not considered."),
                (
                    "Inference",
                    f"{left} A guess is right for {right} of rows (blind: {blind}; worst group: {worst}).",
                ),
            ),
        )

    def _rule(self) -> Guidance:
        return Guidance(
            "US: HIPAA expert determination",
            "45 CFR 164.514(b)(1); guidance of the Department of Health and Human Services, 2012",
            (
                (
                    "Risk to identify an individual",
                    f"{self._risks}. The rule puts no number on “very small”.",
                ),
                (
                    "Anticipated recipient, other information",
                    "Assumed to know the columns of the promise, and who is in the table.",
                ),
                ("Distinguishability", f"{self._alone}."),
                ("Methods and results", "This page, its command and files; the expert determines."),
            ),
        )

    def _policy(self) -> Guidance:
        worst, smallest = self.sizes.prosecutor_risk, self.sizes.smallest
        side = "within" if worst <= THRESHOLD else "above"
        above = f"{percent_above(self.sizes.share_above(THRESHOLD))} of {self.heads}"
        if self.heads == "persons":
            above += ", each counted in each of their groups,"
        reached = "reached" if smallest >= GROUP else "not reached"
        return Guidance(
            "EU: EMA policy 0070",
            "European Medicines Agency, external guidance on policy 0070, EMA/90915/2016",
            (
                (
                    "Maximum risk, threshold 0.09",
                    f"{upper_text(worst)}: {side} the threshold. {above} are above it.",
                ),
                (
                    f"Group of at least {GROUP}",
                    f"{smallest:,}: {reached}. 1/11 is 0.0909, which rounds to 0.09; below 0.09 takes 12.",
                ),
                ("Three criteria instead", "See WP216."),
            ),
        )

    def _publication(self) -> Guidance:
        set_ = f"{self.kept:,} of {counted(self.limits, 'limits')} kept: see “Limits”."
        inferred = f"{self.secret} guessed right: {percent_above(self.odds.best_guess)}"
        return Guidance(
            "US: NIST SP 800-188",
            "De-Identifying Government Datasets: Techniques and Governance, 2023",
            (
                ("Standard with measurable levels", set_ if self.limits else "No limit was set."),
                ("Disclosure risk", f"Row found: {self._risks}. {inferred}."),
                (
                    "Re-identification study",
                    "None: these are exact worst cases, not matches with outside data.",
                ),
                ("Disclosure Review Board", "This page is for the board, which decides."),
            ),
        )
