"""Whether a round of judging is closed: until then judges see their own work only, afterwards the results too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.judging.store.store import Store


def is_closed(store: Store, project_slug: str) -> bool:
    """Whether the round of a project is closed. The newest record decides; without one it is open."""
    return store.projects.get(project_slug).closed


def close_round(store: Store, project_slug: str, by: str, note: str = "") -> bool:
    """Closes the round; False where it was closed."""
    return store.closings.add(project_slug, True, by, note)


def open_round(store: Store, project_slug: str, by: str, note: str = "") -> bool:
    """Opens the round again; False where it was open."""
    return store.closings.add(project_slug, False, by, note)
