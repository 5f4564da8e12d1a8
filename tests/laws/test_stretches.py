"""What a quote leaves out, with `...` or with `until`, stays inside the block that it begins."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import FilePlan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.text.document import Document


class Kind(NamedTuple):
    """A file type: how a block begins, what it may hold, how its last words and its end read."""

    path: str
    head: str
    middle: tuple[str, ...]
    tail: str
    close: str = ""
    between: str = "\n\n"
    before: str = ""
    behind: str = ""


def _deeper(*lines: str) -> tuple[str, ...]:
    return tuple(f"    {line}\n" if line else "\n" for line in lines)


_BRACED = ("    if (ready) {\n        wait();\n    }\n", *_deeper("", "count += 1;"))
_DONE = "    return finished_with_number({n});\n"
KINDS = [
    Kind(
        "a.py",
        "def load_number_{n}(path):\n",
        ("    for each in path:\n        wait()\n", *_deeper("", "count = 1"), "# aside\n"),
        "    return finished_with_number({n})\n",
    ),
    Kind(
        "b.py",
        "    @cached_for_number_{n}\n",
        ("    def load(self):\n", '        text = """\nwords\n"""\n', "        wait()\n"),
        "        return finished_with_number({n})\n",
        before="class Loader:\n",
        between="\n",
    ),
    Kind(
        "c.py",
        "    if the_number_{n} in path:\n        wait()\n",
        ("    elif it:\n        go()\n", "    elif more:\n\n        # aside\n        go()\n"),
        "    else:\n        return finished_with_number({n})\n",
        before="def load(path):\n",
        between="",
    ),
    Kind(
        "d.py",
        "try:\n    load_the_number({n})\n",
        ("except ValueError:\n    wait()\n", "except (\n    OSError,\n) as error:\n    wait()\n"),
        "finally:\n    finish_with_number({n})\n",
        between="count = 1\n",
    ),
    Kind("e.py", "for each in number_{n}:\n", _deeper("wait()"), "else:\n    finish_number({n})\n"),
    Kind(
        "b.js",
        "  if (isTheNumber({n})) {{\n    wait();\n",
        (
            "  } else if (it) {\n    go();\n",
            "  } else if (it) {\n    if (a) {\n    } else {\n    }\n",
        ),
        "  }} else {{\n    return finishedWithNumber({n});\n",
        "  }\n",
        between="  step();\n",
        before="function load(path) {\n",
        behind="}\n",
    ),
    Kind(
        "B.java",
        "    try {{ // of the number {n}\n",
        ("      wait();\n",),
        "    }}\n    catch (Error error) {{\n      close(error);\n    }}\n"
        "    finally {{\n      finishWithNumber({n});\n",
        "    }\n",
        between="",
        before="class B {\n  void load() {\n",
        behind="  }\n}\n",
    ),
    Kind("a.js", "export function loadNumber{n}(path) {{\n", _BRACED, _DONE, "}\n"),
    Kind("a.ts", "  it('loads number {n} of all', () => {{\n", _BRACED, _DONE, "  });\n"),
    Kind("a.c", "int load_number_{n}(int path)\n", ("{\n", *_BRACED, "out:\n"), _DONE, "}\n"),
    Kind("a.go", "func loadNumber{n}(path string) int {{\n", _BRACED, _DONE, "}\n", "\n// on\n"),
    Kind("a.pl", "sub load_the_number_{n} {{\n", _deeper("my $count = 1;", ""), _DONE, "}\n"),
    Kind(
        "a.yaml",
        "  job_with_the_number_{n}:\n",
        ("    needs: build\n", "    steps:\n    - run: make\n      if: ready\n", "\n", "# no\n"),
        "    timeout: number {n} of all of them\n",
        before="jobs:\n",
        between="",
    ),
    Kind(
        "a.yml", "- name: step number {n} of all\n", ("  if: a\n",), "  run: make number {n} now\n"
    ),
    Kind(
        "a.toml",
        "[tool.with-the-number.n{n}]\n",
        ("a = 1\n", "\n", "# b\n"),
        "last = 'of number {n} as it is'\n",
        between="",
    ),
    Kind("a.ini", "[section with number {n}]\n", ("a = 1\n",), "last = of number {n} as it is\n"),
    Kind(
        "a.md",
        "## Loading number {n} of all\n",
        ("\n", "Some words.\n", "### More\n", "- item\n  and on\n", "```\n# no heading\n```\n"),
        "These are the last words of {n}.\n",
        before="# Title\n\n",
        between="\n",
    ),
    Kind(
        "a.txt",
        "Chapter number {n} begins here\n",
        ("and goes on\n", "with words\n"),
        "These are the last words of {n}.\n",
    ),
]


class Scene(NamedTuple):
    """A file of several blocks, and a quote from the head of one to the last words of another."""

    kind: Kind
    text: str
    first: int
    last: int

    @property
    def head(self) -> str:
        return self.kind.head.format(n=self.first)

    @property
    def tail(self) -> str:
        return self.kind.tail.format(n=self.last)

    @property
    def is_inside(self) -> bool:
        return self.first == self.last


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    kind = draw(st.sampled_from(KINDS))
    count = draw(st.integers(1, 4))
    blocks = []
    for n in range(count):
        middle = draw(st.lists(st.sampled_from(kind.middle), max_size=4))
        if kind.path in {"a.c", "b.py"}:
            middle = [kind.middle[0], *(each for each in middle if each != kind.middle[0])]
        middle = middle or [kind.middle[0]]
        blocks.append(kind.head.format(n=n) + "".join(middle) + kind.tail.format(n=n) + kind.close)
    text = kind.before + kind.between.join(blocks) + kind.behind
    first = draw(st.integers(0, count - 1))
    return Scene(kind, text, first, draw(st.integers(first, count - 1)))


def carried_out(scene: Scene, **edit: object) -> FilePlan | Unresolved:
    path = scene.kind.path
    snapshot = Snapshot({path: Document(scene.text)})
    try:
        (file,) = resolve([Edit.of({"path": path, **edit})], snapshot).files
    except Unresolved as refused:
        return refused
    return file


@given(scenes())
def test_dots_stand_for_lines_of_one_block(scene: Scene) -> None:
    new = scene.head.replace("number", "other"), scene.tail.replace("number", "other")
    find, content = f"{scene.head}...\n{scene.tail}", f"{new[0]}...\n{new[1]}"
    done = carried_out(scene, find=find, content=content)

    if not scene.is_inside:
        assert isinstance(done, Unresolved)
        assert [each.code for each in done.refusals] == ["not-found"]
        return
    assert isinstance(done, FilePlan), done
    assert done.after is not None
    wanted = scene.text.replace(scene.head, new[0]).replace(scene.tail, new[1])
    assert (done.after.text, done.edits[0].matched) == (wanted, "elision")


@given(scenes())
def test_until_ends_in_the_block_that_find_begins(scene: Scene) -> None:
    done = carried_out(scene, find=scene.head, until=scene.tail, content="gone\n", indent="keep")

    if not scene.is_inside:
        assert isinstance(done, Unresolved)
        assert [each.code for each in done.refusals] == ["not-found"]
        return
    assert isinstance(done, FilePlan), done
    assert done.after is not None
    start, end = scene.text.index(scene.head), scene.text.index(scene.tail) + len(scene.tail)
    assert done.after.text == f"{scene.text[:start]}gone\n{scene.text[end:]}"
