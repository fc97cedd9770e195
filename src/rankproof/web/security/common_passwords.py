"""Passwords that are guessed first: common words, names, runs of keys and repeats, alone or put together.

What is left of a password when all of these are taken out decides: guessing programs put them together in every way,
so that "Password2024!" and "qwertyuiop12345" are no better than their parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rankproof.web.problems import Problem

# The stems of the few hundred passwords that leaked lists have most often, and words that people put before or after.
_TEXT = """
    password passwort passwd passw pass secret geheim contrasena motdepasse senha parola wachtwoord haslo login logon
    letmein welcome willkommen bienvenue iloveyou loveyou ilove love lovely lover changeme change default temp temporary
    test testing tester guest user username admin administrator root toor master system manager server service support
    security private public office company business account access enter open sesame abracadabra please hello hallo
    bonjour ciao goodbye qwerty qwertz azerty asdf zxcv qazwsx wsxedc edcrfv trustno trustnoone whatever nothing
    something anything everything computer internet network windows linux ubuntu macbook apple google facebook twitter
    instagram youtube amazon netflix microsoft samsung nokia android iphone pokemon minecraft fortnite roblox naruto
    superman batman spiderman ironman starwars startrek matrix jedi yoda hunter shadow dragon monkey tiger lion eagle
    falcon panther jaguar cobra phoenix wolf wolves bear horse dolphin kitty kitten puppy snoopy scooby garfield mickey
    minnie donald pikachu sunshine sunflower flower butterfly rainbow princess prince queen king angel angels devil
    diamond silver golden gold jewel crystal ginger pepper cookie chocolate cheese banana orange cherry strawberry
    coffee peanut butter pizza summer winter spring autumn january february march april june july august september
    october november december monday tuesday wednesday thursday friday saturday sunday baseball football basketball
    soccer hockey tennis golf volleyball softball swimming fishing hunting racing runner champion winner player gamer
    arsenal chelsea liverpool barcelona realmadrid juventus yankees lakers cowboys steelers packers dodgers rangers
    ferrari porsche mercedes corvette mustang camaro harley yamaha honda toyota suzuki ducati michael jennifer jessica
    ashley amanda nicole daniel andrew joshua matthew anthony robert thomas jordan michelle charlie george william
    christopher elizabeth patrick samantha stephanie victoria alexander alexandra benjamin jonathan nicholas richard
    maria anna laura sarah emma julia sophie martin peter paul mark david james john jack harry oliver maggie bailey
    buster tigger snowball smokey lucky happy sweet sweety sugar honey babygirl babyboy baby girl boys family mother
    father sister brother friend friends forever freedom heaven jesus christ god blessed church faith peace hope
    america canada england france germany london paris berlin madrid moscow newyork california florida texas chicago
    boston dallas denver phoenix orlando brooklyn hollywood metallica nirvana slipknot eminem beatles music guitar drums
    piano dance dancer rocknroll purple yellow green black white blue red pink brown correct battery staple ninja
    samurai pirate wizard magic merlin gandalf hobbit zelda mario sonic mercury venus mars jupiter saturn apollo zeus
    athena thunder lightning storm blizzard tornado hurricane ocean river mountain forest garden house home money
    dollar cash banker doctor nurse teacher student school college university soldier marine army navy police fire
    fireman captain general major killer hacker hacking legend hero heroes zero one two three four five six seven eight
    nine ten hundred thousand million first last great good best super mega ultra power strong the and for you are this
    that with from your mine not new old big little rankproof search judge judging reviewer viewer relevance
"""
_WORDS = frozenset(_TEXT.split())
_RUNS = (
    "abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop",
    "qsdfghjklm", "wxcvbn", "1234567890", "0123456789", "qazwsxedcrfvtgbyhnujmikolp", "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
)  # fmt: skip
_LOOKS = str.maketrans("0134578@$!|+", "oieastbasilt")
_LEAST_RUN, _LEAST_WORD, _LEAST_LEFT = 3, 3, 5


def refuse_common(password: str, about: Iterable[str] = ()) -> None:
    """An error where a password is one that is guessed first; `about` is what people know of who takes it."""
    if left_of(password, about) < _LEAST_LEFT:
        raise Problem(
            422,
            "This password is among those that are guessed first.",
            "It is made of common words, names, keys in a row or repeats. Take a sentence that only you would say.",
        )


def left_of(password: str, about: Iterable[str] = ()) -> int:
    """How many letters and signs are left of a password without what is guessed first: the fewest, by any reading."""
    plain = password.casefold()
    once = _once(plain)
    known = [word for text in about for word in re.split(r"[\W_]+", text.casefold()) if len(word) >= _LEAST_WORD]
    words = sorted({*_WORDS, *known}, key=len, reverse=True)
    return min(_left(text, words) for text in {once, once.translate(_LOOKS)})


def _once(text: str) -> str:
    """The part that a text repeats, also where the last repeat is cut off; the text where it repeats nothing."""
    for size in range(1, len(text) // 2 + 1):
        if text == (text[:size] * (len(text) // size + 1))[: len(text)]:
            return text[:size]
    return text


def _left(text: str, words: Iterable[str]) -> int:
    for word in words:
        if len(word) >= _LEAST_WORD:
            text = text.replace(word, " ")
    text = _without_runs(text)
    text = re.sub(r"(.)\1{2,}", " ", text)
    return len({*re.sub(r"[\d\W_]", "", text)})


def _without_runs(text: str) -> str:
    """The text without keys in a row and the alphabet, in either direction."""
    at, kept = 0, []
    while at < len(text):
        length = max(_run(text, at, row) for run in _RUNS for row in (run, run[::-1]))
        if length < _LEAST_RUN:
            kept.append(text[at])
            length = 1
        at += length
    return "".join(kept)


def _run(text: str, at: int, row: str) -> int:
    """How many characters from a place on stand so in a row."""
    place = row.find(text[at])
    if place < 0:
        return 0
    most = min(len(text) - at, len(row) - place)
    return next((n for n in range(most) if text[at + n] != row[place + n]), most)
