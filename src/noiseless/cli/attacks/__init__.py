"""`noiseless attack`: play a game against one's own table or release."""

import typer

from noiseless.cli.attacks import (
    appliances,
    binary_search,
    differencing,
    estimate,
    homogeneity,
    hypothesis,
    linkage,
    membership,
    reconstruction,
)

HELP = """Play an adversary against a table: what a release would give away, by budget, with intervals.

Examples:

  noiseless attack homogeneity patients.csv --sensitive illness --public age --public sex

  noiseless attack differencing --help
"""

app = typer.Typer(help=HELP, no_args_is_help=True)

# A line a game.
app.command("membership", help=membership.HELP)(membership.membership_command)
app.command("appliances", help=appliances.HELP)(appliances.appliances_command)
app.command("linkage", help=linkage.HELP)(linkage.linkage_command)
app.command("homogeneity", help=homogeneity.HELP)(homogeneity.homogeneity_command)
app.command("hypothesis", help=hypothesis.HELP)(hypothesis.hypothesis_command)
app.command("estimate", help=estimate.HELP)(estimate.estimate_command)
app.command("differencing", help=differencing.HELP)(differencing.differencing_command)
app.command("binary-search", help=binary_search.HELP)(binary_search.binary_search_command)
app.command("reconstruction", help=reconstruction.HELP)(reconstruction.reconstruction_command)
