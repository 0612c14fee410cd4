"""`python -m bench [convert] [gate] [http] [growth] [soak] [live] [workers]`: all, or those named.

The exit code is 1 if a bar is missed by more than the noise.
"""

import logging
import sys
import warnings
from importlib.util import find_spec

from bench.report import Bars, progress

PARTS = ("convert", "gate", "http", "growth", "soak", "live", "workers")


def main() -> int:
    """Run the parts in one process and print the bars last."""
    if find_spec("ag_ui_adk") is None:
        sys.exit("The peers are not installed in this environment; `make bench` does that.")
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    from bench import convert, gate, growth, http, live, soak, workers
    from bench.fleet import Fleet

    wanted = sys.argv[1:] or PARTS
    bars = Bars()
    with Fleet() as fleet:
        if "convert" in wanted:
            convert.run(bars)
        if "gate" in wanted:
            gate.run(bars)
        if "http" in wanted:
            http.run(bars, fleet)
        if "growth" in wanted:
            growth.run(bars, fleet)
        if "soak" in wanted:
            soak.run(bars, fleet)
    if "live" in wanted:
        live.run(bars)
    if "workers" in wanted:
        workers.run(bars)
    bars.show()
    progress("done")
    return int(bars.failed)


if __name__ == "__main__":
    sys.exit(main())
