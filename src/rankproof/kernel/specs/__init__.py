"""Reader of names with options: kinds of values, tables of them (TOML), and calls such as `nDCG(gain=exp2)@10`.

kinds     Param, and what it may hold: Number, Whole, Choice, Flag, Text, Texts, Numbers, Path, Optional, ItemName
tables    keys and values to checked values, with messages that name the place
calls     `name(option=value, ...)` to an item with all its options
"""

from rankproof.kernel.specs.calls import (
    Call,
    Configured,
    call_of,
    call_text,
    configure,
    parse_expression,
    read_configured,
    shown_options,
    split_call,
)
from rankproof.kernel.specs.kinds import (
    REQUIRED,
    Choice,
    Flag,
    ItemName,
    Kind,
    Number,
    Numbers,
    Optional,
    OptionValues,
    Param,
    Path,
    Text,
    Texts,
    Whole,
    finite,
    show_number,
)
from rankproof.kernel.specs.tables import check_tables, read_params, read_table, read_value, with_defaults

__all__ = [
    "REQUIRED",
    "Call",
    "Choice",
    "Configured",
    "Flag",
    "ItemName",
    "Kind",
    "Number",
    "Numbers",
    "OptionValues",
    "Optional",
    "Param",
    "Path",
    "Text",
    "Texts",
    "Whole",
    "call_of",
    "call_text",
    "check_tables",
    "configure",
    "finite",
    "parse_expression",
    "read_configured",
    "read_params",
    "read_table",
    "read_value",
    "show_number",
    "shown_options",
    "split_call",
    "with_defaults",
]
