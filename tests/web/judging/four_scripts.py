"""A project whose queries and documents are in four scripts, with products, pictures and a long document."""

from __future__ import annotations

import base64
import struct
import zlib

from rankproof.judging.records import SCALES, Project, Template
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query

SLUG = "scripts"
GUIDELINES = """# What to think of
Somebody who **wants to buy**. Look at what the product *is*, not at how well it is described.

- A wrong color is a *substitute*.
- What only goes with it is a complement.
  - A case for a phone, for example.

> When in doubt, take the lower grade.

See [the long form](https://example.org/guidelines?part=1&more=2). <b>No HTML</b>."""

# (query id, query, [(title, text, price), ...])
SHOPS = (
    ("la", "waterproof running shoes", [
        ("Trail-running shoe, waterproof",
         "A light shoe for runners. The water-proof "
         "membrane keeps rain out; it ran for 800 km in our tests.", "€ 129.00"),
        ("Rain jacket", "Waterproof jacket for running in the rain, with taped seams and pockets.", "€ 89.50"),
        ("",
         "Laufschuhe, wasserdicht. Shoes for "
         "every running day: cushioned, breathable, and made to be repaired.", "€ 99.00"),
        ("Leather boots", "Boots for the town. They are not meant for running.", "€ 150.00"),
    ]),
    ("ja", "防水のランニングシューズ", [
        ("トレイルランニングシューズ 防水モデル", "雨の日でも走れる防水シューズ。"
         "軽くて歩きやすく、長い距離を走る人に選ばれています。"
         "靴底は滑りにくい素材です。",
         "¥12,800"),
        ("レインジャケット", "ランニング用の防水ジャケット。ポケットが二つ付いています。", "¥8,900"),
        ("", "毎日のランニングに。通気性のよいメッシュ素材を使ったシューズで、洗濯機でも洗えます。", "¥6,400"),
        ("革のブーツ", "街を歩くための革靴。防水ではありません。", "¥21,000"),
    ]),
    ("ar", "حذاء رياضي مقاوم للماء", [
        ("حذاء رياضي للجري مقاوم للماء",
         "حِذَاء خفيف للعدائين، والغشاء المقاوم للماء يمنع دخول المطر. "
         "مناسب للطرق الجبلية والمسافات الطويلة.", "٤٩٩ ر.س"),
        ("سترة مطر", "سترة مقاومة للماء للجري تحت المطر، مع جيوب كبيرة.", "٢٩٩ ر.س"),
        ("", "الحذاء الرياضي اليومي: مريح وخفيف، ويمكن غسله بالمــاء.", "١٩٩ ر.س"),
        ("حذاء جلدي", "حذاء أنيق للمدينة، غير مخصص للرياضة.", "٣٥٠ ر.س"),
    ]),
    ("th", "รองเท้าวิ่งกันน้ำ", [
        ("รองเท้าวิ่งเทรลกันน้ำ รุ่นใหม่",
         "รองเท้าน้ำหนักเบาสำหรับนักวิ่ง "
         "เยื่อกันน้ำช่วยให้เท้าแห้งแม้ฝนตกหนัก เหมาะกับการวิ่งระยะไกล", "฿3,490"),
        ("เสื้อกันฝน", "เสื้อกันน้ำสำหรับวิ่งในวันที่ฝนตก มีกระเป๋าสองข้าง", "฿1,290"),
        ("", "รองเท้าสำหรับทุกวัน ระบายอากาศดี ซักด้วยเครื่องได้ และวิ่งสบาย", "฿990"),
        ("รองเท้าบูทหนัง", "รองเท้าหนังสำหรับใส่ในเมือง ไม่เหมาะกับการวิ่ง", "฿2,900"),
    ]),
)  # fmt: skip
LONG = "Care of the shoe. " + "Wash it by hand, let it dry in the shade, and do not put it near a heater. " * 60


def picture(red: int, green: int, blue: int, width: int = 240, height: int = 180) -> str:
    """A picture in itself: a PNG of one color with a darker middle."""
    rows = []
    for y in range(height):
        line = bytearray(b"\0")
        for x in range(width):
            inside = width // 4 < x < 3 * width // 4 and height // 4 < y < 3 * height // 4
            line += bytes(value // 2 if inside else value for value in (red, green, blue))
        rows.append(bytes(line))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(rows))),
        (b"IEND", b""),
    )
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + body).decode()


def four_scripts(store: Store) -> Project:
    """Four queries with four products each, ranked by three runs; one of the products has a long text."""
    template = Template("title", ("text", "care"), "image", "url", "price", ("images.example.org",))
    project = Project(SLUG, "Four scripts", SCALES["esci"], GUIDELINES, template, wanted=20)
    store.projects.add(project, "setup")
    store.items.add_queries(SLUG, [Query(name, text) for name, text, _ in SHOPS])
    shades = ((178, 205, 214), (219, 188, 158), (190, 205, 170), (214, 178, 178))
    runs: dict[str, dict[str, list[str]]] = {"bm25": {}, "dense": {}, "hybrid": {}}
    for name, _, goods in SHOPS:
        docs = [f"{name}-{n}" for n in range(1, len(goods) + 1)]
        for doc, (title, text, price), shade in zip(docs, goods, shades, strict=True):
            fields = {"title": title, "text": text, "price": price, "url": f"https://shop.example.org/{doc}"}
            fields["image"] = "https://other.example.com/a.png" if doc.endswith("4") else picture(*shade)
            if doc == "la-1":
                fields["care"] = LONG + "Dry running shoes last longer."
            store.items.add_documents(SLUG, [(doc, {key: value for key, value in fields.items() if value})])
        runs["bm25"][name] = docs
        runs["dense"][name] = [docs[2], docs[0], docs[3], docs[1]]
        runs["hybrid"][name] = [docs[0], docs[2], docs[1]]
    for run, rankings in runs.items():
        store.runs.add(SLUG, run, rankings, run)
    return project
