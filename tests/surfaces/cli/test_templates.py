from tests.surfaces.cli.shell import Shell


def test_the_templates_are_listed_with_what_they_are_for(keyhole: Shell) -> None:
    lines = keyhole.ok("templates").out.split("\n")

    assert lines[0] == "adr  An architecture decision record"
    assert len(lines) == 10


def test_one_template_is_explained(keyhole: Shell) -> None:
    [told] = keyhole.ok("templates", "design", "--json").data["templates"]

    assert told["schema"]["required"] == ["decision", "problem_statement"]
    assert told["variables"]["options"]["type"] == "list"
    assert told["tiers"] == [
        "tier2/markdown.jinja2",
        "tier1/document.jinja2",
        "tier0/lifecycle.jinja2",
    ]


def test_a_workspace_names_a_directory_of_its_own(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", 'templates = "forms"\n')
    keyhole.write("forms/memo.md.j2", "# {{ subject }}\n")

    ids = [each["template"] for each in keyhole.ok("templates", "--json").data["templates"]]

    assert "memo" in ids


def test_a_workspace_names_no_directory_outside_itself(keyhole: Shell) -> None:
    for place in ("..", "/etc", "../home"):
        keyhole.write("keyhole.toml", f'templates = "{place}"\n')

        refusal = keyhole("templates", "--json").refusal
        assert refusal["code"] == "bad-request"
        assert refusal["message"].endswith(
            f"sets `templates` to {place!r}, which lies outside the workspace"
        )


def test_the_user_names_any_directory_and_the_workspace_s_comes_first(keyhole: Shell) -> None:
    config = keyhole.base / "home" / ".config" / "keyhole" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('templates = "~/forms"\n', encoding="utf-8")
    (keyhole.base / "home" / "forms").mkdir()
    for name, text in (("memo", "user"), ("letter", "user")):
        place = keyhole.base / "home" / "forms" / f"{name}.md.j2"
        place.write_text(f"{text}\n", encoding="utf-8")
    keyhole.write("keyhole.toml", 'templates = "forms"\n')
    keyhole.write("forms/memo.md.j2", "workspace\n")

    keyhole.ok("scaffold", "memo", "m.md")
    keyhole.ok("scaffold", "letter", "l.md")

    assert keyhole.read("m.md").endswith(b"\nworkspace\n")
    assert keyhole.read("l.md").endswith(b"\nuser\n")


def test_the_date_of_edits_is_a_setting(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", "refresh_updated = false\n")
    keyhole.ok("scaffold", "plan", "p.md", "--var", "goal=Ship")

    keyhole.ok("edit", "p.md", "--find", "Ship", "--content", "Stay")

    assert b" updated= -->" in keyhole.read("p.md")
