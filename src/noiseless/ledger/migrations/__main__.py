"""`python -m noiseless.ledger.migrations LEDGER STEP`: bring a ledger back to a step before."""

import sys

from noiseless.errors import NoiselessError
from noiseless.ledger.migrations import step_back

if __name__ == "__main__":
    try:
        _, address, step = sys.argv
    except ValueError:
        sys.exit("say: python -m noiseless.ledger.migrations LEDGER STEP")
    try:
        step_back(address, step)
    except NoiselessError as error:
        sys.exit(str(error))
