"""`python -m ggp`: the command `ggp`."""

from ggp._command import main

if __name__ == "__main__":
    main()
