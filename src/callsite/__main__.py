"""`python -m callsite` is the same as `callsite`."""

import sys

from callsite.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
