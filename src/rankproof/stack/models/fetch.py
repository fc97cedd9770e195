"""Fetch a model: its files from a source, held against known hashes, tried out, and moved into their folder as one.

One fetch of a name goes on at a time: a lock is held from the first byte to the last, and the system gives it back
where a process is killed. Files are gathered in .NAME.part beside the place, which nothing reads; the folder of the
model is there whole or not at all. Downloads wait in .NAME.downloads, to go on after a stop, until the model is there.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Final

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.atomic import replace_file
from rankproof.kernel.system import lock, move_folder, sync_folder
from rankproof.stack.models.cards import (
    CARD,
    GRAPH,
    KNOWN,
    NAME,
    ModelCard,
    checked_name,
    file_hash,
    models_folder,
    read_card,
    with_files,
)  # fmt: skip
from rankproof.stack.models.licenses import keep_licenses
from rankproof.stack.models.sources import FetchOptions, ModelSource, chosen, open_source
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder

_POOLING = {"mean_tokens": "mean", "cls_token": "cls", "max_tokens": "max", "lasttoken": "last"}
_WAIT: Final = 600.0


@dataclass(frozen=True, slots=True)
class FetchedModel:
    """A model's folder and card; `new` where this call put it there; `notes` for the reader."""

    folder: str
    card: ModelCard
    new: bool
    notes: tuple[str, ...] = ()


def fetch_model(
    name: str,
    said: str | None = None,
    *,
    folder: str | None = None,
    accepted: Sequence[str] = (),
    card_file: str | None = None,
    replace_it: bool = False,
    options: FetchOptions | None = None,
) -> FetchedModel:
    """Fetches a model, or finds it there.

    said        the source, as `open_source` takes it
    accepted    SHA-256 of files that no card knows
    card_file   the card of a model that neither rankproof nor the source has settings for
    replace_it  puts it in the place of what is there
    """
    home = models_folder(folder)
    checked_name(name)
    own = read_card(card_file) if card_file is not None else None
    if own is not None and own.name != name:
        raise UsageError(f"{card_file} is the card of {own.name!r}, and {name!r} is to be fetched.")
    place = os.path.join(home, name)
    with _alone(home, name):
        if os.path.lexists(place) and not replace_it:
            return FetchedModel(place, fetched_card(name, folder), False)
        part, downloads = os.path.join(home, f".{name}.part"), os.path.join(home, f".{name}.downloads")
        old = os.path.join(home, f".{name}.old")
        for left in (part, old):
            shutil.rmtree(left, ignore_errors=True)
        os.makedirs(downloads, exist_ok=True)
        os.makedirs(part)
        try:
            source = open_source(name, said, downloads, options or FetchOptions())
            card, notes = _gather(name, source, part, own, accepted)
            _settle(part, place, old)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            with suppress(OSError):
                os.rmdir(downloads)
            raise
        shutil.rmtree(downloads, ignore_errors=True)
    return FetchedModel(place, card, True, notes)


@contextmanager
def _alone(home: str, name: str) -> Iterator[None]:
    """While it lasts, no other process fetches this model into this folder."""
    try:
        os.makedirs(home, exist_ok=True)
        file = os.open(os.path.join(home, f".{name}.lock"), os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"{home} cannot be written: {error.strerror or error}. Name another with --folder.") from None
    try:
        until = time.monotonic() + _WAIT
        while not lock(file):
            if time.monotonic() > until:
                raise InputError(f"Another process has been fetching {name} into {home} for {_WAIT:g} seconds.")
            time.sleep(0.1)
        yield
    except OSError as error:
        raise InputError(f"{error.filename or home}: {error.strerror or error}.") from None
    finally:
        os.close(file)


def _gather(
    name: str, source: ModelSource, part: str, own: ModelCard | None, accepted: Sequence[str]
) -> tuple[ModelCard, tuple[str, ...]]:
    model, settings, licenses = chosen(source.names(), source.text, KNOWN[name].hub_graph if name in KNOWN else "")
    hashes = {}
    for target, inside in model.items():
        source.copy(inside, os.path.join(part, target))
        hashes[target] = file_hash(os.path.join(part, target))
    _refuse_unknown(name, source.text, hashes, accepted)
    if own is None and name not in KNOWN:
        for target, inside in settings.items():
            path = os.path.join(part, target)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            source.copy(inside, path)
    card, notes = _card(name, part, own, source.text, settings)
    for target in settings:
        with suppress(FileNotFoundError):
            os.remove(os.path.join(part, target))
    shutil.rmtree(os.path.join(part, "1_Pooling"), ignore_errors=True)
    if name in KNOWN and hashes.get(GRAPH) != KNOWN[name].card.files[GRAPH]:
        card = replace(card, title=name)  # other weights of the model, such as those in 32 bits
    card = with_files(card, hashes, source.text if name not in KNOWN else card.source)
    keep_licenses(part, card, licenses, source.copy, source.text)
    replace_file(os.path.join(part, CARD), [card.text().encode("utf-8", "replace")])
    return _tried(part, card), notes


def _refuse_unknown(name: str, where: str, hashes: Mapping[str, str], accepted: Sequence[str]) -> None:
    """InputError for a file that is not the one that the card pins, and was not accepted."""
    pinned = KNOWN[name].card.files if name in KNOWN else {}
    unknown = {file: digits for file, digits in hashes.items() if digits not in (pinned.get(file), *accepted)}
    if not unknown:
        return
    lines = "".join(f"\n  {file}  {digits}" for file, digits in unknown.items())
    options = " ".join(f"--sha256 {digits}" for digits in unknown.values())
    wrong = [f"{file} {pinned[file]}" for file in unknown if file in pinned]
    because = f"the card has {', '.join(wrong)}" if wrong else "no card has their hashes"
    raise InputError(
        f"Files of {name} from {where} were not taken: {because}. What came:{lines}\n"
        f"Compare these with what its authors publish. If they are right, say the command again with: {options}"
    )


def _card(
    name: str, part: str, own: ModelCard | None, where: str, settings: Mapping[str, str]
) -> tuple[ModelCard, tuple[str, ...]]:
    """The card: the one given, the one that comes with rankproof, or what the source's own settings say."""
    if own is not None:
        return own, ()
    if name in KNOWN:
        return KNOWN[name].card, ()
    if "modules.json" not in settings:
        raise UsageError(
            f"{where} has no modules.json, and no card says how {name} is to be used: its pooling, its prefixes. "
            "Give --card FILE; `rankproof models show e5-small-v2 --card` prints one to begin with."
        )
    read = ModelFolder(part)
    if len(read.pooling) != 1 or read.pooling[0] not in _POOLING:
        raise UsageError(f"{where} pools by {', '.join(read.pooling)}; a card can say {', '.join(_POOLING.values())}.")
    prompts, notes = read.prompts, []
    if not any(prompts.values()):
        notes.append(f"{where} names no prefixes. If its authors ask for some, give them in --card FILE.")
    card = ModelCard(
        name=name, pooling=_POOLING[read.pooling[0]], normalize=read.normalizes, dimensions=0, length=read.tokens,
        query_prefix=prompts["query"], document_prefix=prompts["document"], license="not stated",
    )  # fmt: skip
    encoder = TransformerEncoder(read)
    return replace(card, dimensions=int(encoder.vectors(["a"]).shape[1])), tuple(notes)


def _tried(part: str, card: ModelCard) -> ModelCard:
    """The card, after the model read a text of one word and one as long as it takes."""
    encoder = TransformerEncoder(ModelFolder(part)) if find_spec("tokenizers") and find_spec("onnxruntime") else None
    if encoder is not None:
        encoder.vectors(["a", "a " * card.length])
    return card


def _settle(part: str, place: str, old: str) -> None:
    for folder, _, files in os.walk(part):
        for file in files:
            with open(os.path.join(folder, file), "rb") as opened:
                os.fsync(opened.fileno())
        sync_folder(folder)
    if os.path.lexists(place):
        if os.path.islink(place) or not os.path.isdir(place):
            raise UsageError(f"{place} is no folder, and is not replaced. Remove it first.")
        move_folder(place, old)
    move_folder(part, place)
    sync_folder(os.path.dirname(place))
    shutil.rmtree(old, ignore_errors=True)


def fetched_card(name: str, folder: str | None = None) -> ModelCard:
    """The card of a model that was fetched, after its files were held against it."""
    place = os.path.join(models_folder(folder), checked_name(name))
    card = ModelFolder(place).card
    if card is None:
        raise InputError(f"{place} has no {CARD}. Fetch it again: rankproof models fetch {name} --replace")
    if card.name != name:
        raise InputError(
            f"{place} holds the card of {card.name!r}. Fetch it again: rankproof models fetch {name} --replace"
        )
    return card


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model with its card; `folder` is None where it was not fetched, `fault` says what is wrong there."""

    name: str
    card: ModelCard | None
    folder: str | None = None
    fault: str | None = None


def listed_models(folder: str | None = None) -> tuple[ListedModel, ...]:
    """Models with cards, and everything that was fetched, by name."""
    home = models_folder(folder)
    there = os.listdir(home) if os.path.isdir(home) else []
    names = {name for name in there if NAME.fullmatch(name) and os.path.isdir(os.path.join(home, name))}
    return tuple(listed_model(name, folder) for name in sorted({*names, *KNOWN}))


def listed_model(name: str, folder: str | None = None) -> ListedModel:
    """One model; UnknownName where it has no card and was not fetched."""
    place = os.path.join(models_folder(folder), checked_name(name))
    card = KNOWN[name].card if name in KNOWN else None
    if not os.path.isdir(place):
        if card is None:
            raise UnknownName("model here", name, KNOWN, "`rankproof models list` lists all.")
        return ListedModel(name, card)
    try:
        return ListedModel(name, fetched_card(name, folder), place)
    except (InputError, UsageError) as error:
        return ListedModel(name, card, place, str(error))
