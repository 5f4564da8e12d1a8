"""The servers of one workspace: found, started when they are needed, kept warm, asked.

A process that the kernel confines starts none: a broker that was forked before does. What comes
over its line is a question; the program is the table's, and a person trusts the workspace.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING

from keyhole.language_servers.family import end_children
from keyhole.language_servers.question import ServerFailed, SymbolQuestion
from keyhole.language_servers.table import LANGUAGES, OFF, FoundServer, found_server

if TYPE_CHECKING:
    from keyhole.disk.broker import Broker, Data
    from keyhole.language_servers.session import LanguageSession

SECONDS = 60.0
_IDLE = 900.0


class LanguageServers:
    """The servers that the user has, for one workspace; `named` maps languages to programs."""

    def __init__(  # noqa: PLR0913 - what makes them up, each by its name
        self,
        root: str,
        state: str,
        environment: Mapping[str, str],
        *,
        named: Mapping[str, str] | None = None,
        seconds: float = 0.0,
        idle: float = _IDLE,
        outside: bool = False,
    ) -> None:
        self._root, self._state, self._environment = root, state, environment
        self._named = named or {}
        self._seconds, self._idle = seconds or SECONDS, idle
        # Whether another process starts them wherever that can be: it ends them if this one dies.
        self._outside = outside
        self._sessions: dict[str, LanguageSession] = {}
        self._turn, self._is_closed = threading.Lock(), False
        self._timer: threading.Timer | None = None
        self._broker: Broker | None = None
        # Whether this is the process that starts servers and does nothing else.
        self._is_alone = False

    def found(self, language: str) -> FoundServer | None:
        """Return the server of a language, if the user has one."""
        if self._named.get(language) == OFF:
            return None
        return found_server(language, self._named, self._environment, self._root)

    def all_found(self) -> dict[str, FoundServer]:
        """Return the servers that there are, by their names."""
        found = filter(None, map(self.found, sorted(LANGUAGES)))
        return {each.server.name: each for each in found}

    def leave_outside(self) -> None:
        """Fork a process that starts servers when this one no longer can; it has one thread yet."""
        if self.all_found():
            from keyhole.disk.broker import Broker

            self._broker = Broker.started(self._answer_alone, self._close_sessions)

    def ask(self, question: SymbolQuestion) -> Data:
        """Return `places`; else why there are none: `untrusted`, `failed` or `refused`."""
        if self._broker is None and self._outside and threading.active_count() == 1:
            self.leave_outside()
        if self._broker is None:
            return self._answer(question.as_data(), threading.Event())
        try:
            return self._broker.ask(question.as_data()) or {"failed": "was stopped"}
        except (OSError, ValueError) as error:
            return {"failed": f"was not asked: {error}"}

    def close(self) -> None:
        """End the servers, and let go of the process that started them."""
        self._close_sessions()
        if self._broker:
            self._broker.close()

    def _answer_alone(self, asked: Data, over: threading.Event) -> Data:
        """Answer in a process that takes in what servers start and leave, so as to end it."""
        from keyhole.disk.kernel import take_orphans

        self._is_alone = self._is_alone or take_orphans()
        return self._answer(asked, over)

    def _answer(self, asked: Data, _: threading.Event) -> Data:
        from keyhole.linters.trust import Trust

        if objection := Trust(self._root, self._state).objection():
            return {"untrusted": objection}
        try:
            question = SymbolQuestion.of(asked)
            return self._asked(question)
        except ServerFailed as failed:
            return {"refused" if failed.answered else "failed": str(failed)}
        except ImportError:
            return {"failed": "was not asked: `keyhole[rename]` is not installed"}
        except (LookupError, TypeError, ValueError) as error:
            return {"failed": f"was not asked: {error}"}
        finally:
            self._rest()
            self._end_orphans()

    def _asked(self, question: SymbolQuestion) -> Data:
        """Ask a server, and another one whether the first is right that something is wrong.

        Pyright keeps some of what it concluded from older texts: `Context` is no `Context` then.
        """
        session = self._session(question.language)
        said = session.ask(question)
        if not (question.after and said["places"] and session.keeps_conclusions):
            return said
        session.close()
        return self._session(question.language).ask(question)

    def _session(self, language: str) -> LanguageSession:
        """Return the server of a language, started if it does not run."""
        from keyhole.language_servers.session import LanguageSession
        from keyhole.linters.run import environment_for

        found = self.found(language)
        if found is None:
            raise ServerFailed("is not there any more")
        with self._turn:
            if self._timer:
                self._timer.cancel()
            known = self._sessions.get(found.program)
            if known is None or known.has_ended:
                if self._is_closed:
                    raise ServerFailed("was stopped")
                environment = environment_for(self._environment)
                known = LanguageSession(found, self._root, environment, self._seconds)
                self._sessions[found.program] = known
            return known

    def _rest(self) -> None:
        """Let servers that nobody asks anything go after a while."""
        with self._turn:
            if self._timer:
                self._timer.cancel()
            self._timer = threading.Timer(self._idle, self._let_go)
            self._timer.daemon = True
            self._timer.start()

    def _let_go(self) -> None:
        with self._turn:
            sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            session.close()
        self._end_orphans()

    def _end_orphans(self) -> None:
        """End what is left of servers once none of them runs."""
        with self._turn:
            sessions = self._sessions.values()
            if self._is_alone and all(each.has_ended for each in sessions):
                for each in sessions:
                    each.close()  # which returns once that is done
                end_children()

    def _close_sessions(self) -> None:
        self._is_closed = True
        if self._timer:
            self._timer.cancel()
        self._let_go()
