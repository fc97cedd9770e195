"""Policy: what a browser may load for a page, and where a page leaves which machines its pictures come from."""

from __future__ import annotations

from collections.abc import Sequence


def policy_for(image_hosts: Sequence[str] = ()) -> str:
    """What a page may load: everything from this server only, and pictures from the machines that its project names."""
    pictures = " ".join(["'self'", "data:", *(f"https://{host}" for host in image_hosts)])
    return (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src {pictures}; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


# Where a page leaves in its scope what machines its pictures come from.
IMAGE_HOSTS = "rankproof.image_hosts"
