"""A language server of a few lines that knows names by their letters, and can be made to misbehave.

It is called as one of the servers that keyhole knows. `behaviour` beside it says what it does wrong
when it is asked for a rename or for uses; `starts` counts how often it was started.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote, unquote

HERE = Path(__file__).parent
Message = dict[str, object]


def behaviour() -> str:
    file = HERE / "behaviour"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def received() -> Message:
    size = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        size = int(value) if name == b"Content-Length" else size
    if not size:
        sys.exit()
    message: Message = json.loads(sys.stdin.buffer.read(size))
    return message


def send(**message: object) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def place(line: int, start: int, end: int) -> Message:
    both = ({"line": line, "character": start}, {"line": line, "character": end})
    return dict(zip(("start", "end"), both, strict=True))


def places(texts: dict[str, str], name: str) -> Iterator[tuple[str, Message]]:
    for uri, text in texts.items():
        for number, line in enumerate(text.split("\n")):
            for match in re.finditer(rf"\b{name}\b", line):
                yield uri, place(number, *match.span())


def uri_of(path: str) -> str:
    return "file://" + quote(path)


def renamed(texts: dict[str, str], name: str, to: str, root: str) -> object:
    changes: dict[str, list[Message]] = {}
    for uri, where in places(texts, name):
        changes.setdefault(uri, []).append({"range": where, "newText": to})
    return misled(changes, to, root)


def misled(changes: dict[str, list[Message]], to: str, root: str) -> object:
    first, edit, how = next(iter(changes)), next(iter(changes.values()))[0], behaviour()
    wrong: dict[str, Callable[[], object]] = {
        "writes another text": lambda: edit.update(newText=f"{to}; evil()"),
        "writes two texts": lambda: changes[first].append({**edit, "newText": f"{to} as load"}),
        "names another place": lambda: edit.update(range=place(0, 0, 2)),
        "names a line that is not there": lambda: edit.update(range=place(9999, 0, 2)),
        "forgets the definition": lambda: changes[first].pop(0),
        "forgets the last file": lambda: changes.pop(max(changes)),
    }
    elsewhere = {
        "edits outside of the root": uri_of(str(Path(root).parent / "outside.py")),
        "names what is no file": "untitled:one",
        "names a file that nobody opened": uri_of(f"{root}/built/other.py"),
    }
    if how in wrong:
        wrong[how]()
    if how in elsewhere:
        changes[elsewhere[how]] = [{"range": place(0, 4, 8), "newText": to}]
    whole = otherwise(changes)
    return whole.get(how, {"changes": changes})


def otherwise(changes: dict[str, list[Message]]) -> dict[str, object]:
    """Answers in another form, good and bad."""
    snippet = {"range": place(0, 4, 8), "snippet": {"kind": "snippet", "value": "x"}}
    documents = [
        {"textDocument": {"uri": uri, "version": 1}, "edits": edits}
        for uri, edits in changes.items()
    ]
    return {
        "moves files": {"documentChanges": [{"kind": "delete", "uri": next(iter(changes))}]},
        "answers by documents": {"documentChanges": documents},
        "writes a snippet": {"documentChanges": [{**documents[0], "edits": [snippet]}]},
        "answers nothing": None,
        "answers a number": 7,
    }


def carry_out(message: Message, texts: dict[str, str], root: str) -> None:
    params = message["params"]
    assert isinstance(params, dict)
    match behaviour():
        case "hangs":
            while True:
                received()
        case "hangs, deaf, with a child" | "hangs, deaf, with a child that left" as how:
            child = subprocess.Popen(["/bin/sleep", "600"], start_new_session=how.endswith("left"))
            (HERE / "child").write_text(str(child.pid), encoding="utf-8")
            child.wait()
        case "dies":
            os._exit(3)
        case "sends no JSON":
            sys.stdout.buffer.write(b"Content-Length: 5\r\n\r\n{{{{{")
            sys.stdout.buffer.flush()
            return
        case "sends a flood":
            sys.stdout.buffer.write(b"Content-Length: 999999999999\r\n\r\n")
            sys.stdout.buffer.flush()
            return
        case "says no":
            send(id=message["id"], error={"code": -32803, "message": "it is a keyword"})
            return
        case "knows one file":
            asked = params["textDocument"]["uri"]
            texts = {asked: texts[asked]}
    text = texts[params["textDocument"]["uri"]].split("\n")[params["position"]["line"]]
    found = re.compile(r"\w+").match(text, params["position"]["character"])
    assert found, "the place of the symbol is its name"
    if message["method"] == "textDocument/rename":
        send(id=message["id"], result=renamed(texts, found[0], params["newName"], root))
        return
    uses = [{"uri": uri, "range": where} for uri, where in places(texts, found[0])]
    send(id=message["id"], result=uses)


def main() -> None:
    with (HERE / "starts").open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    texts: dict[str, str] = {}
    root = ""
    while True:
        message = received()
        params = message.get("params") or {}
        assert isinstance(params, dict)
        match message.get("method"):
            case "initialize":
                if behaviour() == "hangs at once":
                    received()
                root = unquote(params["rootUri"].removeprefix("file://"))
                send(method="window/logMessage", params={"type": 3, "message": "hello"})
                send(method="textDocument/publishDiagnostics", params={"uri": 7})
                send(id="edit", method="workspace/applyEdit", params={"edit": {}})
                send(id="ask", method="workspace/configuration", params={"items": [{}]})
                send(id=message["id"], result={"capabilities": {"renameProvider": True}})
            case "initialized":
                send(method="experimental/serverStatus", params={"quiescent": True})
            case "textDocument/didOpen":
                if behaviour() == "dies when a file is opened":
                    os._exit(3)
                document = params["textDocument"]
                texts[document["uri"]] = document["text"]
                found = {"uri": document["uri"], "diagnostics": []}
                send(method="textDocument/publishDiagnostics", params=found)
            case "textDocument/didClose":
                del texts[params["textDocument"]["uri"]]
            case "textDocument/rename" | "textDocument/references":
                carry_out(message, texts, root)


if __name__ == "__main__":
    main()
