"""Files that are worth a look, though agents may write them."""

import pytest

from keyhole.storage.paths.own import protected_part, worth_review


@pytest.mark.parametrize(
    ("path", "worth"),
    [
        (".github/workflows/ci.yml", True),
        ("sub/package.json", True),
        ("Makefile", True),
        ("lib/conftest.py", True),
        ("site/evil.pth", True),
        (".bashrc", True),
        ("src/main.py", False),
        ("makefile.txt", False),
        (".github/CODEOWNERS", False),
    ],
)
def test_files_that_run_code_by_themselves_are_worth_a_look(path: str, *, worth: bool) -> None:
    assert worth_review(path) is worth


@pytest.mark.parametrize("path", ["src/main.py", "git/x", ".gitignore", ".vscode/extensions.json"])
def test_ordinary_files_are_not_protected(path: str) -> None:
    assert protected_part(path) == ""
