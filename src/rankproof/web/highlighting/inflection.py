"""Inflection: whether two folded words are forms of one word, by their endings and without a dictionary.

Two words are forms of one where they begin alike and their remainders are endings that take each other's place. It
is light on purpose: what is marked helps the eye to find a place, and a judge reads that place.
"""

from __future__ import annotations

from functools import lru_cache


def words(text: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(text.split())


LEAST = 3  # letters that two forms share
_ENGLISH = frozenset({"", "s", "es", "'s", "s'", "ed", "ing", "ings", "er", "ers", "ly"})
_AFTER_E = frozenset({"", "d", "r", "rs", "st"})  # bake, baked, baker
_FOR_E = frozenset({"e", "es", "ed", "er", "ers", "ing", "ings"})  # make, making
_DOUBLED = ("ing", "ings", "ed", "er", "ers")  # run, running
_PAIRS = (
    frozenset({"y", "ies", "ied", "ier", "iest", "ily"}),
    frozenset({"f", "fe", "ves"}),
    frozenset({"l", "ux"}), frozenset({"l", "is"}), frozenset({"z", "ces"}), frozenset({"ao", "oes", "aos"}),
    frozenset({"co", "chi"}), frozenset({"ca", "che"}), frozenset({"go", "ghi"}), frozenset({"ga", "ghe"}),
    frozenset({"eux", "euse", "euses"}),
)  # fmt: skip
# Endings of the other languages in Latin letters: those of one letter need a longer stem.
_LATIN = words(
    "a e i o u n t r x y en er ern em es is os as na ne rna erna orna arna et ten ter je jes ar or om ow ami ach um"
    " ler lar leri lari nin ek ok ak ssa lla sta"
) | {"", "s"}
_SLAVIC = words(
    "а я ы и о е у ю ь ои еи ов ев ам ям ами ями ах ях ом ем ок ек ки ка ку ко кои ков кам ками ках ыи ии ая яя ое ее"
    " ые ие ого его ому ему ых их ым им ыми ими ою ею ую юю і ї ів"
) | {""}
_GREEK = words("α ο ι ια ου ων ουσ εσ ασ ησ οι ε η σ οσ ησ ατα ματα") | {""}
_DEVANAGARI = words("ा े ी ि ो ों ें ियों ियां") | {""}
_IRREGULAR = (
    "run ran running runs", "child children", "foot feet", "tooth teeth", "goose geese", "mouse mice", "man men",
    "woman women", "person people", "buy bought buying buys", "wear wore worn wearing wears", "leaf leaves",
    "good better best", "make made making makes", "find found finding finds", "write wrote written writing writes",
    "swim swam swum swimming", "ride rode ridden riding", "drive drove driven driving", "sell sold selling sells",
    "teach taught teaching", "index indices indexes", "analysis analyses", "criterion criteria", "matrix matrices",
)  # fmt: skip
_FORMS = {word: group for group in map(str.split, _IRREGULAR) for word in group}
_ARABIC_HEADS = ("وال", "بال", "كال", "فال", "ولل", "ال", "لل", "و")
_ARABIC_TAILS = ("هاي", "ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
_HEBREW_HEADS = frozenset("הובלמשכ")


@lru_cache(maxsize=50_000)
def is_form(one: str, other: str) -> bool:
    """Whether two folded words are forms of one word.

    >>> is_form("shoes", "shoe"), is_form("city", "cities"), is_form("red", "redder"), is_form("ботинки", "ботинок")
    (True, True, False, True)
    """
    if one == other or other in _FORMS.get(one, ()):
        return True
    if any(letter.isdigit() for letter in one + other):
        return False
    if is_hebrew(one) and is_hebrew(other):
        return _hebrew(one, other) or _hebrew(other, one)
    stem = _beginning(one, other)
    if len(stem) < LEAST:
        return False
    ends = one[len(stem) :], other[len(stem) :]
    return _by_endings(stem, ends) or _doubled(stem, *ends) or _doubled(stem, *ends[::-1])


def _beginning(one: str, other: str) -> str:
    """What two words begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return one[: next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))]


def _by_endings(stem: str, ends: tuple[str, str]) -> bool:
    """Whether two endings take each other's place after a stem."""
    both = set(ends)
    first = ord(stem[0])
    if first < 0x300:
        if both <= _ENGLISH or (stem[-1] == "e" and both <= _AFTER_E) or ("e" in both and both <= _FOR_E):
            return True
        if any(both <= pair for pair in _PAIRS):
            return True
        longest = max(map(len, ends))
        return both <= _LATIN and len(stem) >= (4 if longest > 1 else 5)
    if first < 0x400:
        return both <= _GREEK and len(stem) > LEAST
    if first < 0x530:
        return both <= _SLAVIC and 2 * len(stem) >= max(len(stem) + len(end) for end in ends)
    return 0x0900 <= first < 0x0980 and both <= _DEVANAGARI


def _doubled(stem: str, short: str, long: str) -> bool:
    """Whether the last letter is doubled before an ending: stop, stopped; not before the er of a comparison."""
    usual = short in ("", "s") and long[:1] == stem[-1]
    return usual and long[1:] in _DOUBLED and (len(stem) > LEAST or long[1:] not in ("er", "ed"))


def is_hebrew(word: str) -> bool:
    """Whether a word is written in Hebrew letters."""
    return word[:1] >= "\u05d0" and word[:1] <= "\u05ea"


def _hebrew(short: str, long: str) -> bool:
    """Whether a longer word is the other with the article or a preposition written to it, or its plural."""
    if len(short) < LEAST:
        return False
    tail = long.removeprefix(short)
    return (long[:1] in _HEBREW_HEADS and long[1:] == short) or (tail != long and tail in ("ים", "ות"))


@lru_cache(maxsize=20_000)
def arabic_stem(word: str) -> str:
    """A folded Arabic word without the article, one-letter words written to it, and endings of number and gender.

    >>> arabic_stem("والكتاب"), arabic_stem("كتاب")
    ('كتاب', 'كتاب')
    """
    for head in _ARABIC_HEADS:
        if word.startswith(head) and len(word) - len(head) >= (LEAST if head == "و" else 2):
            word = word.removeprefix(head)
            break
    for _ in range(2):  # the plural, and the ending that it is put to
        tail = next((t for t in _ARABIC_TAILS if word.endswith(t) and len(word) - len(t) >= LEAST), "")
        word = word.removesuffix(tail)
    return word
