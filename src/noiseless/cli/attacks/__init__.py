"""`noiseless attack`: play a game against one's own table or release."""

import typer

HELP = "Play an adversary against a table: what a release would give away, by budget, with intervals."

app = typer.Typer(help=HELP, no_args_is_help=True)

# A line a game.
