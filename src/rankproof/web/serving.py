"""Serving: the socket, the first invitation, and the server until it is stopped."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from starlette.applications import Starlette

from rankproof.errors import UsageError
from rankproof.judging.store.store import Store
from rankproof.web.app import make_app
from rankproof.web.connections import ImpatientProtocol, raise_limit
from rankproof.web.security.accounts import invite_first
from rankproof.web.settings import ServeSettings

# Seconds that requests have to finish when the server stops.
GRACE = 10
# Seconds after which a thread that computes lets others work.
SWITCH = 0.0005
# Ctrl-C, kill, and a terminal that is closed. Windows has no SIGHUP.
STOPPING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def listening(settings: ServeSettings) -> Iterator[tuple[socket.socket, ServeSettings]]:
    """A socket that listens, and the settings with the port that it has. Nobody is answered yet."""
    try:
        addresses = socket.getaddrinfo(settings.host.strip("[]"), settings.port, type=socket.SOCK_STREAM)
        family, kind, _, _, place = addresses[0]
        bound = socket.socket(family, kind)
    except OSError as error:
        raise UsageError(f"{settings.host} is no address of this machine: {error.strerror}.") from None
    with bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind(place)
            bound.listen(2048)  # whoever comes before the server is ready waits for it
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise UsageError(
                f"Nothing can listen at {settings.host} port {settings.port}: {why}. Give another --port or --host."
            ) from None
        yield bound, replace(settings, port=bound.getsockname()[1])


def prepare(store: Store, settings: ServeSettings) -> tuple[Starlette, str]:
    """The application, and the link of the first admin's invitation: empty where it was made before."""
    app = make_app(store, settings)
    return app, invite_first(app.state.context)


def configured(app: Starlette, certificate: str | None, key: str | None, proxies: Sequence[str]) -> uvicorn.Config:
    """What the server runs with; an error where the certificate cannot be used."""
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s: %(message)s")
    config = uvicorn.Config(
        app,
        http=_protocol(raise_limit()),
        lifespan="off",
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        ssl_certfile=certificate,
        ssl_keyfile=key,
        timeout_graceful_shutdown=GRACE,
    )
    try:
        config.load()
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(f"The certificate {certificate} cannot be used with the key {key}: {why}.") from None
    return config


def _protocol(connections: int) -> type[ImpatientProtocol]:
    """How connections are served, so many of them."""

    class ServedProtocol(ImpatientProtocol):
        most = connections

    return ServedProtocol


def serve(config: uvicorn.Config, bound: socket.socket, announce: Callable[[], None]) -> None:
    """Answers until a signal says to stop; what is being answered then is finished.

    `announce` is called when signals are heeded: one that comes before the first request stops the server too.
    """
    server = uvicorn.Server(config)
    # Saving a judgment takes many short turns. A page that computes must not hold each of them up for long.
    sys.setswitchinterval(SWITCH)
    with _stopped_by_signals(server):
        announce()
        server.run(sockets=[bound])


@contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """A signal to stop is a good end for a server, from before it starts until after it has finished.

    The server has handlers of its own while it runs, and raises what it caught once more afterwards. An exception
    raised by a handler outside of that time would leave its event loop half made.
    """
    before = {}
    for number in STOPPING:
        # A caller that ignores a signal, as nohup does, means it.
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, server.handle_exit)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
