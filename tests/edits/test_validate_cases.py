from collections import Counter

import pytest

from bench import validation
from bench.validation import Case, answer, cases, cases_of

CASES = list(cases())
LANGUAGES = sorted({case.language for case in CASES})

PAGE = """\
# Tiny

```json a.json
{
  "a": 1,
  "b": 2
}
```

Broken elsewhere: ``"b": 2`` -> ``"b": 2,``

## Breaks

- a value changed: ``"a": 1`` -> ``"a": 3``

## Sound

- a comma removed: ``"a": 1,`` -> ``"a": 1``
"""


def test_there_are_enough_cases() -> None:
    count = Counter((case.is_broken_elsewhere, bool(case.code)) for case in CASES)

    assert len(LANGUAGES) >= 30
    assert min(count.values()) >= 200
    assert len(count) == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_breakage_is_caught_and_every_sound_edit_passes(language: str) -> None:
    wrong = [
        (case.label, case.is_broken_elsewhere, given)
        for case in CASES
        if case.language == language and (given := answer(case)) != case.code
    ]

    assert wrong == []


def test_a_case_that_comes_out_otherwise_is_noticed() -> None:
    planted = [case for case in cases_of(PAGE) if not case.is_broken_elsewhere]

    assert [(case.code, answer(case)) for case in planted] == [
        ("syntax-broken", ""),
        ("", "syntax-broken"),
    ]


def test_the_command_fails_on_a_miss_and_names_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planted = [case for case in cases_of(PAGE) if not case.is_broken_elsewhere]
    monkeypatch.setattr(validation, "cases", lambda: iter(planted))

    assert validation.main() == 1

    said = capsys.readouterr()
    assert said.err == (
        "MISSED: Tiny (sound): a value changed: let through instead of syntax-broken\n"
        "MISSED: Tiny (sound): a comma removed: syntax-broken instead of letting it through\n"
    )
    assert said.out.split("\n")[1].split() == ["Tiny", "0/1", "0/1", "0/0", "0/0"]


def test_the_command_passes_when_all_come_out_right(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    right = [Case("Tiny", "none", "a.json", "[1]", "1", "2", "")]
    monkeypatch.setattr(validation, "cases", lambda: iter(right))

    assert validation.main() == 0
    assert capsys.readouterr().err == ""
