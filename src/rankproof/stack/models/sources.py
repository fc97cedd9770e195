"""Where a model's files come from: a folder, an archive (a file, an address, Maven coordinates), a model hub.

Each source says which files it has, and copies the ones that `chosen` picks. Nothing of an archive is unpacked by the
names in it: a picked entry is written to a name of ours. An archive with entries that lead elsewhere is refused whole.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, Final, Protocol
from urllib.parse import quote, urlsplit

from rankproof.errors import InputError, UsageError
from rankproof.kernel.progress import Progress, silent
from rankproof.stack.models.cards import CONFIG, GRAPH, KNOWN, TOKENIZER, WEIGHTS
from rankproof.stack.models.download import MOST_BYTES, checked_url, download, read_url, refuse_full

HUB: Final = "https://huggingface.co"
HUB_VARIABLE, HUB_TOKEN = "HF_ENDPOINT", "HF_TOKEN"  # as the hub's own tools have them
REPOSITORY_VARIABLE: Final = "RANKPROOF_MAVEN_REPOSITORY"
_COORDINATES = re.compile(r"([A-Za-z0-9_.-]+):([A-Za-z0-9_.-]+):([A-Za-z0-9_.+-]+)")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+(@[\w./-]+)?")
_SETTINGS: Final = (
    "modules.json", "1_Pooling/config.json", "sentence_bert_config.json", "config_sentence_transformers.json",
)  # fmt: skip
_LICENSES = re.compile(r"(META-INF/)?(LICEN[CS]E|COPYING|NOTICE|README)[\w.-]*", re.IGNORECASE)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_MOST_ENTRIES: Final = 10_000


@dataclass(frozen=True, slots=True)
class FetchOptions:
    """timeout: seconds without an answer; repository: the address of a Maven repository, None for the environment's."""

    timeout: float = 30.0
    repository: str | None = None
    progress: Progress = silent


# What a file is called in our folder, and its name in the source.
Picked = dict[str, str]


class ModelSource(Protocol):
    """`text` names the source in the card."""

    text: str

    def names(self) -> Sequence[str]:
        """The files it has, with "/" between folders."""

    def copy(self, name: str, path: str) -> None:
        """Writes one of them to a path."""


class FolderSource:
    """A folder on this machine."""

    def __init__(self, folder: str) -> None:
        self._folder, self.text = folder, os.path.basename(os.path.abspath(folder))

    def names(self) -> Sequence[str]:
        """The files of the folder and of the folders in it, but no deeper."""
        found = []
        for folder, below, files in os.walk(self._folder):
            here = os.path.relpath(folder, self._folder).replace(os.sep, "/")
            if here != ".":
                below.clear()
            found += [file if here == "." else f"{here}/{file}" for file in files]
        return sorted(name for name in found if os.path.isfile(os.path.join(self._folder, name)))

    def copy(self, name: str, path: str) -> None:
        """Copies the bytes; a link is followed, as a hub's cache has them."""
        source = os.path.join(self._folder, name)
        if os.path.getsize(source) > MOST_BYTES:
            raise InputError(f"{source} has more than {MOST_BYTES:,} bytes, which are the most that are taken.")
        shutil.copyfile(source, path)


class ArchiveSource:
    """A zip or jar file."""

    def __init__(self, file: str, text: str) -> None:
        self._file, self.text = file, text
        try:
            self._archive = zipfile.ZipFile(file)
        except (OSError, zipfile.BadZipFile) as error:
            raise InputError(f"{text} is no zip or jar file, or is damaged: {error}.") from None
        entries = self._archive.infolist()
        if len(entries) > _MOST_ENTRIES:
            raise InputError(f"{text} has {len(entries):,} entries, more than any model has.")
        names = [entry.filename for entry in entries]
        for entry in entries:
            self._refuse(entry, names)
        self._entries = {entry.filename: entry for entry in entries if not entry.is_dir()}

    def _refuse(self, entry: zipfile.ZipInfo, names: Sequence[str]) -> None:
        name, original = entry.filename, entry.orig_filename
        why = ""
        if name.startswith("/") or "\\" in original or "\0" in original or ".." in name.split("/") or ":" in name:
            why = "leads out of its folder"
        elif stat.S_ISLNK(entry.external_attr >> 16):
            why = "is a link"
        elif entry.flag_bits & 1:
            why = "is encrypted"
        elif entry.file_size > MOST_BYTES:
            why = f"has {entry.file_size:,} bytes, more than the {MOST_BYTES:,} that are taken"
        elif not entry.is_dir() and names.count(name) > 1:
            why = "stands there twice"
        if why:
            raise InputError(f"{self.text} is refused: its entry {original!r} {why}. Nothing of it was unpacked.")

    def names(self) -> Sequence[str]:
        """The entries."""
        return sorted(self._entries)

    def copy(self, name: str, path: str) -> None:
        """Unpacks one entry, and no more of it than it says."""
        entry = self._entries[name]
        refuse_full(os.path.dirname(path), entry.file_size)
        try:
            with self._archive.open(entry) as packed, open(path, "wb") as out:
                _bounded(packed, out, entry.file_size)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise InputError(f"{self.text}: its entry {name!r} is damaged: {error}.") from None


def _bounded(source: IO[bytes], out: IO[bytes], most: int) -> None:
    written = 0
    while block := source.read(1 << 20):
        written += len(block)
        if written > most:
            raise zipfile.BadZipFile("it is larger than it says")
        out.write(block)


class HubSource:
    """A repository of a model hub, at one commit."""

    def __init__(self, name: str, downloads: str, options: FetchOptions) -> None:
        repository, _, revision = name.partition("@")
        self._base = checked_url((os.environ.get(HUB_VARIABLE) or HUB).rstrip("/"))
        parts = urlsplit(self._base)
        token = os.environ.get(HUB_TOKEN, "")
        safe = parts.scheme == "https" or parts.hostname in ("127.0.0.1", "::1")
        self._headers = {"Authorization": f"Bearer {token}"} if token and safe else {}
        self._repository, self._downloads, self._options = repository, downloads, options
        url = f"{self._base}/api/models/{quote(repository)}/revision/{quote(revision or 'main', safe='')}"
        try:
            answer = json.loads(read_url(url, self._headers, options.timeout))
            self._commit = str(answer["sha"])
            self._names = [str(entry["rfilename"]) for entry in answer["siblings"]]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{url} answered with no list of a model's files. Check {HUB_VARIABLE}.") from None
        if not re.fullmatch(r"[0-9a-f]{7,64}", self._commit):
            raise InputError(f"{url} names no commit: {self._commit!r}. Check {HUB_VARIABLE}.")
        if _COMMIT.fullmatch(revision) and self._commit != revision:
            raise InputError(
                f"{url} answered with the commit {self._commit}, and {revision} was asked for. Check {HUB_VARIABLE}."
            )
        self.text = f"{self._base}/{repository}@{self._commit}"

    def names(self) -> Sequence[str]:
        """The files of the repository."""
        return self._names

    def copy(self, name: str, path: str) -> None:
        """Downloads one file, or the rest of it."""
        url = f"{self._base}/{quote(self._repository)}/resolve/{self._commit}/{quote(name)}"
        shutil.copyfile(_downloaded(url, self._downloads, self._options, self._headers), path)


def _downloaded(url: str, downloads: str, options: FetchOptions, headers: Mapping[str, str] | None = None) -> str:
    file = os.path.join(downloads, sha256(url.encode()).hexdigest()[:32])
    return download(url, file, headers=headers, timeout=options.timeout, progress=options.progress)


def open_source(name: str, said: str | None, downloads: str, options: FetchOptions) -> ModelSource:
    """The source that was said; for a model with a card, the artifact that it names where nothing was said."""
    known = KNOWN.get(name)
    if said is None:
        if known is None:
            raise UsageError(
                f"No card of a model {name!r} comes with rankproof, so it must be said where it is: --from org/name "
                f"(a model hub), an address of a zip or jar file, a folder, a file, or group:artifact:version. "
                f"With cards: {', '.join(KNOWN)}."
            )
        said = known.artifact
    if said == "hub":
        if known is None:
            raise UsageError(f"No card says where {name!r} lies on the hub. Say --from org/name.")
        said = known.hub
    elif os.path.isdir(said):
        return FolderSource(said)
    if os.path.isfile(said):
        return ArchiveSource(said, os.path.basename(said))
    if "://" in said:
        return ArchiveSource(_downloaded(checked_url(said), downloads, options), said)
    if match := _COORDINATES.fullmatch(said):
        return ArchiveSource(_artifact(match[1], match[2], match[3], downloads, options), said)
    if _REPOSITORY.fullmatch(said):
        return HubSource(said, downloads, options)
    raise UsageError(
        f"--from {said}: there is no such folder or file, and it is no address, no group:artifact:version and no "
        "org/name of a model hub."
    )


def _artifact(group: str, artifact: str, version: str, downloads: str, options: FetchOptions) -> str:
    """The jar of coordinates: from Maven's own local repository, else from the repository that was named."""
    if any(set(part) <= {"."} or ".." in part for part in (group, artifact, version)):
        raise UsageError(f"{group}:{artifact}:{version} are no Maven coordinates.")
    place = [*group.split("."), artifact, version, f"{artifact}-{version}.jar"]
    local = os.path.join(os.path.expanduser("~"), ".m2", "repository", *place)
    repository = options.repository or os.environ.get(REPOSITORY_VARIABLE)
    if os.path.isfile(local):
        return local
    if not repository:
        raise UsageError(
            f"{group}:{artifact}:{version} is not in Maven's local repository. Put it there with: "
            f"mvn dependency:get -Dtransitive=false -Dartifact={group}:{artifact}:{version} -- or name the address of "
            f"a Maven repository with --repository or {REPOSITORY_VARIABLE}. Without a network, give the jar with "
            "--from FILE.jar."
        )
    return _downloaded("/".join([checked_url(repository).rstrip("/"), *map(quote, place)]), downloads, options)


def chosen(names: Sequence[str], where: str, preferred: str = "") -> tuple[Picked, Picked, Picked]:
    """The files of the model, of its settings, of its licenses; `preferred` is the graph to take where it is there."""
    first = {name.split("/")[0] for name in names}
    top = f"{first.pop()}/" if len(first) == 1 and all("/" in name for name in names) else ""
    inside = {name.removeprefix(top): name for name in names}
    model = {}
    graph = next((name for name in (preferred, GRAPH, f"onnx/{GRAPH}") if name in inside), None)
    graph = graph or _only(inside, ".onnx", where)
    if graph is not None:
        model[GRAPH] = inside[graph]
        for ending in ("_data", ".data"):
            if f"{graph}{ending}" in inside:
                model[f"{GRAPH}{ending}"] = inside[f"{graph}{ending}"]
    elif WEIGHTS in inside:
        model[WEIGHTS] = inside[WEIGHTS]
    tokenizer = TOKENIZER if TOKENIZER in inside else _only(inside, TOKENIZER, where)
    if tokenizer is not None:
        model[TOKENIZER] = inside[tokenizer]
    if CONFIG in inside:
        model[CONFIG] = inside[CONFIG]
    wanted = [f"{GRAPH} or {WEIGHTS}"] if not {GRAPH, WEIGHTS} & model.keys() else []
    wanted += [name for name in (TOKENIZER,) if name not in model]
    wanted += [CONFIG] if WEIGHTS in model and CONFIG not in model else []
    if wanted:
        raise InputError(f"{where} has no {', '.join(wanted)}: it holds no model that can be read here.")
    settings: Picked = {name: inside[name] for name in _SETTINGS if name in inside}
    # One at the top is the model's own, whatever a jar has for itself in META-INF.
    found = sorted((name for name in inside if _LICENSES.fullmatch(name)), key=lambda name: -name.count("/"))
    licenses = {os.path.basename(name): inside[name] for name in found}
    poms = [name for name in names if re.fullmatch(r"META-INF/maven/[^/]+/[^/]+/pom\.xml", name)]
    licenses |= dict(zip(("pom.xml",), poms, strict=False))
    return model, settings, licenses


def _only(names: Mapping[str, str], ending: str, where: str) -> str | None:
    found = sorted(name for name in names if name.endswith(ending))
    if len(found) > 1:
        raise InputError(
            f"{where} has {len(found)} files *{ending} ({', '.join(found[:3])}). Put the one to use, as "
            f"{GRAPH if ending == '.onnx' else TOKENIZER}, into a folder with its tokenizer, and give --from FOLDER."
        )
    return found[0] if found else None
