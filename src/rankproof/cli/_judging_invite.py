"""Invitations without the browser: `judgments invite`."""

from __future__ import annotations

from urllib.parse import urlsplit

import click

from rankproof.cli import _output
from rankproof.cli._judging import answer_options, opened, refuse_output
from rankproof.errors import UsageError
from rankproof.records.account import ROLES, Role


@click.command("invite")
@click.argument("store")
@click.option("--role", type=click.Choice(ROLES), default="judge", show_default=True, help="What they may do.")
@click.option("-n", "--number", type=click.IntRange(1, 1000), default=1, show_default=True, help="How many links.")
@click.option("--origin", metavar="URL", help="Where people reach `rankproof serve`; this machine otherwise.")
@answer_options
def invite(store: str, role: Role, number: int, origin: str | None, as_json: bool, output: str | None) -> None:
    """Make invitations: links that each open one account, once. They are told now and never again.

    \b
    rankproof judgments invite judging.db -n 3 --origin https://judge.example.org
    """
    refuse_output(output)
    from datetime import UTC, datetime

    from rankproof import __version__
    from rankproof.cli._judging_setup import who
    from rankproof.records.jsontext import to_json
    from rankproof.store.judging.clock import moment
    from rankproof.web.security.tokens import digest, new_token
    from rankproof.web.settings import ServeSettings

    usual = ServeSettings()
    base = _origin(origin) if origin is not None else usual.origin
    expires = moment((datetime.now(UTC) + usual.invitation).isoformat())
    links = []
    with opened(store) as kept:
        for _ in range(number):
            token = new_token()
            kept.invitations.add(digest(token), role, who(), expires)
            kept.audit.add("", "invitation", {"role": role, "by": who()})
            links.append(f"{base}/invitation/{token}")
        address = kept.address
    if as_json:
        # Every time another one: what a link is, and until when it holds, is observed.
        body = {"rankproof": __version__, "schema": "invitations/1", "store": address, "role": role, "number": number}
        text = to_json({**body, "observed": {"links": links, "expires": expires}}, indent=2) + "\n"
    else:
        each = "This link opens an account" if number == 1 else "Each link opens one account"
        head = f"{each} with the role {role}, once and within {usual.invitation.days} days:"
        text = "".join(f"{line}\n" for line in (head, *(f"  {link}" for link in links)))
    _output.give(text, output)


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise UsageError(
            f"{text!r} is no address of a server. Give one such as https://judge.example.org, without path."
        )
    return f"{parts.scheme}://{parts.netloc}"
