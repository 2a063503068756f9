"""The refusals that callers see: one class, one closed set of codes (contract, "Error codes")."""

from __future__ import annotations

from typing import Any

CODES = frozenset(
    """bad_frame unsupported_version unknown_method invalid_params not_found exists conflict find_not_found
    find_ambiguous refused_secret withdrawn confirm_required read_only outside_vault permission_denied too_large busy
    deadline_exceeded unavailable internal""".split()
)


class Refused(Exception):
    """A request that is answered with an error. `message` is for a person and says what to do next."""

    def __init__(self, code: str, message: str, **data: Any) -> None:
        assert code in CODES, code
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
