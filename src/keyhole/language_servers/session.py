"""One server that runs: what is open in it, what it is asked, what it answers; and its end.

The one home of pygls and lsprotocol. Whatever the server does, a question ends: a server that lets
one wait too long, ends, or answers what is no answer is killed with all that it started.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from typing import IO

from lsprotocol import types
from pygls.client import JsonRPCClient
from pygls.exceptions import JsonRpcException, JsonRpcParseError
from pygls.io_ import run
from pygls.protocol import JsonRPCNotification, JsonRPCProtocol
from pygls.uris import from_fs_path, to_fs_path

from keyhole.fastclasses import dataclass
from keyhole.language_servers.family import end_family, marked
from keyhole.language_servers.faults import (
    Fault,
    faults_of_tsserver,
    files_of_project,
    first_line,
    new_faults,
)
from keyhole.language_servers.question import ServerFailed, ServerPlace, SymbolQuestion
from keyhole.language_servers.table import FoundServer, LanguageServer, is_below

_TICK = 0.05
_LONGEST_HEADER, _LONGEST_MESSAGE = 1 << 16, 1 << 26
# What part of a question's time goes on new texts; then the faults of those that there are follow.
_PART_OF_TIME = 3
_STATUS = "experimental/serverStatus"
# What goes wrong is an answer of ours; a log would end on somebody's terminal, texts and all.
logging.getLogger("pygls").setLevel(logging.CRITICAL)


class _ProtocolMessages(JsonRPCProtocol):
    """The messages of the protocol by their types; a malformed answer is an error."""

    def get_message_type(self, method: str) -> type | None:
        return types.METHOD_TO_TYPES.get(method, (None, None))[0]

    def get_result_type(self, method: str) -> type | None:
        return types.METHOD_TO_TYPES.get(method, (None, None))[1]

    def structure_message(self, data: dict[str, object]) -> object:
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "id" not in data or "method" in data:
                return JsonRPCNotification("", "2.0", None)
            error = types.ResponseError(types.ErrorCodes.ParseError, "it is no answer")
            return types.ResponseErrorMessage(id=str(data["id"]), error=error)


@dataclass(frozen=True, slots=True)
class _ServerOutput:
    """The output of a server, no more of it at once than a message may have."""

    pipe: IO[bytes]

    def readline(self) -> bytes:
        return self.pipe.readline(_LONGEST_HEADER)

    def read(self, size: int) -> bytes:
        if size > _LONGEST_MESSAGE:
            raise ValueError("a message is too long")
        return self.pipe.read(size)


class _ServerInput:
    """The input of a server, one message at a time."""

    def __init__(self, pipe: IO[bytes], end: Callable[[], None]) -> None:
        self._pipe, self._end, self._turn = pipe, end, threading.Lock()

    def write(self, data: bytes) -> None:
        # Who writes is told by the end: an answer of pygls's own would put a trace on a terminal.
        try:
            with self._turn:
                self._pipe.write(data)
                self._pipe.flush()
        except (OSError, ValueError):
            self._end()

    def close(self) -> None:
        self._pipe.close()


class LanguageSession:
    """A server that was started for one workspace; it answers one question at a time."""

    def __init__(
        self, found: FoundServer, root: str, environment: Mapping[str, str], seconds: float
    ) -> None:
        self._server, self._root, self._seconds = found.server, root, seconds
        self._turn, self._ending = threading.Lock(), threading.Lock()
        self._ended, self._why = threading.Event(), ""
        self._is_initialized = False
        self._stamps: dict[str, tuple[int, int]] = {}
        self._is_idle, self._examined = False, set[str]()
        self._mark = secrets.token_hex(8)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - a program of the user's, our words
                found.words,
                cwd=root,
                env={**environment, **marked(self._mark)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerFailed(f"cannot be started: {error.strerror}") from None
        assert self._process.stdin, "BUG: every stream is a pipe"
        self._messages = _client(self._handlers()).protocol
        self._messages.set_writer(_ServerInput(self._process.stdin, self._is_closed))
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def has_ended(self) -> bool:
        """Whether it can be asked no more."""
        return self._ended.is_set()

    @property
    def keeps_conclusions(self) -> bool:
        """Whether what it finds wrong may come from texts that it was shown before."""
        return self._server.faults == "pull"

    def ask(self, question: SymbolQuestion) -> dict[str, object]:
        """Return `places` of the symbol of a question, as the server says, or `ServerFailed`.

        Of a question with new texts, what is wrong in these alone, and in how many files of the
        project it is `unknown`.
        """
        with self._turn, self._watched():
            try:
                return self._answered(question)
            except ServerFailed as failed:
                if not failed.answered:
                    self.close(str(failed))
                raise

    def _answered(self, question: SymbolQuestion) -> dict[str, object]:
        if not self._is_initialized:
            self._initialize()
        self._tell_of_changes(question.known)
        uris = [
            self._open(path, (language, question.after.get(path, text)))
            for path, (language, text) in question.texts.items()
        ]
        try:
            self._wait_until_ready(uris)
            if question.after:
                return self._new_faults(question)
            return {"places": list(self._places(question))}
        finally:
            for uri in uris:
                document = types.TextDocumentIdentifier(uri)
                params = types.DidCloseTextDocumentParams(document)
                self._notify(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def close(self, why: str = "was stopped") -> None:
        """Kill the server and all that it started."""
        with self._ending:
            if self._ended.is_set():
                return
            self._why = why
            self._ended.set()
            # Not reaped before: its number is still its own.
            end_family(self._mark, self._process.pid)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        assert self._process.stdin, "BUG: every stream is a pipe"
        with suppress(OSError):
            self._process.stdin.close()

    def _listen(self) -> None:
        """Read what the server says until it ends, and end it then."""
        pipe = self._process.stdout
        assert pipe, "BUG: every stream is a pipe"
        try:
            run(self._ended, _ServerOutput(pipe), self._messages, error_handler=self._is_nonsense)
        except (OSError, ValueError):
            self._is_nonsense()
        self._is_closed()
        pipe.close()

    def _is_closed(self) -> None:
        self.close("ended without an answer")

    def _is_nonsense(self, *_: object) -> None:
        self.close("sent what is no message")

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """End the server if what is done takes too long, and say why it ended."""
        why = f"took longer than {self._seconds:g} s and was stopped"
        watch = threading.Timer(self._seconds, self.close, [why])
        watch.daemon = True
        watch.start()
        try:
            yield
        finally:
            watch.cancel()

    def _wait(self, is_over: Callable[[], bool]) -> None:
        while not is_over():
            if self._ended.wait(_TICK):
                raise ServerFailed(self._why)

    def _request(self, method: str, params: object) -> object:
        answer: Future[object] = self._messages.send_request(method, params)
        while True:
            try:
                return answer.result(_TICK)
            except TimeoutError:
                if self._ended.is_set():
                    raise ServerFailed(self._why) from None
            except JsonRpcParseError:
                raise ServerFailed("sent what is no answer") from None
            except JsonRpcException as error:
                raise ServerFailed(f"says: {error.message}", answered=True) from None

    def _notify(self, method: str, params: object) -> None:
        if self._ended.is_set():
            raise ServerFailed(self._why)
        self._messages.notify(method, params)

    def _initialize(self) -> None:
        uri = str(from_fs_path(self._root))
        params = types.InitializeParams(
            _capabilities(self._server),
            process_id=os.getpid(),
            root_uri=uri,
            root_path=self._root,
            workspace_folders=[types.WorkspaceFolder(uri, os.path.basename(self._root))],
        )
        answer = self._request(types.INITIALIZE, params)
        capabilities = getattr(answer, "capabilities", None)
        units = getattr(capabilities, "position_encoding", None) or types.PositionEncodingKind.Utf16
        if units != types.PositionEncodingKind.Utf16:
            raise ServerFailed(f"counts columns in {str(units)[:20]}, which nobody asked for")
        self._notify(types.INITIALIZED, types.InitializedParams())
        self._is_initialized = True

    def _handlers(self) -> dict[str, Callable[..., object]]:
        """Return what is done with what a server says or asks by itself."""

        def configuration(params: types.ConfigurationParams) -> list[None]:
            return [None for _ in params.items]

        def no_edit(_: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            return types.ApplyWorkspaceEditResult(applied=False)

        def examined(params: types.PublishDiagnosticsParams) -> None:
            self._examined.add(params.uri)

        def status(is_idle: object) -> None:
            self._is_idle = bool(is_idle)

        return {
            types.WORKSPACE_CONFIGURATION: configuration,
            types.WORKSPACE_APPLY_EDIT: no_edit,
            types.CLIENT_REGISTER_CAPABILITY: lambda _: None,
            types.CLIENT_UNREGISTER_CAPABILITY: lambda _: None,
            types.WINDOW_SHOW_MESSAGE_REQUEST: lambda _: None,
            types.WORKSPACE_DIAGNOSTIC_REFRESH: lambda _: None,
            types.WINDOW_WORK_DONE_PROGRESS_CREATE: lambda _: None,
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: examined,
            # pygls would take a first parameter that is any object for its client.
            _STATUS: lambda params: status(getattr(params, "quiescent", None)),
        }

    def _tell_of_changes(self, known: Sequence[str]) -> None:
        """Tell the server which files came, changed or went since the last question."""
        now = {path: stamp for path in known if (stamp := _stamp(os.path.join(self._root, path)))}
        before, self._stamps = self._stamps, now
        if not before:
            return
        kinds = dict.fromkeys(before.keys() - now.keys(), types.FileChangeType.Deleted)
        kinds |= dict.fromkeys(now.keys() - before.keys(), types.FileChangeType.Created)
        both = now.keys() & before.keys()
        changed = (path for path in both if now[path] != before[path])
        kinds |= dict.fromkeys(changed, types.FileChangeType.Changed)
        events = [types.FileEvent(self._uri(path), kind) for path, kind in kinds.items()]
        if events:
            params = types.DidChangeWatchedFilesParams(events)
            self._notify(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, params)

    def _open(self, path: str, text: tuple[str, str]) -> str:
        language, content = text
        uri = self._uri(path)
        self._examined.discard(uri)
        item = types.TextDocumentItem(uri, self._server.languages[language], 1, content)
        self._notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(item))
        return uri

    def _uri(self, path: str) -> str:
        return str(from_fs_path(self._full(path)))

    def _full(self, path: str) -> str:
        return os.path.join(self._root, path)

    def _wait_until_ready(self, uris: Sequence[str]) -> None:
        if self._server.ready == "diagnostics":
            self._wait(lambda: self._examined.issuperset(uris))
        elif self._server.ready == "status":
            self._wait(lambda: self._is_idle)

    def _places(self, question: SymbolQuestion) -> Iterator[ServerPlace]:
        document = types.TextDocumentIdentifier(self._uri(question.path))
        position = types.Position(question.line, question.column)
        if not question.to:
            context = types.ReferenceContext(include_declaration=True)
            found = self._request(
                types.TEXT_DOCUMENT_REFERENCES,
                types.ReferenceParams(text_document=document, position=position, context=context),
            )
            for each in found or ():  # type: ignore[attr-defined]
                yield self._place(each.uri, each.range, "")
            return
        renaming = types.RenameParams(
            text_document=document, position=position, new_name=question.to
        )
        edits = self._request(types.TEXT_DOCUMENT_RENAME, renaming)
        for uri, edit in _edits_of(edits):
            yield self._place(uri, edit.range, edit.new_text)

    def _new_faults(self, question: SymbolQuestion) -> dict[str, object]:
        """Return what is wrong in the new texts and not in those that there are; files are open."""

        def go_back() -> None:
            for path in question.after:
                document = types.VersionedTextDocumentIdentifier(2, self._uri(path))
                whole = types.TextDocumentContentChangeWholeDocument(question.texts[path][1])
                params = types.DidChangeTextDocumentParams(document, [whole])
                self._notify(types.TEXT_DOCUMENT_DID_CHANGE, params)

        paths, faults_of = [*question.after], self._faults
        if self._server.faults == "tsserver":
            asked = {"needFileNameList": True, "file": self._full(question.path)}
            project = self._tsserver("projectInfo", asked)
            if not isinstance(project, dict):
                raise ServerFailed("sent what is no answer")
            paths += files_of_project(project, self._root, paths)
            faults_of = partial(self._faults_of_tsserver, str(project.get("configFileName", "")))
        else:
            paths += [each for each in question.texts if each not in question.after]
        return new_faults(paths, faults_of, go_back, self._seconds / _PART_OF_TIME)

    def _faults_of_tsserver(self, project: str, path: str) -> list[Fault]:
        asked = {"file": self._full(path), "projectFileName": project}
        return faults_of_tsserver(self._tsserver("semanticDiagnosticsSync", asked))

    def _tsserver(self, command: str, asked: Mapping[str, object]) -> object:
        """Return what the program behind typescript-language-server answers."""
        params = types.ExecuteCommandParams("typescript.tsserverRequest", [command, asked])
        answer = self._request(types.WORKSPACE_EXECUTE_COMMAND, params)
        return answer.get("body") if isinstance(answer, dict) else None

    def _faults(self, path: str) -> list[Fault]:
        """Return the errors and warnings of an open file."""
        document = types.TextDocumentIdentifier(self._uri(path))
        params = types.DocumentDiagnosticParams(document)
        answer = self._request(types.TEXT_DOCUMENT_DIAGNOSTIC, params)
        return [
            ((each.range.start.line, str(each.code)), first_line(str(each.message)))
            for each in getattr(answer, "items", ())
            if (each.severity or types.DiagnosticSeverity.Error) <= types.DiagnosticSeverity.Warning
        ]

    def _place(self, uri: str, where: types.Range, text: str) -> ServerPlace:
        path = to_fs_path(uri)
        if not path:
            raise ServerFailed("names a place that is no file")
        path = os.path.normpath(path)
        inner = os.path.relpath(path, self._root) if is_below(path, self._root) else path
        start, end = where.start, where.end
        return ServerPlace(inner, (start.line, start.character), (end.line, end.character), text)


def _capabilities(server: LanguageServer) -> types.ClientCapabilities:
    """Return what the client can; a server that is asked for faults looks for none by itself."""
    pulls = types.DiagnosticClientCapabilities(dynamic_registration=True)
    return types.ClientCapabilities(
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(
                dynamic_registration=True
            ),
            configuration=True,
            workspace_folders=True,
        ),
        text_document=types.TextDocumentClientCapabilities(
            rename=types.RenameClientCapabilities(),
            references=types.ReferenceClientCapabilities(),
            diagnostic=pulls if server.faults == "pull" else None,
        ),
        experimental={"serverStatusNotification": True},
    )


def _client(handlers: Mapping[str, Callable[..., object]]) -> JsonRPCClient:
    client = JsonRPCClient(_ProtocolMessages)
    for method, handler in handlers.items():
        client.feature(method)(handler)
    return client


def _edits_of(found: object) -> Iterator[tuple[str, types.TextEdit | types.AnnotatedTextEdit]]:
    """Yield the edits of a rename; files are neither made nor moved nor deleted by one."""
    if not isinstance(found, types.WorkspaceEdit):
        return
    for change in found.document_changes or ():
        if not isinstance(change, types.TextDocumentEdit):
            raise ServerFailed("wants to make, move or delete files")
        for edit in change.edits:
            if not isinstance(edit, types.TextEdit | types.AnnotatedTextEdit):
                raise ServerFailed("wants to write a snippet")
            yield change.text_document.uri, edit
    if not found.document_changes:
        for uri, edits in (found.changes or {}).items():
            yield from ((uri, edit) for edit in edits)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
