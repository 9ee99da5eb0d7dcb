"""`noiseless tables`: the commands about published aggregate tables."""

import typer

from noiseless.cli import table_check, tables, tables_protect

HELP = """Audit and protect published tables of counts and sums.

Examples:

  noiseless tables audit patients-by-region.csv

  noiseless tables verify certificate.json patients-by-region.csv

  noiseless tables protect patients-by-region.csv --threshold 5 -o published.csv

  noiseless tables check patients-by-sex.csv --ledger hospital.db --population hospital-2026 --record
"""

app = typer.Typer(help=HELP, no_args_is_help=True)
app.command("audit", help=tables.AUDIT_HELP)(tables.audit_command)
app.command("verify", help=tables.VERIFY_HELP)(tables.verify_command)
app.command("check", help=table_check.CHECK_HELP)(table_check.check_command)
app.command("protect", help=tables_protect.HELP)(tables_protect.protect_command)
