import pytest

from tests.toolsets.desk import Data, Desk, Set

LONG = "".join(f"line {number}\n" for number in range(1, 1203))


@pytest.fixture
def files(desk: Desk) -> Set:
    desk.write("a.md", "# A\n\none two one\n\n## B\n\nthree\n\n```py\ncode\n```\n")
    desk.write("docs/b.txt", "One\n")
    desk.write("app.py", "one = 1\n")
    return Set(desk, "text-files")


def edit(files: Set, *edits: dict[str, object], **more: object) -> Data:
    return files.ok("TextEdit", filePath="a.md", edits=list(edits), **more)


def test_a_long_file_is_read_in_pieces_of_five_hundred_lines(files: Set) -> None:
    files.desk.write("long.txt", LONG)
    first = files.ok("TextRead", filePath="long.txt")
    last = files.ok("TextRead", filePath="long.txt", offset=1001)

    assert (first["endLine"], first["totalLines"], first["truncated"]) == (500, 1202, True)
    assert first["suggestion"] == "Use offset=501 to continue"
    assert (last["startLine"], last["endLine"], last["truncated"]) == (1001, 1202, False)
    assert "suggestion" not in last
    assert first["content"].split("\n")[-1] == "line 500"


def test_a_very_long_file_is_read_to_its_end(files: Set) -> None:
    lines = [f"line {number}" for number in range(1, 4202)]
    files.desk.write("long.md", "# A\n" + "\n".join(lines) + "\n# B\n")
    read: list[str] = []
    data: Data = {"suggestion": "Use offset=1 to continue"}
    while "suggestion" in data:
        offset = int(data["suggestion"].split("=")[1].split()[0])
        data = files.ok("TextRead", filePath="long.md", offset=offset, target={"heading": "# A"})
        read += data["content"].split("\n")

    assert read == ["# A", *lines]
    assert (data["endLine"], data["totalLines"], data["truncated"]) == (4202, 4203, False)
    some = files.ok("TextRead", filePath="long.md", offset=4203)
    assert (some["content"], some["startLine"], some["truncated"]) == ("# B", 4203, False)
    target = {"lines": {"start": 1, "end": 4203}}
    some = files.ok("TextRead", filePath="long.md", offset=4100, target=target)
    assert (some["startLine"], some["endLine"], some["truncated"]) == (4100, 4203, False)


def test_more_than_the_most_lines_are_never_read_at_once(files: Set) -> None:
    files.desk.write("long.txt", LONG)
    read = files.ok("TextRead", filePath="long.txt", limit=9999, offset=3)
    few = files.ok("TextRead", filePath="long.txt", limit=2, offset=3)

    assert (read["startLine"], read["endLine"]) == (3, 502)
    assert (few["content"], few["suggestion"]) == ("line 3\nline 4", "Use offset=5 to continue")


@pytest.mark.parametrize(
    ("target", "content"),
    [
        ({"lines": {"start": 3}}, "one two one"),
        ({"heading": "## B"}, "## B\n\nthree\n\n```py\ncode\n```"),
        ({"codeBlock": {"index": 0}}, "code"),
    ],
)
def test_a_target_is_read_as_an_edit_would_name_it(
    files: Set, target: dict[str, object], content: str
) -> None:
    assert files.ok("TextRead", filePath="a.md", target=target)["content"] == content


def test_a_search_finds_files_of_the_vault_whatever_the_case(files: Set) -> None:
    found = files.ok("TextSearch", query="one")
    named = files.ok("TextSearch", query="ONE", outputMode="files_only")

    assert [(hit["filePath"], hit["line"]) for hit in found["matches"]] == [
        ("a.md", 3),
        ("a.md", 3),
        ("docs/b.txt", 1),
    ]
    assert found["matches"][0]["context"] == {"before": [""], "after": [""]}
    assert (named["files"], named["totalFiles"]) == (["a.md", "docs/b.txt"], 2)


def test_a_search_is_cut_and_says_so(files: Set) -> None:
    files.desk.write("long.txt", LONG)
    found = files.ok("TextSearch", query=r"line \d+", regex=True, path="long.txt")

    assert (len(found["matches"]), found["totalMatches"], found["truncated"]) == (50, 1202, True)
    assert files.no("TextSearch", query="x", outputMode="all")["code"] == "bad-request"
    assert files.no("TextSearch", query="")["code"] == "bad-request"


def test_a_file_is_created_once_and_replaced_only_if_allowed(files: Set) -> None:
    made = files.ok("TextCreate", filePath="new/n.md", content="# N\n")
    again = files.no("TextCreate", filePath="new/n.md", content="# M\n")
    over = files.ok("TextCreate", filePath="new/n.md", content="# M\n", overwrite=True)

    assert (made["status"], made["created"], over["created"]) == ("success", True, False)
    assert (again["code"], files.desk.read("new/n.md")) == ("file-exists", "# M\n")


def test_directories_are_made_only_if_allowed_and_only_files_of_the_vault(files: Set) -> None:
    no = files.no("TextCreate", filePath="x/n.md", content="", createDirectories=False)

    assert no["code"] == "no-file"
    assert files.no("TextCreate", filePath="x.py", content="")["code"] == "path-denied"
    assert files.no("TextCreate", filePath="../x.md", content="")["code"] == "path-denied"


def test_edits_are_made_in_order_and_lines_are_those_of_the_new_text(files: Set) -> None:
    done = edit(
        files,
        {"oldString": "# A\n", "newString": "# A\n\nnew\n"},
        {"oldString": "one", "newString": "1", "replaceAll": True},
        {"oldString": "1 two 1", "newString": "2"},
    )

    assert files.desk.read("a.md").startswith("# A\n\nnew\n\n2\n\n## B\n")
    assert done["totalOccurrencesReplaced"] == 4
    assert [each["occurrencesReplaced"] for each in done["edits"]] == [1, 2, 1]
    assert done["edits"][2]["affectedLines"] == {"start": 5, "end": 5}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"oldString": "one", "newString": "x"},
            "Edit 1: oldString is not unique (lines 3, 3): 'one'",
        ),
        ({"oldString": "y" * 300, "newString": "x"}, f"not found in a.md: '{'y' * 100}...'"),
        ({"oldString": "", "newString": "x"}, "Edit 1: `oldString` is empty"),
        ({"oldString": "x", "newString": "x"}, "Edit 1: `oldString` and `newString` are the same"),
        ({"oldString": "x"}, "Edit 1: `newString` is missing"),
        ({"oldString": "x", "newString": "y", "all": True}, "Edit 1: unknown argument `all`"),
    ],
)
def test_one_edit_that_fails_changes_nothing_and_is_told_by_its_number(
    files: Set, change: dict[str, object], said: str
) -> None:
    before = files.desk.read("a.md")
    edits = [{"oldString": "three", "newString": "3"}, change]

    no = files.no("TextEdit", filePath="a.md", edits=edits)

    assert said in no["message"]
    assert (no["status"], no["index"], files.desk.read("a.md")) == ("error", 1, before)


def test_a_hash_that_does_not_fit_is_refused(files: Set) -> None:
    change: dict[str, object] = {"oldString": "three", "newString": "3"}
    no = files.no("TextEdit", filePath="a.md", edits=[change], expectedHash="0" * 16)

    assert no["code"] == "stale"
    assert edit(files, change, expectedHash=no["fileHash"])["status"] == "success"
    assert files.no("TextEdit", filePath="a.md", edits=[])["code"] == "bad-request"


def test_an_addition_that_is_sent_again_is_not_made_twice(files: Set) -> None:
    files.ok("TextCreate", filePath="again.md", content="- one\n- two\n")
    edits = [{"oldString": "- two\n", "newString": "- two\n- three\n"}]
    for _ in range(3):
        files.ok("TextEdit", filePath="again.md", edits=edits)
    assert files.desk.read("again.md") == "- one\n- two\n- three\n"
