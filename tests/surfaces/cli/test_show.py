from tests.surfaces.cli.shell import Shell


def test_a_transaction_is_shown_with_reasons_and_diff(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    request = '{"path":"a.txt","edits":[{"find":"one","content":"two","reason":"counts"}]}'
    keyhole.ok("edit", "--request", "-", "--reason", "why", feed=request)

    data = keyhole.ok("show", "1", "--json").data
    text = keyhole.ok("show", data["id"]).out

    [file] = data["files"]
    assert (data["reason"], file["edits"][0]["reason"]) == ("why", "counts")
    assert text == (
        f"{data['id']}  {data['time']}  {data['actor']}  applied  a.txt: why\n"
        f"  edit 0 in a.txt, matched exact: counts\n{file['diff']}"
    )


def test_a_terminal_gets_its_diff_coloured(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")

    done = keyhole.on_terminal("show", "1")

    assert "\x1b[31m-one\x1b[0m\n\x1b[32m+two\x1b[0m\n" in done.out


def test_an_unknown_id_is_refused(keyhole: Shell) -> None:
    assert keyhole("show", "7", "--json").refusal["code"] == "nothing-to-undo"
