"""`noiseless attack binary-search`: how far does a search for one person's value get?"""

from noiseless.cli.attacks.asking import asking_command

HELP = """Search for one person's value by thresholds, asked of a curator until its ledger refuses.

A real curator answers, in a temporary folder.

Examples:

  noiseless attack binary-search patients.csv --column age --bounds 0 120 --public sex --public postcode

  noiseless attack binary-search patients.csv --column illness --targets 5 --budget 1 --budget 2
  --plot binary-search.svg
"""

binary_search_command = asking_command("binary_search", "searching")
