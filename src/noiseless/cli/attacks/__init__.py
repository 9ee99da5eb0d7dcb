"""`noiseless attack`: play a game against one's own table or release."""

import typer

from noiseless.cli.attacks import inference, meters, queries, records, tabulations
from noiseless.cli.options import reads

HELP = """Play an adversary against a table, a release or a curator.

Examples:

  noiseless attack homogeneity patients.csv --sensitive illness --public age --public sex

  noiseless attack differencing --help
"""

app = typer.Typer(help=HELP, no_args_is_help=True)

# A line a game.
app.command("membership", help=meters.MEMBERSHIP_HELP)(reads(meters.membership_command))
app.command("appliances", help=meters.APPLIANCES_HELP)(reads(meters.appliances_command))
app.command("linkage", help=records.LINKAGE_HELP)(reads(records.linkage_command))
app.command("homogeneity", help=records.HOMOGENEITY_HELP)(reads(records.homogeneity_command))
app.command("hypothesis", help=inference.HYPOTHESIS_HELP)(reads(inference.hypothesis_command))
app.command("estimate", help=inference.ESTIMATE_HELP)(reads(inference.estimate_command))
app.command("differencing", help=queries.DIFFERENCING_HELP)(reads(queries.differencing_command))
app.command("binary-search", help=queries.BINARY_SEARCH_HELP)(reads(queries.binary_search_command))
app.command("reconstruction", help=queries.RECONSTRUCTION_HELP)(reads(queries.reconstruction_command))
app.command("tables", help=tabulations.TABLES_HELP)(reads(tabulations.tables_command))
