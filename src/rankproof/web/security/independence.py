"""Independence: who sees what others judged, and whether anybody may still judge.

Judges who see one another's grades no longer judge alone, and agreement between them says nothing. So until a round
is closed everybody sees their own work only, but for those who settle it. Once it is closed all may look, and nobody
judges any more.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection

from rankproof.judging.records import Account, Project
from rankproof.web.context import project_of
from rankproof.web.problems import Problem
from rankproof.web.security.sessions import account_of


def sees_others(account: Account, project: Project) -> bool:
    """Whether somebody, with the role that they have in the project, may see what others judged there."""
    return project.closed or account.may("reviewer")


def own_work_only(connection: HTTPConnection) -> str | None:
    """The judge whose work alone may be shown to who asks; None where all may be."""
    account = account_of(connection)
    return None if sees_others(account, project_of(connection)) else account.name


def refuse_closed(project: Project) -> None:
    """An error where nobody may judge any more."""
    if project.closed:
        raise Problem(
            409,
            f"The round of {project.slug} is closed: judges may have seen one another's grades.",
            "An admin can open it again, under Settings.",
        )


def seen_judge(connection: HTTPConnection, asked: str | None) -> str | None:
    """The judge to filter by: as asked, but one's own name while others' work is not to be seen."""
    own = own_work_only(connection)
    if own is not None and asked not in (None, own):
        raise Problem(
            403,
            f"This is what {asked[:80] if asked else ''} judged, and {own} sees only their own work until the round "
            "is closed.",
            "Ask a reviewer.",
        )
    return own or asked
