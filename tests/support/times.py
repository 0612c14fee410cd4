"""How often a trial is made: once in `make test`, many times in `make hostile`."""

import os

TIMES = int(os.environ.get("ADK_STREAM_TIMES", "1"))
