"""`noiseless attack differencing`: what do questions with and without one person tell?"""

from noiseless.cli.attacks.asking import asking_command

HELP = """Ask a curator for sums and counts with and without one person: what that tells, and what it costs.

A real curator answers, in a temporary folder, until its ledger refuses.

Examples:

  noiseless attack differencing patients.csv --column age --bounds 0 120 --public sex --public postcode

  noiseless attack differencing patients.csv --column illness --targets 5 --budget 1 --budget 2
  --plot differencing.svg
"""

differencing_command = asking_command("differencing", "asking")
