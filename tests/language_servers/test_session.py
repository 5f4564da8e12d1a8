"""Servers that answer and servers that misbehave: what becomes of what they say, and of them."""

import os
import subprocess
import sys

import pytest

from keyhole.engine.options import Options
from keyhole.engine.rename.request import Rename
from keyhole.fastclasses import replace
from keyhole.language_servers.question import ServerPlace, SymbolQuestion
from keyhole.phrases import render
from tests.language_servers.stage import FILES, ServerStage, found_by, runs, said, wait_for_end
from tests.scene import put


def test_what_the_server_names_is_renamed_but_no_comment(stage: ServerStage) -> None:
    receipt = stage.rename(stage.opened())

    assert receipt.outcome == "applied"
    assert found_by(receipt) == "pyright"
    assert stage.texts() == {
        "core.py": "def fetch(path):\n    return path  # load\n",
        "user.py": "from core import fetch\n\nprint(fetch('fetch'))\n",
    }


@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.js"])
def test_what_the_server_names_in_jsdoc_is_renamed(stage: ServerStage, path: str) -> None:
    stage.install("typescript-language-server")
    put(stage.root, path, "/** {@link load} */\nfunction load() {} // load\n/* load */\n")

    stage.rename(stage.opened(), path)

    after = "/** {@link fetch} */\nfunction fetch() {} // load\n/* load */\n"
    assert stage.texts()[path] == after


def test_comments_are_renamed_if_asked(stage: ServerStage) -> None:
    stage.rename(stage.opened(), comments=True)

    assert stage.texts()["core.py"] == FILES["core.py"].replace("load", "fetch")


def test_a_server_is_kept_warm_and_told_what_changed(stage: ServerStage) -> None:
    engine = stage.opened()

    hits = engine.refactoring.references("core.py", "load")
    (stage.root / "new.py").write_text("import core\ncore.load(7)\n", encoding="utf-8")
    stage.rename(engine)

    assert [(hit.path, hit.line) for hit in hits.hits] == [
        ("core.py", 1), ("user.py", 1), ("user.py", 3), ("user.py", 3),
    ]  # fmt: skip
    assert stage.texts()["new.py"] == "import core\ncore.fetch(7)\n"
    [pid] = stage.starts()
    assert runs(pid)
    stage.servers.close()
    assert not runs(pid)


MISBEHAVIOUR = {
    "dies": ("no-language-server", "pyright ended without an answer"),
    "sends no JSON": ("no-language-server", "pyright sent what is no message"),
    "counts bytes": (
        "no-language-server",
        "pyright counts columns in utf-8, which nobody asked for",
    ),
    "sends a flood": ("no-language-server", "pyright sent what is no message"),
    "answers a number": ("no-language-server", "pyright sent what is no answer"),
    "answers nothing": ("no-language-server", "pyright does not find the definition"),
    "forgets the definition": ("no-language-server", "pyright does not find the definition"),
    "moves files": ("no-language-server", "pyright wants to make, move or delete files"),
    "writes a snippet": ("no-language-server", "pyright wants to write a snippet"),
    "names what is no file": ("no-language-server", "pyright names a place that is no file"),
    "writes another text": (
        "no-language-server",
        "pyright puts something else than `fetch` for `load`, at core.py:1",
    ),
    "writes two texts": (
        "no-language-server",
        "pyright puts something else than `fetch` for `load`, at core.py:1",
    ),
    "names another place": (
        "no-language-server",
        "pyright puts something else than `fetch` for `load`, at core.py:1",
    ),
    "names a line that is not there": (
        "no-language-server",
        "pyright puts something else than `fetch` for `load`, at core.py:2",
    ),
    "edits outside of the root": ("path-denied", ""),
    "says no": ("bad-request", "pyright does not rename `load`; it says: it is a keyword"),
}


@pytest.mark.parametrize("how", MISBEHAVIOUR)
def test_a_server_that_misbehaves_is_refused_and_nothing_is_changed(
    stage: ServerStage, how: str
) -> None:
    stage.behave(how)
    outside = stage.base / "outside.py"

    code, headline = said(stage.rename(stage.opened()))

    outwards = f"pyright would change {outside}, which lies outside of the workspace"
    expected, words = MISBEHAVIOUR[how]
    assert (code, headline) == (expected, words or outwards)
    assert stage.texts() == FILES
    assert outside.read_text(encoding="utf-8") == "def load(): pass\n"
    stage.servers.close()
    assert not any(map(runs, stage.starts()))


@pytest.mark.parametrize(
    "how",
    [
        "hangs",
        "hangs at once",
        "hangs, deaf, with a child",
        "hangs, deaf, with a child that left",
        "hangs, deaf, with a child without a mark",
    ],
)
def test_a_server_that_hangs_is_killed_with_what_it_started(stage: ServerStage, how: str) -> None:
    stage.behave(how)

    code, headline = said(stage.rename(stage.opened(seconds=0.5)))

    assert (code, headline) == (
        "no-language-server",
        "pyright took longer than 0.5 s and was stopped",
    )
    assert stage.texts() == FILES
    child = stage.base / "bin" / "child"
    pids = stage.starts() + ([int(child.read_text("utf-8"))] if child.exists() else [])
    for pid in pids:
        wait_for_end(pid)


def test_a_server_that_died_is_started_again(stage: ServerStage) -> None:
    engine = stage.opened()
    stage.behave("dies")
    stage.rename(engine)
    stage.behave("")

    assert stage.rename(engine).outcome == "applied"
    assert len(stage.starts()) == 2


def test_an_answer_by_documents_is_as_good(stage: ServerStage) -> None:
    stage.behave("answers by documents")

    assert stage.rename(stage.opened()).outcome == "applied"


@pytest.mark.parametrize(
    ("program", "path"), [("clangd-14", "a.c"), ("rust-analyzer", "a.rs"), ("gopls", "a.go")]
)
def test_a_server_is_asked_when_it_is_ready(stage: ServerStage, program: str, path: str) -> None:
    place = stage.install(program)
    put(stage.root, path, "fn load() {}\n" if path == "a.rs" else "int load() { return 1; }\n")
    language = path.partition(".")[2].replace("rs", "rust")
    if path == "a.go":
        put(stage.root, path, "package a\n\nfunc load() {}\n")
    engine = stage.opened(named={language: str(place)})

    assert stage.rename(engine, path).outcome == "applied"
    assert "fetch()" in stage.texts()[path]


def test_a_server_that_dies_before_it_is_ready_is_not_waited_for(stage: ServerStage) -> None:
    put(stage.root, "a.c", "int load() { return 1; }\n")
    program = str(stage.install("clangd"))
    stage.behave("dies when a file is opened")

    receipt = stage.rename(stage.opened(named={"c": program}), "a.c")

    assert said(receipt) == ("no-language-server", "clangd ended without an answer")


def test_a_server_that_cannot_be_started_says_why(stage: ServerStage) -> None:
    program = put(stage.base, "bin/pyright-langserver", "#!/nowhere/python\n")

    receipt = stage.rename(stage.opened(named={"python": str(program)}))

    assert said(receipt) == (
        "no-language-server",
        "pyright cannot be started: No such file or directory",
    )


def test_a_file_that_went_since_it_was_listed_is_left_out(stage: ServerStage) -> None:
    stage.opened()
    texts = {"core.py": ("python", FILES["core.py"])}

    answer = stage.servers.ask(
        SymbolQuestion("python", "core.py", 0, 4, "fetch", texts, ("core.py", "gone.py"))
    )

    places = [("core.py", (0, 4), (0, 8), "fetch"), ("core.py", (1, 19), (1, 23), "fetch")]
    assert answer == {"places": [ServerPlace(*each) for each in places]}


def test_what_is_asked_after_all_is_closed_is_refused(stage: ServerStage) -> None:
    stage.opened()
    question = SymbolQuestion("python", "core.py", 0, 4, "", {}, ("gone.py",))
    stage.servers.close()

    assert stage.servers.ask(question) == {"failed": "was stopped"}
    assert stage.servers.ask(replace(question, language="go")) == {
        "failed": "is not there any more"
    }
    assert stage.starts() == []


def test_a_file_that_is_ignored_is_left_and_counted(stage: ServerStage) -> None:
    put(stage.root, ".gitignore", "built\n")
    put(stage.root, "built/other.py", "def load(): pass\n")
    stage.behave("names a file that nobody opened")

    receipt = stage.rename(stage.opened())

    assert receipt.sweep is not None
    assert receipt.sweep.left_out == {"ignored by .gitignore": 1}
    assert stage.texts()["built/other.py"] == "def load(): pass\n"


def test_a_file_with_the_name_that_cannot_be_read_is_counted(stage: ServerStage) -> None:
    put(stage.root, "two\nlines.py", "from core import load\n")

    receipt = stage.rename(stage.opened())

    assert receipt.sweep is not None
    assert receipt.sweep.left_out == {"unreadable": 1}


def test_a_server_that_writes_the_files_itself_is_refused(stage: ServerStage) -> None:
    stage.behave("writes the files itself")

    refusals = stage.rename(stage.opened()).refusals

    assert [(each.code, render(each.headline)) for each in refusals] == [
        ("stale", f"{path} changed while its places were looked for") for path in FILES
    ]
    assert not any("fetch" in text for text in stage.texts().values())


def test_a_place_of_a_file_that_the_server_saw_otherwise_is_stale(stage: ServerStage) -> None:
    put(stage.root, ".gitignore", "built\n")
    put(stage.root, "built/other.py", "# def load(): pass\n")
    stage.behave("names a file that nobody opened")

    assert said(stage.rename(stage.opened())) == (
        "stale",
        "line 1 of built/other.py is another one than pyright has seen",
    )


def test_a_server_that_nobody_asks_is_let_go(stage: ServerStage) -> None:
    engine = stage.opened(idle=0.01)

    stage.rename(engine)
    for pid in stage.starts():
        wait_for_end(pid)


def test_places_that_are_another_s_are_told(stage: ServerStage) -> None:
    put(stage.root, "more.py", "from core import load\n" + "load = 1\n" * 30)
    put(stage.root, "raw.py", b"load\0")
    put(stage.root, "user.py", f"{FILES['user.py']}loader = 1\n")
    stage.behave("forgets the last file")

    receipt = stage.rename(stage.opened())

    [warning] = receipt.warnings
    assert warning == (
        "left as they are, for pyright does not take them for the symbol: user.py:1, user.py:3"
    )


def test_a_name_that_the_code_has_for_itself_is_left_whatever_the_server_says(
    stage: ServerStage,
) -> None:
    text = "from core import load\n\ndef other(load):\n    return load\n"
    put(stage.root, "more.py", text)

    receipt = stage.rename(stage.opened())

    own = "the code has a name of its own there, whatever pyright says: more.py:3, more.py:4"
    assert stage.texts()["more.py"] == text.replace("import load", "import fetch")
    assert receipt.warnings == (f"left as they are, for {own}",)


def test_names_in_a_function_are_taken_as_the_server_says(stage: ServerStage) -> None:
    put(stage.root, "more.py", "def outer():\n    def load(): pass\n    load()\n")

    wanted = Rename("more.py", "outer.load", "fetch")
    receipt = stage.opened().refactoring.rename(wanted, Options(actor="me"))

    assert receipt.ok
    assert stage.texts()["more.py"] == "def outer():\n    def fetch(): pass\n    fetch()\n"


def test_a_name_that_something_else_has_is_refused_in_every_language(stage: ServerStage) -> None:
    program = str(stage.install("gopls"))
    put(stage.root, "a.go", "package a\n\nfunc load() {}\n\nfunc fetch() {}\n")

    receipt = stage.rename(stage.opened(named={"go": program}), "a.go")

    assert said(receipt) == (
        "bad-request",
        "`to` is `fetch`, and line 5 of a.go uses that name already",
    )


def test_a_server_ends_when_the_command_that_asks_it_is_killed(stage: ServerStage) -> None:
    stage.behave("hangs, deaf, with a child")
    stage.opened().close()
    environment = {
        "PATH": str(stage.base / "bin"),
        "HOME": str(stage.base),
        "XDG_STATE_HOME": str(stage.base / "state"),
    }
    words = [sys.executable, "-m", "keyhole", "rename", "core.py", "load", "fetch"]
    child = stage.base / "bin" / "child"
    with subprocess.Popen(words, cwd=stage.root, env=environment) as command:
        while not (child.exists() and child.read_text("utf-8")):
            os.sched_yield()
        command.kill()

    for pid in (*stage.starts(), int(child.read_text("utf-8"))):
        wait_for_end(pid)
    assert stage.texts() == FILES


def test_what_has_to_be_called_so_is_asked_too(stage: ServerStage) -> None:
    texts = {
        "above.py": "class Above:\n    def load(self): pass\n",
        "below.py": "from above import Above\n\nclass Below(Above):\n    def load(self): pass\n",
        "below.pyi": "class Below:\n    def load(self) -> None: ...\n",
    }
    for path, text in texts.items():
        put(stage.root, path, text)
    stage.behave("knows one file")
    wanted = Rename("below.py", "Below.load", "fetch")
    receipt = stage.opened().refactoring.rename(wanted, Options(actor="me"))

    assert receipt.ok
    after = stage.texts()
    assert {path: after[path].replace("fetch", "load") for path in texts} == texts
    assert [path for path in texts if "load" in after[path]] == []
    [warning] = receipt.warnings
    assert warning.endswith("does not take them for the symbol: core.py:1, user.py:1, user.py:3")


def test_a_server_renames_where_a_library_would_look_too_long(
    stage: ServerStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(stage.root, "above.py", "class Above:\n    def load(self): pass\n")
    monkeypatch.setattr("keyhole.engine.rename.python._MOST_ASKED", 0)
    wanted = Rename("above.py", "Above.load", "fetch")
    receipt = stage.opened().refactoring.rename(wanted, Options(actor="me"))

    assert receipt.ok
    assert receipt.warnings[0].startswith("too many files have the name")


def test_a_name_that_an_import_falls_back_to_is_asked_too(stage: ServerStage) -> None:
    text = "def load(): pass\ntry:\n    from user import load\nexcept ImportError:\n    load = 1\n"
    put(stage.root, "core.py", text)
    stage.behave("forgets the last file")

    receipt = stage.rename(stage.opened())

    assert receipt.ok
    assert stage.texts()["core.py"] == text.replace("load", "fetch")


def test_a_name_that_code_uses_is_refused_in_every_language(stage: ServerStage) -> None:
    program = str(stage.install("gopls"))
    text = "package a\n\nfunc load() {}\n\n// fetch\nfunc f() { x.fetch(); prefetch := 1 }\n"
    put(stage.root, "a.go", text)
    put(stage.root, "b.go", "package a\n\nfunc g() { fetch := load; fetch() }\n")

    receipt = stage.rename(stage.opened(named={"go": program}), "a.go")

    assert said(receipt) == (
        "bad-request",
        "`to` is `fetch`, and line 3 of b.go uses that name already",
    )


def test_functions_of_one_name_are_one_symbol_only_in_a_class(stage: ServerStage) -> None:
    program = str(stage.install("typescript-language-server"))
    pair = "get load() { return 1; }\n  set load(v) {}"
    put(stage.root, "a.ts", f"class A {{\n  {pair}\n}}\nfunction f(): void;\nfunction f(a) {{}}\n")
    engine = stage.opened(named={"typescript": program})

    options = Options(actor="me")
    member = engine.refactoring.rename(Rename("a.ts", "A.load", "fetch"), options)
    function = engine.refactoring.rename(Rename("a.ts", "f", "g"), options)

    assert member.ok, member.as_text()
    assert said(function)[0] == "ambiguous"


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        ("class Reader {\n  bool load();\n};\n", "bool Reader::load() {}\n", "no-language-server"),
        ("class Reader {\n  bool load();\n};\n", "bool Writer::load() {}\n", ""),
        (
            "class Reader {\n  bool load();\n  bool load(int);\n};\n",
            "bool Reader::load() {}\n",
            "",
        ),
        (
            "class Reader {\n  bool load();\n};\n",
            "class Reader {\n  bool load();\n};\nbool Reader::load() {}\n",
            "",
        ),
    ],
)
def test_a_member_of_c_is_renamed_where_it_is_declared_and_defined_or_nowhere(
    stage: ServerStage, first: str, second: str, code: str
) -> None:
    put(stage.root, "a.h", first)
    put(stage.root, "b.cc", second)
    stage.behave("forgets the last file")
    engine = stage.opened(named={"cpp": str(stage.install("clangd"))})
    address = "Reader.load" if first.count("load") == 1 else "Reader.load#1"

    receipt = engine.refactoring.rename(Rename("a.h", address, "fetch"), Options(actor="me"))

    assert "".join(each.code for each in receipt.refusals) == code
    if code:
        assert said(receipt)[1] == "clangd takes `load` of a.h and that of b.cc, line 1, for two"
