import json

import pytest

from tests.surfaces.cli.shell import Shell


def test_a_file_is_made_from_variables_of_the_command_line(keyhole: Shell) -> None:
    receipt = keyhole.ok(
        "scaffold", "plan", "docs/p.md", "--var", "goal=Ship = done", "--var", "steps=one",
        "--var", "steps=two", "--json",
    ).data  # fmt: skip

    text = keyhole.read("docs/p.md").decode()
    assert (receipt["outcome"], receipt["files"][0]["created"]) == ("applied", True)
    assert "## Goal\n\nShip = done\n" in text
    assert "1. one\n2. two\n" in text


def test_variables_come_from_a_file_and_the_command_line_goes_first(keyhole: Shell) -> None:
    keyhole.write("v.json", json.dumps({"goal": "file", "acceptance": ["green"]}))

    keyhole.ok("scaffold", "plan", "p.md", "--vars", "v.json", "--var", "goal=flag")

    text = keyhole.read("p.md").decode()
    assert "## Goal\n\nflag\n" in text
    assert "- [ ] green\n" in text


def test_variables_come_from_a_pipe(keyhole: Shell) -> None:
    keyhole.ok("scaffold", "plan", "p.md", "--vars", "-", feed='{"goal": "piped"}')

    assert b"piped" in keyhole.read("p.md")


def test_values_are_read_as_the_type_that_is_asked_for(keyhole: Shell) -> None:
    fields = '[{"name": "x", "type": "int"}]'
    keyhole.ok("scaffold", "dataclass", "p.py", "--var", "name=P", "--var", f"fields={fields}")
    keyhole.ok(
        "scaffold", "worker", "w.py", "--var", "name=W", "--var", "layer=x",
        "--var", "is_async=yes",
    )  # fmt: skip

    assert keyhole.read("p.py").endswith(b"    x: int\n")
    assert b"    async def run(" in keyhole.read("w.py")
    wrong = ["scaffold", "adr", "a.md", "--var", "context=c", "--var", "decision=d"]
    refusal = keyhole(*wrong, "--var", "number=three", "--json").refusal
    assert refusal["validation"]["mistyped"] == {"number": "text, not number"}


def test_what_is_missing_is_a_refusal_and_nothing_is_made(keyhole: Shell) -> None:
    refusal = keyhole("scaffold", "design", "d.md", "--var", "colour=red", "--json").refusal

    assert refusal["code"] == "template-variables"
    assert refusal["validation"]["missing"] == ["decision", "problem_statement"]
    assert refusal["validation"]["unknown"] == ["colour"]
    assert not (keyhole.root / "d.md").exists()


def test_an_unknown_template_is_a_refusal(keyhole: Shell) -> None:
    for more in ([], ["--var", "a=b"]):
        assert keyhole("scaffold", "nope", "d.md", *more, "--json").refusal["code"] == (
            "template-unknown"
        )


def test_a_dry_run_makes_nothing(keyhole: Shell) -> None:
    keyhole.ok("scaffold", "plan", "p.md", "--var", "goal=x", "--dry-run")

    assert list(keyhole.root.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ["--var", "goal"],
        ["--var", "=x"],
        ["--var", "goal=a", "--var", "goal=b"],
        ["--vars", "gone.json"],
        ["--vars", "-"],
    ],
    ids=" ".join,
)
def test_variables_that_make_no_sense_are_a_matter_of_usage(
    keyhole: Shell, words: list[str]
) -> None:
    assert keyhole("scaffold", "plan", "p.md", *words, feed="[1]").code == 2
