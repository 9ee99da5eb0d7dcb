"""`python -m noiseless`."""

from noiseless.cli.main import main

main()
