import math
import sys
import time

import pytest

from keyhole.linters import check
from keyhole.linters.base import Linter
from tests.linters.stage import FINDS_BAD, Stage, planted, seen


def test_only_what_is_new_is_told(stage: Stage) -> None:
    stage.put("a.py", "bad\nfine\n")

    report = stage.lint(stage.plan(a_py="one more\nbad\nfine\nbad too\n"), planted(FINDS_BAD))

    assert seen(report) == [("a.py", 4, "bad")]
    assert report.broken == report.findings
    assert report.warnings == ()


def test_the_text_before_is_looked_at_only_if_the_new_one_has_findings(stage: Stage) -> None:
    stage.put("a.py", "bad\n")
    log = stage.home / "log"
    code = f"open({str(log)!r}, 'a').write('x')\n{FINDS_BAD}"

    stage.lint(stage.plan(a_py="good\n"), planted(code))
    assert log.read_text(encoding="utf-8") == "x"
    stage.lint(stage.plan(a_py="bad\nand more\n"), planted(code))
    assert log.read_text(encoding="utf-8") == "xxx"


def test_in_a_new_file_everything_is_new(stage: Stage) -> None:
    report = stage.lint(stage.plan(deep__new_py="fine\nbad\n"), planted(FINDS_BAD))

    assert seen(report) == [("deep/new.py", 2, "bad")]


def test_files_of_one_call_are_seen_together(stage: Stage) -> None:
    stage.put("a.py", "import b; b.old()\n")
    stage.put("b.py", "def old(): ...\n")
    code = """
import pathlib, sys
here = pathlib.Path(sys.argv[1])
name = here.read_text().split("b.")[1].split("(")[0]
if f"def {name}" not in here.with_name("b.py").read_text():
    print(f"{here}:1: error: b has no {name} [attr]")
"""
    linter = planted(code)
    both = stage.plan(a_py="import b; b.new()\n", b_py="b.new()\ndef new(): ...\n")
    one = stage.plan(a_py="import b; b.new()\n")

    assert seen(stage.lint(both, linter)) == []
    assert seen(stage.lint(one, linter)) == [("a.py", 1, "attr")]


def test_files_of_one_call_are_seen_together_by_one_that_reads_stdin_too(stage: Stage) -> None:
    stage.put("a.py", "old\n")
    stage.put("b.py", "old\n")
    code = """
import pathlib, sys
me = sys.stdin.read()
other = pathlib.Path(sys.argv[1]).with_name("b.py").read_text()
print(f"-:1: error: {me.strip()} beside {other.strip()}")
"""
    report = stage.lint(stage.plan(a_py="new\n", b_py="newer\n"), planted(code, input="stdin"))

    assert [found[0].message for found in report.findings.values()] == [
        "new beside newer",
        "newer beside newer",
    ]


def test_a_linter_that_writes_to_its_input_writes_to_a_copy(stage: Stage) -> None:
    file = stage.put("a.py", "mine\n")
    code = "import sys; open(sys.argv[1], 'w').write('formatted')"

    report = stage.lint(stage.plan(a_py="yours\n"), planted(code))

    assert report.warnings == ()
    assert file.read_text(encoding="utf-8") == "mine\n"


def test_a_linter_that_opens_the_named_file_itself_finds_it_as_it_was(stage: Stage) -> None:
    file = stage.put("a.py", "mine\n")
    code = "import sys; print(f'{sys.argv[1]}:1: error: ' + open(sys.argv[1]).read())"

    report = stage.lint(stage.plan(a_py="yours\n"), planted(code, input="stdin"))

    assert seen(report) == []
    assert file.read_text(encoding="utf-8") == "mine\n"


def test_a_linter_that_is_missing_is_a_warning(stage: Stage) -> None:
    stage.put("a.py", "")

    report = stage.lint(stage.plan(a_py="x\n"), Linter("mine", ("no-such-tool",), ("python",)))

    assert report.warnings == ("mine was not run: there is no program `no-such-tool`",)
    assert report.broken == {}


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os; os.abort()", "crashed with signal 6"),
        ("import sys; sys.exit(2)", "failed with exit code 2"),
        ("import sys; sys.exit('no\\n  config')", "failed with exit code 1: no config"),
        ("raise ZeroDivisionError('x')", "failed with exit code 1: ZeroDivisionError: x"),
        ("print('x' * (50 << 20))", "printed more than 8 MiB and was stopped"),
    ],
    ids=["signal", "silent", "message", "traceback", "flood"],
)
def test_a_linter_that_fails_is_a_warning_that_names_it(stage: Stage, code: str, said: str) -> None:
    stage.put("a.py", "")

    report = stage.lint(stage.plan(a_py="x\n"), planted(code))

    assert report.warnings == (f"planted {said}",)
    assert report.findings == {}


def test_an_output_that_is_not_the_known_one_is_a_warning(stage: Stage) -> None:
    stage.put("a.py", "")

    report = stage.lint(stage.plan(a_py="x\n"), planted("print('hello')", format="json:ruff"))

    said = "planted printed something that is not the output it is known for"
    assert report.warnings == (said,)


def test_a_linter_that_never_ends_is_stopped(stage: Stage) -> None:
    stage.put("a.py", "")
    began = time.monotonic()

    report = stage.lint(
        stage.plan(a_py="x\n"), planted("import time; time.sleep(600)", timeout=0.5)
    )

    assert report.warnings == ("planted took longer than 0.5 s and was stopped",)
    assert time.monotonic() - began < 300


def test_many_files_do_not_take_a_slow_linter_for_ever(stage: Stage) -> None:
    plan = stage.plan(**{f"f{number}_py": "x\n" for number in range(50)})

    (warning,) = stage.lint(plan, planted("import time; time.sleep(0.5)", timeout=1)).warnings

    # A timeout for ten files each; on a busy machine a single one may take longer than that.
    wanted = ("5 s for all files", "1 s and was stopped")
    assert warning in {f"planted took longer than {each}" for each in wanted}


def test_time_that_is_up_starts_nothing_more(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_PATIENCE", 0)
    monkeypatch.setattr(check, "_FILES_A_TIMEOUT", math.inf)

    report = stage.lint(stage.plan(a_py="bad\n"), planted(FINDS_BAD))

    assert report.warnings == ("planted took longer than 0 s for all files",)


def test_findings_are_left_out_where_old_and_new_cannot_be_told_apart(stage: Stage) -> None:
    stage.put("a.py", "crash\n")
    code = f"import sys\nif 'crash' in open(sys.argv[1]).read(): sys.exit('no')\n{FINDS_BAD}"

    report = stage.lint(stage.plan(a_py="bad\n"), planted(code))

    assert report.findings == {}
    said = "planted failed with exit code 1: no, on the text before; what it found is left out"
    assert report.warnings == (said,)


def test_the_user_says_which_codes_are_errors(stage: Stage) -> None:
    code = "import sys\nfor c in ('F1', 'E2'): print(f'{sys.argv[1]}:1: warning: no [{c}]')"
    plan = stage.plan(a_py="x\n")

    def severities(*errors: str) -> list[str]:
        report = stage.lint(plan, planted(code, errors=errors))
        return [finding.severity for finding in report.findings["a.py"]]

    assert severities() == ["warning", "warning"]
    assert severities("F") == ["error", "warning"]
    assert severities("*") == ["error", "error"]


def test_a_finding_without_a_code_has_the_linters_name(stage: Stage) -> None:
    report = stage.lint(
        stage.plan(a_py="x\n"), planted("import sys; print(f'{sys.argv[1]}:1: no')")
    )

    assert seen(report) == [("a.py", 1, "planted")]


def test_what_is_said_twice_is_told_once(stage: Stage) -> None:
    code = "import sys\nfor _ in range(2): print(f'{sys.argv[1]}:1: no')"

    assert len(seen(stage.lint(stage.plan(a_py="x\n"), planted(code)))) == 1


def test_what_is_said_about_other_files_is_not_told(stage: Stage) -> None:
    stage.put("b.py", "x")

    report = stage.lint(stage.plan(a_py="x\n"), planted("print('b.py:1: error: no')"))

    assert report.findings == {}


def test_a_linter_finds_the_directory_it_may_keep_things_in(stage: Stage) -> None:
    code = "import os, sys; open(os.path.join(sys.argv[1], 'kept'), 'a').write('x')"
    for linter in (
        planted(code, "{cache}", "{path}"),
        planted(code, "{cache}", "{path}", input="stdin"),
    ):
        for text in ("x\n", "y\n"):
            report = stage.lint(stage.plan(a_py=text), linter)
            assert report.warnings == ()

    kept = [path.read_text(encoding="utf-8") for path in stage.home.rglob("kept")]
    assert kept == ["xx", "xx"]


def test_a_state_directory_that_cannot_be_made_is_a_warning(stage: Stage) -> None:
    (stage.home / "state").write_text("a file", encoding="utf-8")

    (warning,) = stage.lint(stage.plan(a_py="x\n"), planted("")).warnings

    assert warning.startswith("planted was not run: ")
    assert sys.executable not in warning
