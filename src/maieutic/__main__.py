"""`python -m maieutic`: the command line."""

from maieutic.cli import main

main()
