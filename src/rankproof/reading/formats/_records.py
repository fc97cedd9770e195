"""Records of other tools: what their formats share. A document that is known by its text alone is named by it."""

from __future__ import annotations

from hashlib import sha256

from rankproof.errors import InputError

# How ids of texts begin, and how many hexadecimal digits follow: 64 bits, so that two of a billion texts meet once in
# forty collections.
TEXT_ID, DIGITS = "text:", 16
# The note of a format that names documents by their texts.
BY_TEXT = "documents without ids are named by their texts (text:...): equal texts, white space apart, are one document"


def text_id(text: str, where: str) -> str:
    """The id of a document that has none: a hash of its text, in which any run of white space counts as one blank.

    The same text has the same id in every file, so that gold contexts meet retrieved ones.
    """
    folded = " ".join(text.split())
    if not folded:
        raise InputError(f"{where}: a document has neither an id nor a text. Give it one of the two.")
    return TEXT_ID + sha256(folded.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
