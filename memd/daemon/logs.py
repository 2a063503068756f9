"""Logging to stderr, one JSON object a line. Messages name events, paths and counts, never note text, queries or secrets."""

from __future__ import annotations

import json
import logging
import sys
import warnings
from datetime import UTC, datetime


class Lines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "who": record.name,
            "what": record.getMessage(),
        }
        if record.exc_info and record.exc_info[2] is not None:
            entry["where"] = _where(record.exc_info)
        return json.dumps(entry, ensure_ascii=True)


def _where(info: object) -> list[str]:
    """The frames of an error, without its message: a message may quote what somebody wrote."""
    assert isinstance(info, tuple)
    kind, _, trace = info
    frames = [f"{kind.__name__}"]
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{code.co_filename.rsplit('/memd/', 1)[-1]}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return frames


def set_up(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Lines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    # A library's warning quotes what it was given: paths, perhaps more.
    warnings.simplefilter("ignore")
    logging.getLogger("memd").setLevel(level.upper())
