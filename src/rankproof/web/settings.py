"""ServeSettings: how the workbench is reached, and how much it takes from whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import ip_address
from urllib.parse import urlsplit

from rankproof.errors import UsageError
from rankproof.web.model_jobs import OfferedModel

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """A provider that people sign in by: its address, as it calls itself, and what it knows this workbench by."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise UsageError(f"{self.issuer!r} is no address of a provider. Give one such as https://id.example.org.")
        if not self.client_id or not self.client_secret:
            raise UsageError(
                "A provider knows the workbench by an id and a secret. Set the environment variables "
                "RANKPROOF_OIDC_CLIENT_ID and RANKPROOF_OIDC_CLIENT_SECRET."
            )

    @property
    def name(self) -> str:
        """What people know it by: its machine."""
        return urlsplit(self.issuer).hostname or self.issuer


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Where the workbench listens and under which names it answers. Others are refused: a page elsewhere on the web
    may make its own name point here, but not change the name that the browser sends.

    names            names beside those of the loopback, without port
    https            reached by https: cookies are never sent otherwise
    behind_proxy     people reach a proxy in front, at the usual port
    largest_body     bytes of a body from somebody who is signed in
    largest_upload   bytes of a form with files
    largest_unknown  bytes of a body from anybody else
    session          how long one stays signed in
    invitation       how long an invitation holds
    hold             how long a pair stays with a judge who is silent
    reset            how long a link for a password holds
    oidc             a provider that people may sign in by, beside passwords
    models           models that reviewers may have judge, by the name that a page shows
    """

    host: str = "127.0.0.1"
    port: int = 8080
    names: tuple[str, ...] = ()
    https: bool = False
    behind_proxy: bool = False
    largest_body: int = 4 << 20
    largest_upload: int = 256 << 20
    largest_unknown: int = 16 << 10
    session: timedelta = timedelta(days=7)
    invitation: timedelta = timedelta(days=7)
    hold: timedelta = timedelta(minutes=15)
    reset: timedelta = timedelta(days=1)
    oidc: OidcSettings | None = None
    models: Mapping[str, OfferedModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.names:
            raise UsageError(
                f"{self.host} is reached from other machines, and no name is given that they may use. "
                "Name it: --public-name judge.example.org"
            )
        for name in self.names:
            if not name or not all(c.isascii() and (c.isalnum() or c in ".-:[]") for c in name):
                raise UsageError(f"{name!r} is no name of a machine. Give one such as judge.example.org, without port.")

    @property
    def allowed(self) -> frozenset[str]:
        """The names that a request may be addressed to, in small letters."""
        return frozenset(name.lower() for name in (*LOOPBACK_NAMES, *self.names))

    @property
    def scheme(self) -> str:
        """How a browser reaches the workbench."""
        return "https" if self.https else "http"

    @property
    def cookie(self) -> str:
        """The name of the session's cookie. Cookies know no ports: two workbenches on a machine need two names."""
        return "__Host-rankproof" if self.https else f"rankproof_{self.port}"

    @property
    def origin(self) -> str:
        """The address to give to people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.behind_proxy and self.names else f":{self.port}"
        return f"{self.scheme}://{self.names[0] if self.names else host}{port}"
