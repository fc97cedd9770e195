"""A small provider of sign-in for tests: a real server with real keys, which can be told to lie."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa

CLIENT, SECRET = "workbench", "a secret of the client"


@dataclass
class TestProvider:
    """What the provider knows, and how it lies.

    who     the claims of whoever signs in next
    claims  claims that are put over the right ones; None leaves one out
    sign    how a token is made: None is by the key that the provider names
    """

    __test__ = False
    issuer: str = ""
    who: dict[str, Any] = field(default_factory=dict)
    claims: dict[str, Any] = field(default_factory=dict)
    sign: Any = None
    algorithm: str = "RS256"
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)
    rsa_key: Any = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    ec_key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    document: dict[str, Any] = field(default_factory=dict)

    def approve(self, address: str) -> str:
        """Signs somebody in at the address that a browser was sent to; where the browser is sent then."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == ("code", CLIENT, "S256")
        code = token_urlsafe(16)
        self.codes[code] = {**asked, "who": dict(self.who)}
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def token(self, form: dict[str, str], auth: str) -> dict[str, Any] | None:
        """A token for a code, once, to the client that has the secret and the verifier."""
        asked = self.codes.pop(form.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".replace(" ", "%20").encode()).decode()
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        verifier = form.get("code_verifier", "")
        challenge = base64.urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("=")
        if asked is None or auth not in (f"Basic {basic}", f"Basic {plain}"):
            return None
        if challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return None
        now = int(time.time())
        right = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims = {**right, **asked["who"], **self.claims}
        body = {name: value for name, value in claims.items() if value is not None}
        return {"id_token": self.sign(body) if self.sign else self.signed(body), "token_type": "Bearer"}

    def signed(self, claims: dict[str, Any]) -> str:
        key = self.rsa_key if self.algorithm == "RS256" else self.ec_key
        return jwt.encode(claims, key, self.algorithm, headers={"kid": self.algorithm})

    def keys(self) -> dict[str, Any]:
        """The public keys."""
        rsa_jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.rsa_key.public_key()))
        ec_jwk = json.loads(jwt.algorithms.ECAlgorithm.to_jwk(self.ec_key.public_key()))
        return {"keys": [{**rsa_jwk, "kid": "RS256", "alg": "RS256"}, {**ec_jwk, "kid": "ES256", "alg": "ES256"}]}


@contextmanager
def provider() -> Iterator[TestProvider]:
    """The provider, on a port of this machine."""
    made = TestProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/.well-known/openid-configuration":
                self._answer(200, made.document)
            elif self.path == "/jwks":
                self._answer(200, made.keys())
            else:
                self._answer(404, {})

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["content-length"])).decode()
            form = {name: values[0] for name, values in parse_qs(sent).items()}
            token = made.token(form, self.headers.get("authorization", ""))
            self._answer(400 if token is None else 200, token or {"error": "invalid_grant"})

        def _answer(self, status: int, body: Any) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.issuer = f"http://127.0.0.1:{server.server_port}"
    made.document = {
        "issuer": made.issuer,
        "authorization_endpoint": f"{made.issuer}/authorize",
        "token_endpoint": f"{made.issuer}/token",
        "jwks_uri": f"{made.issuer}/jwks",
    }
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
