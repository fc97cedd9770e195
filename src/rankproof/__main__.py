"""`python -m rankproof`: the same as the command `rankproof`."""

from rankproof.cli import main

main()
