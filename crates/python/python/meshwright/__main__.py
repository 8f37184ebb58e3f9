"""The program: `meshwright`, or `python -m meshwright`."""

import signal
import sys

from ._native import run_program


def main() -> None:
    # Ctrl+C ends the program as it ends any other, and not with a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run_program(["meshwright", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
