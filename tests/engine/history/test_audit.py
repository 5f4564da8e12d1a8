from pathlib import Path

from keyhole.edits.model.operations import DeleteFile, Edit, InOrder
from keyhole.engine.facade import Engine
from keyhole.engine.history.audit import Audit, audit
from keyhole.engine.options import Options
from keyhole.journal.model import Query
from tests.scene import engine_at

HEAD = "diff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n"
PATCH = f"{HEAD}@@ -1,4 +1,4 @@\n # A\n \n-old\n+new\n-end\n+END\n"
ME = Options(actor="tester", task="docs", reason="the login changed")


def changed(engine: Engine, *pairs: tuple[str, str, str]) -> str:
    edits = tuple(Edit(find=old, content=new, reason=why, match="exact") for old, new, why in pairs)
    return engine.edit([InOrder("a.md", edits)], ME).transaction


def audited(engine: Engine, *paths: str) -> Audit:
    return audit(engine._tree.journal, Query(), paths)


def test_an_entry_has_a_status_a_patch_and_a_reason_for_every_edit(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="# A\n\nold\nend\n") as engine:
        name = changed(engine, ("old", "new", "renamed"), ("end", "END", "louder"))

        (record,) = audited(engine).records

    data = record.as_data()
    assert str(data.pop("timestamp")).endswith("Z")
    assert data == {
        "id": name,
        "actor": "tester",
        "task": "docs",
        "tool": "library",
        "articles": [
            {
                "path": "a.md",
                "status": "updated",
                "patch": PATCH,
                "editReasons": ["renamed", "louder"],
                "reasoning": "the login changed",
            }
        ],
    }


def test_bug_60_an_emptied_article_is_updated(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="all\n") as engine:
        changed(engine, ("all\n", "", "withdrawn"))

        (article,) = audited(engine).records[0].articles

    assert article.status == "updated"
    assert article.patch == f"{HEAD}@@ -1 +0,0 @@\n-all\n"


def test_bug_58_any_spelling_of_the_path_is_the_same_article(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="old\n") as engine:
        edit = Edit(path="./a.md", find="old", content="new", reason="why")
        engine.edit([edit], ME)

        (article,) = audited(engine, "a.md").records[0].articles

    assert (article.path, article.status) == ("a.md", "updated")


def test_bug_58_only_the_reasons_of_the_article_are_its_own(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="old\n", b_md="old\n") as engine:
        edits = [
            Edit(path=path, find="old", content="new", reason=f"for {path}")
            for path in ("a.md", "b.md")
        ]
        engine.edit(edits, ME)

        (article,) = audited(engine, "a.md").records[0].articles

    assert article.reasons == ("for a.md",)


def test_bug_58_the_patch_is_of_the_bytes_and_never_of_a_placeholder(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="one\ntwo\n") as engine:
        changed(engine, ("two", "three", "why"))
        (Path(engine.root) / "a.md").unlink()

        (article,) = audited(engine).records[0].articles

    assert article.patch == f"{HEAD}@@ -1,2 +1,2 @@\n one\n-two\n+three\n"


def test_a_call_that_was_refused_is_an_error(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="old\n") as engine:
        changed(engine, ("nowhere", "new", "why"))

        (record,) = audited(engine, "a.md").records

    data = record.as_data()
    assert str(data.pop("timestamp")).endswith("Z")
    assert data == {
        "actor": "tester",
        "task": "docs",
        "tool": "library",
        "articles": [{"path": "a.md", "status": "error", "error": "not-found"}],
    }


def test_a_call_that_gave_way_to_another_task_was_skipped(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="old\n") as engine:
        changed(engine, ("old", "new", "why"))
        other = Options(actor="other", task="another")
        engine.edit([Edit(path="a.md", find="new", content="newer")], other)

        newest, _ = audited(engine).records

    assert newest.articles[0].as_data() == {
        "path": "a.md",
        "status": "skipped",
        "error": "conflict",
    }


def test_an_article_that_nobody_touched_is_unchanged(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="old\n", b_md="same\n") as engine:
        changed(engine, ("old", "new", "why"))

        records = audited(engine, "a.md", "b.md").records

    assert [article.status for record in records for article in record.articles] == [
        "updated",
        "unchanged",
    ]
    assert records[1].as_data() == {"articles": [{"path": "b.md", "status": "unchanged"}]}


def test_a_deletion_is_an_update_with_a_patch(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="old\n") as engine:
        engine.write(DeleteFile("a.md", "obsolete"), ME)

        (article,) = audited(engine).records[0].articles

    assert article.status == "updated"
    assert article.reasons == ("obsolete",)
    assert "-old" in article.patch


def test_the_newest_comes_first_and_the_limit_holds(tmp_path: Path) -> None:
    with engine_at(tmp_path, a_md="0\n") as engine:
        for number in range(4):
            changed(engine, (str(number), str(number + 1), f"reason {number}"))

        found = audit(engine._tree.journal, Query(limit=2), ())

    reasons = [article.reasons for record in found.records for article in record.articles]
    assert reasons == [("reason 3",), ("reason 2",)]
