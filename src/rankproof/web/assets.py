"""Assets: style sheets and scripts, read once and named by their content, so that browsers may keep them."""

from __future__ import annotations

from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from rankproof.reports._charts.palette import DARK, LIGHT, declarations
from rankproof.web.problems import Problem
from rankproof.web.security.roles import open_to_anybody

FOLDER = Path(__file__).parent / "static"
_FOREVER = "public, max-age=31536000, immutable"


class Assets:
    """The files of web/static by name, and colors.css, which has the colors of the HTML report."""

    def __init__(self) -> None:
        self._files = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.is_file()}
        self._files["colors.css"] = colors().encode()
        self._marks = {name: sha256(content).hexdigest()[:12] for name, content in self._files.items()}

    def url(self, name: str) -> str:
        """The address of a file, which changes with its content; for templates: {{ asset('base.css') }}."""
        return f"/static/{name}?v={self._marks[name]}"

    def get(self, name: str) -> bytes:
        """What is in a file; an error where there is none: nothing is looked up on the disk."""
        if name not in self._files:
            raise Problem(404, "There is nothing at this address.")
        return self._files[name]


def colors() -> str:
    """The colors of both schemes, as the HTML report has them."""
    light, dark = declarations(LIGHT), declarations(DARK)
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"


@open_to_anybody
async def asset(request: Request) -> Response:
    """A file of web/static."""
    name = request.path_params["name"]
    content = request.app.state.desk.assets.get(name)
    kind = guess_type(name)[0] or "application/octet-stream"
    return Response(content, media_type=kind, headers={"Cache-Control": _FOREVER})
