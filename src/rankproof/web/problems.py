"""Problem: a request that cannot be met, with its status; one shape for programs, one page for people.

{"error": {"type": "not_found", "message": "No project is called 'x'.", "remedy": "..."}}
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException

from rankproof.errors import RankproofError, UnknownName

# Every status of an error, with its type.
TYPES: Mapping[int, str] = {
    400: "bad_request",
    401: "not_signed_in",
    403: "not_allowed",
    404: "not_found",
    405: "wrong_method",
    409: "conflict",
    413: "too_large",
    415: "wrong_media_type",
    422: "invalid",
    429: "too_many_tries",
    500: "fault",
}


class Problem(Exception):
    """Raised by whoever finds that a request cannot be met; `type` follows from the status."""

    def __init__(self, status: int, message: str, remedy: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.remedy = status, message, remedy
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, dict[str, str]]:
        """For JSON."""
        error = {"type": TYPES[self.status], "message": self.message}
        return {"error": error | ({"remedy": self.remedy} if self.remedy else {})}


def understood(error: Exception) -> Problem | None:
    """The problem behind an error that was raised on purpose; None for a fault of the program or of the database."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, UnknownName):
        return Problem(404, _readable(error))
    if isinstance(error, RankproofError):
        return None if isinstance(error.__context__, DBAPIError) else Problem(422, _readable(error))
    if isinstance(error, HTTPException):
        if error.status_code == 405:
            return Problem(405, "This address does not take that method.")
        if error.status_code == 404:
            return Problem(404, "There is nothing at this address.")
        return Problem(error.status_code if error.status_code in TYPES else 400, error.detail)
    return None


def _readable(error: RankproofError) -> str:
    """The message without bytes that no encoding holds."""
    return str(error).encode("utf-8", "replace").decode("utf-8")
