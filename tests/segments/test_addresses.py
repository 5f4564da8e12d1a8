import pytest

from keyhole.refusals import Refusal, Refused
from keyhole.segments.addresses import look_up, require_kind
from tests.segments.reading import document, found, read, refusal, segment

WORKERS = """\
class Worker:
    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        pass

    def run(self):
        def inner():
            pass

    def process(self):
        pass


class Other:
    def process(self):
        pass


def run():
    pass


LIMIT = 3
"""

GUIDE = """\
# Doc

## Install

~~~python
1
~~~

## Guide

### Install ##

~~~python
2
~~~

~~~
3
~~~

## Use *it* `now`
"""


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("run", "run"),
        ("Worker.run", "Worker.run"),
        ("  run  ", "run"),
        ("def run", "run"),
        ("async def run", "run"),
        ("run()", "run"),
        ("def run(self, a=(1, 2)) -> int:", "run"),
        ("def Worker.run()", "Worker.run"),
        ("class Worker", "Worker"),
        ("class Worker(Base):", "Worker"),
        ("Worker::run", "Worker.run"),
        ("Worker/run", "Worker.run"),
        ("Worker#run", "Worker.run"),
        ("inner", "Worker.run.inner"),
        ("run.inner", "Worker.run.inner"),
        ("Worker.process", "Worker.process"),
        ("size#2", "Worker.size#2"),
        ("Worker.size#1", "Worker.size#1"),
        ("Worker.size@7", "Worker.size#2"),
        ("size@2", "Worker.size#1"),
        ("process@19", "Other.process"),
        ("`Worker.run`", "Worker.run"),
        ("'run'", "run"),
        ("Worker > run", "Worker.run"),
    ],
)
def test_an_address_may_be_spelt_in_many_ways(spelling: str, address: str) -> None:
    assert found("a.py", WORKERS, spelling) == address


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("## Install", "Doc::Install"),
        ("### Install", "Doc::Guide::Install"),
        ("Doc::Install", "Doc::Install"),
        ("Guide::Install", "Doc::Guide::Install"),
        ("Guide > Install", "Doc::Guide::Install"),
        ("## Guide > ### Install", "Doc::Guide::Install"),
        ("# Doc > ## Guide > ### Install", "Doc::Guide::Install"),
        ("## Guide ##", "Doc::Guide"),
        ("guide", "Doc::Guide"),
        ("Use it now", "Doc::Use *it* `now`"),
        ("Install@12", "Doc::Guide::Install"),
        ("Install#2", "Doc::Guide::Install"),
        ("code:python#2", "code:python#2"),
        ("code#3", "code#3"),
        ("code#1", "code:python#1"),
        ("Guide/code#1", "code:python#2"),
        ("Guide/code:python", "code:python#2"),
        ("## Install/code", "code:python#1"),
        ("guide/code#2", "code#3"),
        ('"Guide"', "Doc::Guide"),
    ],
)
def test_a_section_may_be_spelt_in_many_ways(spelling: str, address: str) -> None:
    assert found("a.md", GUIDE, spelling) == address


@pytest.mark.parametrize(
    ("spelling", "fits"),
    [
        ("process", ("Worker.process", "Other.process")),
        ("Worker.size", ("Worker.size#1", "Worker.size#2")),
    ],
)
def test_two_that_fit_are_never_chosen_between(spelling: str, fits: tuple[str, ...]) -> None:
    said = refusal("a.py", WORKERS, spelling)

    assert (said.code, said.suggestions) == ("ambiguous", fits)


@pytest.mark.parametrize(
    "spelling",
    [
        *("limit", "WORKER.RUN", "worker.run", "_run", "run_", "Worker._run", "runs", "LIMITS"),
        *("Worker.", "Worker::", "Worker/", "Worker.run.", "Worker->"),
        *("Worker.limit", "Worker.PROCESS", "Other.run", "Worker.size#3", "run#2", "run@2"),
    ],
)
def test_a_name_that_is_not_there_finds_nothing(spelling: str) -> None:
    assert refusal("a.py", WORKERS, spelling).code == "unknown-segment"


@pytest.mark.parametrize(
    ("path", "text", "spelling"),
    [
        ("a.json", '{"schema": 1}\n', "$schema"),
        ("a.yml", "build:\n  script: x\n", ".build"),
        ("a.yml", "build:\n  script: x\n", ".build.script"),
        ("a.yml", "build: 1\n", "build (prod)"),
        ("a.yml", "name: 1\n", "type name"),
        ("a.yml", "a b: 1\n", "a  b"),
        ("a.toml", "[a]\nAPI_KEY = 1\n", "a.apikey"),
        ("a.css", "button { color: red }\n", ".button"),
        ("a.css", "a.hover { color: red }\n", "a:hover"),
        ("a.css", "a.before { color: red }\n", "a::before"),
        ("a.js", "function el() {}\n", "$el"),
        ("a.md", "## get_data\n", "getdata"),
        ("a.md", "## enter\n", "__enter__"),
        ("a.md", "## Masse\n", "Maße"),
        ("a.md", "```Python\nx\n```\n", "code:python"),
    ],
)
def test_a_sign_is_part_of_a_name(path: str, text: str, spelling: str) -> None:
    assert refusal(path, text, spelling).code == "unknown-segment"


@pytest.mark.parametrize(
    ("path", "text", "spelling", "address"),
    [
        ("a.json", '{"a": {"b": [{"c": 1}]}}\n', "$.a['b'][0].c", "a.b.0.c"),
        ("a.json", '{"a": {"b": [1]}}\n', "$['a'].b", "a.b"),
        ("a.json", '{"a": {"b": [1]}}\n', '"a"."b"', "a.b"),
        ("a.yml", "name: 1\n", "name:", "name"),
        ("a.toml", "[a.b]\nc = 1\n", "[a.b]", "a.b"),
        ("a.tf", 'resource "x" "y" {\n}\n', 'resource "x" "y" {', "resource.x.y"),
        ("a.css", ".a  .b {\n}\n", ".a .b {", ".a .b"),
        ("a.sh", "LIMIT=1\n", "$LIMIT", "LIMIT"),
    ],
)
def test_settings_have_spellings_of_their_own(
    path: str, text: str, spelling: str, address: str
) -> None:
    assert found(path, text, spelling) == address


@pytest.mark.parametrize(
    ("spelling", "rung"),
    [
        ("## Guide", "exact"),
        ("guide", "heading"),
        ("DOC::GUIDE", "heading"),
        ("Use it now", "heading"),
        ("Guide/code#1", "exact"),
        ("guide/code#1", "heading"),
    ],
)
def test_a_heading_in_another_case_is_told(spelling: str, rung: str) -> None:
    outline = read("a.md", GUIDE)

    assert look_up(outline, spelling, document(GUIDE)).rung == rung


@pytest.mark.parametrize("spelling", ["guide", "Use it now", "guide/code#1"])
def test_a_heading_to_the_character_is_in_no_other_case(spelling: str) -> None:
    with pytest.raises(Refused) as refused:
        look_up(read("a.md", GUIDE), spelling, document(GUIDE), "exact")

    assert refused.value.refusals[0].code == "unknown-segment"


def test_an_exact_address_wins_over_a_longer_one_that_ends_in_it() -> None:
    assert segment("a.py", WORKERS, "run").kind == "function"


def test_a_level_that_is_written_is_kept() -> None:
    text = "# Setup\n\ntext\n\n## Other\n"

    assert found("a.md", text, "# Setup") == "Setup"
    assert refusal("a.md", text, "## Setup").code == "unknown-segment"
    assert refusal("a.md", text, "# Setup > ### Other").code == "unknown-segment"


def test_a_heading_whose_text_looks_like_a_path_collides_with_none() -> None:
    text = "# A\n\n## B\n\n# A::B\n"

    assert refusal("a.md", text, "A::B").suggestions == ("A::B#1", "A::B#2")
    assert segment("a.md", text, "A::B#2").path == ("A::B",)
    assert segment("a.md", text, "## B").path == ("A", "B")


def test_a_heading_that_ends_in_a_number_is_not_a_choice() -> None:
    text = "# Issue\n\n# Issue #2\n"

    assert segment("a.md", text, "Issue #2").name == "Issue #2"


def test_a_nested_name_may_choose_its_owner_by_number_or_line() -> None:
    twin = "    class A:\n        def m(self): pass\n"
    text = f"if x:\n{twin}else:\n{twin}"

    assert found("a.py", text, "A#2.m") == "A.m#2"
    assert found("a.py", text, "A@2.m") == "A.m#1"
    assert refusal("a.py", text, "A#3.m").code == "unknown-segment"


def test_blocks_of_a_section_that_is_not_unique_are_refused() -> None:
    said = refusal("a.md", GUIDE, "Install/code")

    assert said.code == "ambiguous"
    assert said.suggestions == ("Doc::Install", "Doc::Guide::Install")


def test_blocks_of_no_section_are_unknown() -> None:
    assert refusal("a.md", GUIDE, "Nowhere/code#1").code == "unknown-segment"
    assert refusal("a.md", GUIDE, "Guide/code#9").code == "unknown-segment"
    assert refusal("a.md", GUIDE, "Guide/table").code == "unknown-segment"


def test_a_keyword_says_what_kind_is_meant() -> None:
    assert refusal("a.py", WORKERS, "class run").code == "unknown-segment"
    assert refusal("a.py", WORKERS, "def Worker").code == "unknown-segment"


def test_a_class_name_means_the_class_and_not_its_constructor() -> None:
    text = "namespace N\n{\n    class Foo\n    {\n        public Foo() { }\n    }\n}\n"

    assert found("a.cs", text, "Foo") == "N.Foo"
    assert found("a.cs", text, "Foo.Foo") == "N.Foo.Foo"


def test_an_empty_address_is_unknown() -> None:
    assert refusal("a.py", WORKERS, " ").code == "unknown-segment"


# What the kind of a segment must be.


def test_a_kind_the_file_type_does_not_have_is_refused() -> None:
    with pytest.raises(Refused) as refused:
        require_kind(read("a.md", GUIDE), {"function"}, "python_function")

    kinds = ("section", "preamble", "frontmatter", "code_block", "list", "table", "key", "item")
    assert refused.value.refusals == (
        Refusal(
            "wrong-segment-kind",
            "a markdown file has no segments of kind python_function",
            where=f"kinds of a markdown file: {', '.join(kinds)}",
            help="name a kind this file type has, or edit by `find` or `lines`",
            suggestions=kinds,
            data={"language": "markdown", "kind": ""},
        ),
    )


def test_a_request_for_a_function_never_gets_a_class() -> None:
    outline = read("a.py", WORKERS)

    with pytest.raises(Refused) as refused:
        require_kind(outline, {"function"}, "python_function", outline.by_address["Worker"])

    assert refused.value.refusals[0].headline == "`Worker` is of kind class, not python_function"


def test_the_right_kind_passes() -> None:
    outline = read("a.py", WORKERS)

    require_kind(outline, {"function", "method"}, "python_method", outline.by_address["Worker.run"])
    require_kind(outline, {"class"}, "python_class")


def test_what_is_written_as_a_call_is_a_constructor_before_its_class() -> None:
    one, two = "class A {\n    A() {}\n}\n", "class A {\n    A() {}\n    A(int a) {}\n}\n"

    assert found("A.java", one, "A") == "A"
    assert found("A.java", one, "A()") == "A.A"
    assert refusal("A.java", two, "A(int a)").suggestions == ("A.A#1", "A.A#2")
    assert found("m.py", "class A:\n    pass\n", "A()") == "A"
