"""`noiseless attack`: play a game against one's own table or release."""

import typer

from noiseless.cli.attacks import inference as estimate
from noiseless.cli.attacks import inference as hypothesis
from noiseless.cli.attacks import meters as appliances
from noiseless.cli.attacks import meters as membership
from noiseless.cli.attacks import queries as binary_search
from noiseless.cli.attacks import queries as differencing
from noiseless.cli.attacks import queries as reconstruction
from noiseless.cli.attacks import records as homogeneity
from noiseless.cli.attacks import records as linkage

HELP = """Play an adversary against a table: what a release would give away, by budget, with intervals.

Examples:

  noiseless attack homogeneity patients.csv --sensitive illness --public age --public sex

  noiseless attack differencing --help
"""

app = typer.Typer(help=HELP, no_args_is_help=True)

# A line a game.
app.command("membership", help=membership.MEMBERSHIP_HELP)(membership.membership_command)
app.command("appliances", help=appliances.APPLIANCES_HELP)(appliances.appliances_command)
app.command("linkage", help=linkage.LINKAGE_HELP)(linkage.linkage_command)
app.command("homogeneity", help=homogeneity.HOMOGENEITY_HELP)(homogeneity.homogeneity_command)
app.command("hypothesis", help=hypothesis.HYPOTHESIS_HELP)(hypothesis.hypothesis_command)
app.command("estimate", help=estimate.ESTIMATE_HELP)(estimate.estimate_command)
app.command("differencing", help=differencing.DIFFERENCING_HELP)(differencing.differencing_command)
app.command("binary-search", help=binary_search.BINARY_SEARCH_HELP)(binary_search.binary_search_command)
app.command("reconstruction", help=reconstruction.RECONSTRUCTION_HELP)(reconstruction.reconstruction_command)
