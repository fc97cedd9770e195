"""A small help desk, asked and answered the same way by every script here that lets a tool write its files.

Two retrievers rank its pages by words: `before` by how often the words of a question stand in a page, `after` by the
beginnings of words, the rarer the heavier. Nothing here is random and nothing is asked over a network.
"""

from __future__ import annotations

import math
import re
from collections import Counter

PAGES = {
    "returns": "Goods can be sent back within 30 days of delivery. The label for returning them is in the parcel.",
    "refunds": "A refund is paid to the card that was charged, five working days after the goods arrived.",
    "delivery": "Parcels are delivered in two to four days. Express orders placed before noon arrive the next day.",
    "tracking": "The tracking number is in the message that we send when the parcel leaves the warehouse.",
    "payment": "We accept cards, bank transfers and gift vouchers. An invoice comes with every order.",
    "vouchers": "A gift voucher is valid for three years. What is left on it can be spent later.",
    "warranty": "Every machine has a warranty of two years. Worn parts such as filters are not covered.",
    "repairs": "For repairs, send the machine with a copy of the invoice. Repairing takes about ten days.",
    "account": "The password of an account can be reset on the page for signing in.",
    "privacy": "We keep addresses for as long as the law demands and sell them to nobody.",
    "address": "The address of an order can be changed until the parcel leaves the warehouse.",
    "cancel": "An order can be cancelled free of charge until it is packed.",
    "stock": "Articles that are sold out can be reserved. We write as soon as they are on the shelf again.",
    "shops": "Our shops in Graz and Linz are open from nine to six, on Saturdays until noon.",
    "sizes": "A table of sizes stands beside every pair of shoes. Between two sizes take the larger one.",
    "newsletter": "The newsletter comes once a month. A link at its end unsubscribes you.",
}
# Questions, an answer, and the pages that hold it.
QUESTIONS = {
    "How long can I return goods?": ("Within 30 days of delivery.", ["returns"]),
    "When do I get my refund?": ("Five working days after the goods arrived.", ["refunds"]),
    "How fast is delivery of an express order?": ("The next day, if placed before noon.", ["delivery"]),
    "Where do I find the tracking number?": ("In the message sent when the parcel leaves.", ["tracking"]),
    "Can I pay with a gift voucher and keep what is left?": (
        "Yes, the rest can be spent later.", ["vouchers", "payment"],
    ),
    "How long is a voucher valid?": ("Three years.", ["vouchers"]),
    "Are filters covered by the warranty?": ("No, worn parts are not.", ["warranty"]),
    "What do I need for repairing a machine under warranty?": ("A copy of the invoice.", ["repairs", "warranty"]),
    "I forgot my password": ("Reset it on the page for signing in.", ["account"]),
    "Do you sell my address?": ("No, to nobody.", ["privacy"]),
    "Can I still change the delivery address?": ("Until the parcel leaves the warehouse.", ["address"]),
    "What does cancelling cost?": ("Nothing until the order is packed.", ["cancel"]),
    "Can sold-out articles be reserved?": ("Yes.", ["stock"]),
    "When is the shop in Linz open on Saturday?": ("Until noon.", ["shops"]),
    "Which size do I take between two sizes?": ("The larger one.", ["sizes"]),
    "How do I unsubscribe from the newsletter?": ("By the link at its end.", ["newsletter"]),
}  # fmt: skip
DEPTH = 3
SYSTEMS = ("before", "after")


def words(text: str, letters: int = 99) -> Counter[str]:
    """The words of a text, each cut after so many letters."""
    return Counter(word[:letters] for word in re.findall(r"[a-z0-9]+", text.casefold()))


def retrieve(system: str, question: str) -> list[str]:
    """The names of the three best pages; of equal ones, the first in the collection."""
    letters = 99 if system == "before" else 5
    pages = {name: words(text, letters) for name, text in PAGES.items()}
    common = Counter(word for page in pages.values() for word in page)
    asked = words(question, letters)

    def score(name: str) -> float:
        shared = asked.keys() & pages[name].keys()
        if system == "before":
            return sum(pages[name][word] for word in shared)
        return sum(math.log(len(pages) / common[word]) for word in shared)

    return sorted(pages, key=score, reverse=True)[:DEPTH]


def answer(system: str, question: str) -> str:
    """What the help desk says: the first sentence of the best page."""
    return PAGES[retrieve(system, question)[0]].partition(". ")[0].rstrip(".") + "."


def reciprocal_rank(system: str, question: str) -> float:
    """One over the rank of the first right page, which tests hold read values against."""
    gold = QUESTIONS[question][1]
    ranks = [rank for rank, page in enumerate(retrieve(system, question), 1) if page in gold]
    return 1 / ranks[0] if ranks else 0.0
