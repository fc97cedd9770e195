"""Showing: the text of a document as a model reads it: the fields that people see, cut to a length."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.records.project import Template

CUT = " [...]"


def document_text(fields: Mapping[str, str], template: Template, characters: int) -> str:
    """Its title, then its texts, each with its name where there are several; "" where it has none.

    >>> template = Template(texts=("brand", "text"))
    >>> document_text({"title": "Tea", "brand": "Ortevo", "text": "Green.  Loose."}, template, 99)
    'Tea\\nbrand: Ortevo\\ntext: Green. Loose.'
    """
    texts = [name for name in template.texts if fields.get(name, "").strip()]
    parts = [_flat(fields.get(template.title, ""))]
    parts += [f"{name}: {_flat(fields[name])}" if len(template.texts) > 1 else _flat(fields[name]) for name in texts]
    whole = "\n".join(part for part in parts if part)
    return whole if len(whole) <= characters else whole[:characters].rstrip() + CUT


def _flat(text: str) -> str:
    """Its lines without what is only space."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "\n".join(line for line in lines if line)
