"""A round of judging on the command line: settings, gold questions, handing out, inviting, progress, agreement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.judging_commands import done, refused
from tests.reading.datasets import made

from rankproof.errors import UsageError
from rankproof.judging.records import SETTLING, Account, Judgment
from rankproof.judging.store import open_store
from rankproof.web.rounds import Rounds
from rankproof.web.security.credentials import digest

QUERIES = [f"q{i}" for i in range(6)]


@pytest.fixture
def db(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Six queries with four documents each in one run: 24 pairs."""
    monkeypatch.chdir(tmp_path)
    corpus = [{"_id": f"d{i}", "title": f"thing {i}", "text": "x", "photo": "p", "page": "u"} for i in range(4)]
    queries = [{"_id": query, "text": "red"} for query in QUERIES]
    made.beir(
        tmp_path / "shop", corpus=made.json_lines(*corpus), queries=made.json_lines(*queries), qrels="q1 0 d3 1\n"
    )
    lines = [f"{query} Q0 d{i} {i + 1} {9 - i} a" for query in QUERIES for i in range(4)]
    (tmp_path / "a.run").write_text("\n".join(lines) + "\n")
    done("init", "judging.db", "-p", "shop", "--dataset", "shop", "--run", "a=a.run")
    return "judging.db"


# ---- settings ------------------------------------------------------------------------------------


def test_settings_are_given_at_first_and_changed_later(db: str, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("Be strict.")
    (tmp_path / "stack.toml").write_text("[benchmark]\ndataset = 'shop'\n[modes]\na = \"replay(path='a.run')\"\n")
    settings = [
        "--selection", "depth_pool(depth=3)", "--gold", "0.1", "--pipelines", "stack.toml", "--wanted", "2",
        "--text-field", "text", "--image-field", "photo", "--link-field", "page", "--guidelines", "rules.txt",
    ]  # fmt: skip
    done("init", db, "-p", "two", "--dataset", "shop", *settings)
    told = done("change", db, "-p", "shop", *settings)
    assert told == "judging.db: project shop: changed: guidelines, template, wanted, selection, gold, pipelines\n"
    assert done("change", db, "-p", "shop", *settings) == "judging.db: project shop: nothing changed\n"
    with open_store(db) as store:
        for slug in ("shop", "two"):
            project = store.projects.get(slug)
            assert (project.wanted, project.selection, project.gold) == (2, "depth_pool(depth=3)", 0.1)
            assert (project.guidelines, project.pipelines) == ("Be strict.", str(tmp_path / "stack.toml"))
            assert (project.template.texts, project.template.image, project.template.link) == (
                ("text",),
                "photo",
                "page",
            )
        assert len(store.projects.history("shop")) == 2
    done("change", db, "-p", "shop", "--pipelines", "", "--link-field", "")
    with open_store(db) as store:
        assert (store.projects.get("shop").pipelines, store.projects.get("shop").template.link) == ("", "")


def test_settings_that_do_not_hold_change_nothing(db: str, tmp_path: Path) -> None:
    assert "No selection is called 'deep'" in refused("change", db, "--selection", "deep")
    assert "nowhere.toml" in refused("change", db, "--pipelines", "nowhere.toml")
    assert "nowhere.txt" in refused("change", db, "--guidelines", "nowhere.txt")
    (tmp_path / "ann.trec").write_text("q1 0 d1 3\nq1 0 d2 1\n")
    done("import", db, "ann.trec", "--judge", "ann")
    assert "The scale 'binary' has no grade 3, which judges have given" in refused("change", db, "--scale", "binary")
    assert "changed: scale" in done("change", db, "--scale", "esci")
    assert "no field 'phto'" in refused("init", db, "-p", "x", "--dataset", "shop", "--image-field", "phto")
    with open_store(db) as store:
        assert len(store.projects.history("shop")) == 2


# ---- handing out ---------------------------------------------------------------------------------


def test_pairs_are_handed_out_with_the_arithmetic(db: str) -> None:
    dry = done("assign", db, "--judges", "ana,bo,cy", "--pairs", "12", "--overlap", "3", "--dry-run")
    assert dry.startswith("12 pairs by depth_pool would be handed out")
    told = done("assign", db, "--judges", "Ana, bo,cy", "--pairs", "12", "--overlap", "3")
    assert told.splitlines() == [
        "12 pairs by depth_pool handed out to 3 judges: 18 judgments",
        "  3 pairs to all 3: 9 judgments",
        "  9 pairs to 1 judge each: 9 judgments",
        "",
        "handed out to  asked  answered  left",
        "ana                6         0     6",
        "bo                 6         0     6",
        "cy                 6         0     6",
        "",
        "without an account yet, to be opened under this very name: ana, bo, cy",
    ]
    with open_store(db) as store:
        handed = store.assignments.all("shop")
        # The best ranks of all queries: 12 pairs of 6 queries are the first two documents of each.
        assert {one.doc_id for one in handed} == {"d0", "d1"}
        assert [one.place for one in store.assignments.of("shop", "ana")] == [1, 2, 3, 4, 5, 6]
        store.accounts.add("ana", "viewer", "x")
        store.memberships.put("ana", "shop", "judge", "")
    # A second time, other pairs; then there are too few.
    again = done("assign", db, "--judges", "ana,bo", "--pairs", "10", "--each", "2", "--overlap", "0")
    assert "10 pairs to 2 judges each: 20 judgments" in again
    assert again.endswith("under this very name: bo\n")
    assert "gives 2 pairs that are not handed out, graded or gold yet, and 3 are wanted" in refused(
        "assign", db, "--judges", "ana,bo", "--pairs", "3"
    )


def test_the_workbench_asks_what_was_handed_out_in_its_order(db: str) -> None:
    done("assign", db, "--judges", "ana,bo", "--pairs", "10", "--overlap", "4")
    with open_store(db) as store:
        rounds, project = Rounds(store), store.projects.get("shop")
        for judge in ("ana", "bo"):
            wanted = [(one.query_id, one.doc_id) for one in store.assignments.of("shop", judge)]
            assert [(one.query_id, one.doc_id) for one in rounds.next_pairs(project, judge, 99, 0.0)] == wanted
            assert len(wanted) == 7  # 4 that both get, and half of the other 6
        assert rounds.next_pairs(project, "cy", 99, 0.0) == []


def test_a_fifth_goes_to_all_when_nothing_is_said(db: str) -> None:
    assert "4 pairs to all 2: 8 judgments" in done("assign", db, "--judges", "ana,bo", "--pairs", "20", "--dry-run")
    assert "to all" not in done("assign", db, "--judges", "ana", "--pairs", "20", "--dry-run")


def test_what_is_gold_or_graded_is_not_handed_out(db: str, tmp_path: Path) -> None:
    (tmp_path / "gold.trec").write_text("q0 0 d0 3\nq1 0 d0 0\n")
    (tmp_path / "ann.trec").write_text("q2 0 d0 3\n")
    done("gold", db, "gold.trec", "--share", "0.2")
    done("import", db, "ann.trec", "--judge", "ann")
    assert "gives 21 pairs" in refused("assign", db, "--judges", "ana", "--pairs", "22")
    done("assign", db, "--judges", "ana", "--pairs", "21")
    with open_store(db) as store:
        pairs = {(one.query_id, one.doc_id) for one in store.assignments.all("shop")}
    assert not pairs & {("q0", "d0"), ("q1", "d0"), ("q2", "d0")}


def test_what_was_not_answered_is_taken_back(db: str) -> None:
    done("assign", db, "--judges", "ana,bo", "--pairs", "10", "--overlap", "2")
    with open_store(db) as store:
        first, second = store.assignments.of("shop", "bo")[:2]
        store.judgments.add("shop", Judgment("1" * 32, "bo", first.query_id, first.doc_id, 2))
        store.judgments.add("shop", Judgment("2" * 32, "bo", second.query_id, second.doc_id, None, "later"))
    shown = done("show", db).splitlines()
    assert shown[shown.index("handed out to  asked  answered  left") :][:3] == [
        "handed out to  asked  answered  left",
        "ana                6         0     6",
        "bo                 6         1     5",
    ]
    told = json.loads(done("unassign", db, "bo", "--json"))
    # Of 6 pairs one is graded. Another was said to be for later, which is no answer.
    assert (told["taken_back"], told["judges"][1]) == (5, {"judge": "bo", "asked": 1, "answered": 1, "left": 0})
    assert "Judges with assigned pairs: ana, bo" in refused("unassign", db, "cy")


def test_judges_have_names_that_accounts_can_have(db: str) -> None:
    assert "'an a' cannot be the name of an account" in refused("assign", db, "--judges", "an a", "--pairs", "3")
    assert "No judge is named" in refused("assign", db, "--judges", " , ", "--pairs", "3")
    done("init", "empty.db", "-p", "none")
    assert "has no runs to choose from" in refused("assign", "empty.db", "--judges", "ana", "--pairs", "3")


# ---- gold, invitations, agreement ----------------------------------------------------------------


def test_gold_questions_are_added_once_and_taken_back(db: str, tmp_path: Path) -> None:
    (tmp_path / "gold.trec").write_text("q0 0 d0 3\nq1 0 d0 0\n")
    assert done("gold", db, "gold.trec").splitlines() == [
        "2 gold questions added",
        "  now 2 gold questions; none is asked: --share says how many",
    ]
    told = done("gold", db, "gold.trec", "--share", "0.05")
    assert told.startswith("0 gold questions added, 2 there already\n  now 2 gold questions; 5.0% of the questions")
    (tmp_path / "less.trec").write_text("q0 0 d0 1\n")
    assert "1 gold question added" in done("gold", db, "less.trec")  # another grade: the newest word holds
    assert done("gold", db, "less.trec", "--withdraw").startswith("1 gold question taken back\n  now 1 gold question;")
    (tmp_path / "high.trec").write_text("q0 0 d0 7\n")
    assert "has grade 7, and the scale 'graded' has 0, 1, 2, 3" in refused("gold", db, "high.trec")
    (tmp_path / "other.trec").write_text("z0 0 d0 1\n")
    assert "has no query 'z0'" in refused("gold", db, "other.trec")


def test_invitations_name_somebody_and_open_one_account_each(db: str) -> None:
    told = json.loads(done("invite", db, "Ana", "bo", "--origin", "https://judge.example.org/", "--json"))
    links = told["observed"]["links"]
    assert list(links) == ["ana", "bo"]
    assert all(link.startswith("https://judge.example.org/invitation/") for link in links.values())
    lines = done("invite", db, "cy", "--role", "reviewer").splitlines()
    assert lines[0].startswith("Invited to shop with the role reviewer")
    assert lines[1].startswith("  cy  http://127.0.0.1:8080/invitation/")
    with open_store(db) as store:
        token = digest(links["ana"].rpartition("/")[2])
        with pytest.raises(UsageError, match="for ana, and not for eve"):
            store.invitations.use(token, "eve", "hash")
        assert store.invitations.use(token, "ana", "hash").role == "viewer"
        assert store.memberships.of("ana") == {"shop": "judge"}
        assert [entry.action for entry in store.audit.all()] == ["invitation"] * 3
    assert done("invite", db, "dee", "--server").startswith("Invited to the server with the role admin")
    assert "'nowhere' is no address of a server" in refused("invite", db, "ana", "--origin", "nowhere")
    assert "is no address of a server" in refused("invite", db, "ana", "--origin", "https://x.org/path")
    assert "cannot be the name of an account" in refused("invite", db, "Ana Lovelace")


def test_a_round_is_closed_and_opened_again(db: str) -> None:
    assert "the round is closed" in done("close", db)
    with open_store(db) as store:
        assert store.projects.get("shop").closed
    done("change", db, "--wanted", "3")
    with open_store(db) as store:
        assert store.projects.get("shop").closed
    assert "the round is open" in done("close", db, "--reopen")
    with open_store(db) as store:
        assert not store.projects.get("shop").closed


def test_agreement_is_told_with_intervals(db: str, tmp_path: Path) -> None:
    assert "Agreement takes two of them, or gold questions" in refused("agreement", db)
    # Twelve pairs: ana and bo agree on ten of them; cy graded six, all as ana did.
    pairs = [(query, f"d{i}") for query in QUERIES for i in range(2)]
    grades = {pair: at % 4 for at, pair in enumerate(pairs)}
    (tmp_path / "gold.trec").write_text("q0 0 d0 0\nq0 0 d1 2\n")
    rows = ["judge,query_id,doc_id,grade"]
    for at, (query, doc) in enumerate(pairs):
        known = grades[query, doc]
        rows.append(f"ana,{query},{doc},{known}")
        rows.append(f"bo,{query},{doc},{3 - known if at in (5, 8) else known}")
        rows += [f"cy,{query},{doc},{known}"] if at % 2 else []
    (tmp_path / "all.csv").write_text("\n".join(rows) + "\n")
    done("import", db, "all.csv")
    done("gold", db, "gold.trec")
    told = json.loads(done("agreement", db, "--json"))
    assert (told["judges"], told["pairs"], told["gold_questions"]) == (["ana", "bo", "cy"], 12, 2)
    two = {tuple(one["judges"]): one for one in told["two"]}
    assert two["ana", "bo"]["agreement"]["value"] == pytest.approx(10 / 12)
    assert two["ana", "cy"]["agreement"]["value"] == 1.0
    # ana gave 0 1 2 3 three times each: d0 of q0 is 0, as is known, and d1 is 1 where 2 is right.
    assert told["each"][0]["right_on_gold"]["value"] == 0.5
    # ana against others: 10 of 12 of bo's and 6 of 6 of cy's are the same.
    assert told["each"][0]["same_as_others"]["value"] == pytest.approx(16 / 18)
    before = done("agreement", db)
    assert "ana, bo  0.833" in before
    # Who settles has seen the grades: their word is not counted.
    with open_store(db) as store:
        word = Judgment("3" * 32, "dee", "q0", "d0", 3, source=SETTLING)
        store.judgments.settle("shop", word, Account("dee", "reviewer"))
    assert done("agreement", db) == before
