from tests.surfaces.cli.shell import Shell


def test_the_audit_is_json_with_a_reason_an_edit(keyhole: Shell) -> None:
    keyhole.write("docs/a.md", "old\n")
    edit = ("--find", "old", "--content", "new", "--reason", "renamed")
    keyhole.ok("edit", "docs/a.md", *edit)

    data = keyhole.ok("audit").data

    (article,) = data["records"][0]["articles"]
    assert data["version"] == 1
    assert (article["path"], article["status"]) == ("docs/a.md", "updated")
    assert article["patch"].endswith("-old\n+new\n")


def test_articles_are_named_in_any_spelling(keyhole: Shell) -> None:
    keyhole.write("docs/a.md", "old\n")
    keyhole.write("docs/b.md", "old\n")
    keyhole.ok("edit", "docs/a.md", "--find", "old", "--content", "new")

    data = keyhole.ok("audit", "./docs/a.md", "docs//b.md").data

    statuses = [
        (article["path"], article["status"])
        for record in data["records"]
        for article in record["articles"]
    ]
    assert statuses == [("docs/a.md", "updated"), ("docs/b.md", "unchanged")]
