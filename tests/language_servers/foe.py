"""A language server of a few lines that knows names by their letters, and can be made to misbehave.

It is called as one of the servers that keyhole knows. `behaviour` beside it says what it does wrong
when it is asked for a rename or for uses; `starts` counts how often it was started.
"""

import json
import os
import re
import subprocess
import sys
import time
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


def start_child(variables: dict[str, str] | None = None, *, apart: bool) -> None:
    child = subprocess.Popen(["/bin/sleep", "600"], start_new_session=apart, env=variables)
    (HERE / "child").write_text(str(child.pid), encoding="utf-8")


def act_beside(how: str, texts: dict[str, str]) -> None:
    match how:
        case "writes the files itself":
            for uri, text in texts.items():
                Path(unquote(uri.removeprefix("file://"))).write_text(f"# mine\n{text}", "utf-8")
        case "hangs, deaf, with a child" | "hangs, deaf, with a child that left":
            start_child(apart=how.endswith("left"))
        case "hangs, deaf, with a child without a mark":
            start_child({}, apart=True)
        case "leaves an orphan without a mark":
            if not os.fork():
                start_child({}, apart=True)
                os._exit(0)
            os.wait()


def carry_out(message: Message, texts: dict[str, str], root: str) -> None:
    params = message["params"]
    assert isinstance(params, dict)
    how = behaviour()
    act_beside(how, texts)
    while how.startswith("hangs, deaf"):
        time.sleep(600)
    match how:
        case "hangs":
            while True:
                received()
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


def project(command: str, asked: Message, texts: dict[str, str], root: str) -> object:
    """What the program behind typescript-language-server answers: each \"fetch(1)\" is a fault."""
    if command == "projectInfo":
        names = [str(each) for each in sorted(Path(root).rglob("*.ts"))]
        return {"configFileName": "one", "fileNames": ["/lib/lib.d.ts", *names]}
    if behaviour() == "finds nonsense":
        return [{"category": "error", "start": 7}]
    file = Path(str(asked["file"]))
    text = texts.get(uri_of(str(file))) or file.read_text("utf-8")
    return [
        {
            "start": {"line": number, "offset": 1},
            "text": "Expected 0 arguments.\nMore of it.",
            "code": 2554,
            "category": category,
        }
        for number, line in enumerate(text.split("\n"), 1)
        for category, wrong in (("error", "fetch(1)"), ("suggestion", "load"), ("error", "!"))
        if wrong in line
    ]


def answer_project(message: Message, texts: dict[str, str], root: str) -> None:
    params = message["params"]
    assert isinstance(params, dict)
    [command, asked] = params["arguments"]
    match behaviour():
        case "cannot look for faults":
            send(id=message["id"], error={"code": -32601, "message": "no such command"})
        case "dies when it looks for faults":
            os._exit(3)
        case "finds a number":
            send(id=message["id"], result=7)
        case _:
            send(id=message["id"], result={"body": project(command, asked, texts, root)})


def answer_diagnostics(message: Message, texts: dict[str, str]) -> None:
    params = message["params"]
    assert isinstance(params, dict)
    match behaviour():
        case "cannot look for faults":
            send(id=message["id"], error={"code": -32601, "message": "no such command"})
            return
        case "dies when it looks for faults":
            os._exit(3)
        case "finds a number":
            send(id=message["id"], result=7)
            return
    wrongs = [(1, "fetch(1)"), (2, "fetch(2)"), (4, "load"), (1, "!")]
    if behaviour() == "concludes from older texts" and OLDER:
        wrongs.append((1, "fetch"))
    items = [
        {
            "range": place(number, 0, 1),
            "message": "Expected 0 arguments.\nMore of it.",
            "code": "reportCallIssue",
            "severity": severity,
        }
        for number, line in enumerate(texts[params["textDocument"]["uri"]].split("\n"))
        for severity, wrong in wrongs
        if wrong in line
    ]
    send(id=message["id"], result={"kind": "full", "items": items})


# The texts that a server was shown when it was asked for the places.
OLDER: list[str] = []


def answer(method: object, message: Message, texts: dict[str, str], root: str) -> None:
    if method == "textDocument/rename":
        OLDER.extend(texts.values())
    if method in {"textDocument/rename", "textDocument/references"}:
        carry_out(message, texts, root)
    elif method == "workspace/executeCommand":
        answer_project(message, texts, root)
    elif method == "textDocument/diagnostic":
        answer_diagnostics(message, texts)


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
                units = "utf-8" if behaviour() == "counts bytes" else "utf-16"
                can = {"renameProvider": True, "positionEncoding": units}
                send(id=message["id"], result={"capabilities": can})
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
            case "textDocument/didChange":
                [change] = params["contentChanges"]
                texts[params["textDocument"]["uri"]] = change["text"]
            case method:
                answer(method, message, texts, root)


if __name__ == "__main__":
    main()
