"""Judge in a browser: serve a judging store to people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output
from rankproof.errors import UsageError
from rankproof.kernel.libraries import LIBRARIES, missing

if TYPE_CHECKING:
    from rankproof.web.settings import ServeSettings


@click.command("serve")
@click.argument("store")
@click.option("--host", default="127.0.0.1", show_default=True, help="Listen at this address.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Listen at this port; 0 takes a free one.",
)
@click.option("--public-name", "names", multiple=True, help="A name that people reach the server by; may be repeated.")
@click.option("--https", is_flag=True, help="People reach it by https, through a proxy in front of it.")
@click.option("--certificate", type=click.Path(exists=True, dir_okay=False), help="Speak https, with this certificate.")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="The private key of the certificate.")
@click.option("--plain-http", is_flag=True, help="Let other machines in without https: passwords travel in the open.")
@click.option(
    "--oidc-issuer", "issuer", metavar="URL", help="Let people sign in by this OpenID Connect provider as well."
)
@click.option("--proxy", "proxies", multiple=True, help="Believe this address who it speaks for; may be repeated.")
@click.option("--models", type=click.Path(), help="A TOML file of models that reviewers may have judge in the page.")
def command(
    store: str,
    host: str,
    port: int,
    names: Sequence[str],
    https: bool,
    certificate: str | None,
    key: str | None,
    plain_http: bool,
    proxies: Sequence[str],
    issuer: str | None,
    models: str | None,
) -> None:
    """Serve the judging store STORE: a file, or the address of a PostgreSQL database.

    Only this machine can connect, unless --host says otherwise. Accounts are made by invitation: the first start prints
    one for an admin, once; `rankproof judgments invite` and the page People make others. Stop it with Ctrl-C: what was
    acknowledged stays stored.

    With --oidc-issuer the id and the secret that the provider knows this server by come from the environment variables
    RANKPROOF_OIDC_CLIENT_ID and RANKPROOF_OIDC_CLIENT_SECRET; its callback is /sign-in/callback.

    \b
    rankproof serve judging.db
    rankproof serve judging.db --public-name judge.example.org --https --proxy 127.0.0.1
    rankproof serve postgresql://judge@db.example.org/judging
    """
    if (certificate is None) != (key is None):
        raise UsageError("A certificate needs its private key. Give both --certificate and --key, or neither.")
    if certificate is not None and https:
        raise UsageError("--https says that a proxy speaks https. With --certificate the server does. Leave out one.")
    try:
        from rankproof.web import serving
        from rankproof.web.model_jobs import read_models
        from rankproof.web.settings import OidcSettings, ServeSettings, is_loopback
    except ModuleNotFoundError as error:
        top = (error.name or "").split(".")[0]
        if top not in LIBRARIES:
            raise
        raise missing(top, "The workbench", "judge") from None
    if not is_loopback(host) and not (https or certificate or plain_http):
        raise UsageError(
            f"{host} lets other machines in, and passwords would travel in the open. Give --https with a proxy in "
            "front, or --certificate and --key, or --plain-http where the network is trusted."
        )
    oidc = None
    if issuer is not None:
        client = (os.environ.get(f"RANKPROOF_OIDC_CLIENT_{what}", "") for what in ("ID", "SECRET"))
        oidc = OidcSettings(issuer, *client)
    offered = {} if models is None else read_models(models)
    settings = ServeSettings(
        host, port, tuple(names), https or certificate is not None, behind_proxy=https, oidc=oidc, models=offered
    )
    from rankproof.judging.store import open_store

    with serving.listening(settings) as (bound, settings), open_store(store) as opened:
        app, link = serving.prepare(opened, settings)
        config = serving.configured(app, certificate, key, proxies)
        text = _serving_text(opened.address, settings, link)
        serving.serve(config, bound, lambda: output.say(text))


def _serving_text(store: str, settings: ServeSettings, link: str) -> str:
    lines = [f"Serving {store} at {settings.origin}"]
    if link:
        within = f"once and within {settings.invitation.days} days"
        lines += [f"There is no admin yet. This link opens the account of the first one, {within}:", f"  {link}"]
    return "\n".join([*lines, "Stop with Ctrl-C."]) + "\n"
