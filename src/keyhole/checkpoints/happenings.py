"""What a host says happens: a prompt, a tool that begins or ends, or nothing but a look."""

from __future__ import annotations

from keyhole.fastclasses import dataclass

# What a mark is about.
PROMPT, BEFORE, AFTER, LOOK, START, END = "prompt", "before", "after", "look", "start", "end"
GONE = "gone"
# What ends all tools of a session, and what ends also those that it left in the background.
ENDS_TOOLS = frozenset((PROMPT, START, END, GONE))
ENDS_BACKGROUND = frozenset((START, GONE))


@dataclass(frozen=True, slots=True)
class Happening:
    """What a host says happens: a prompt, a tool that begins or ends, or nothing but a look."""

    kind: str = LOOK
    host: str = ""
    session: str = ""
    prompt: str = ""
    tool: str = ""
    # The name of this use of the tool.
    use: str = ""
    # The first line of the command, or of the prompt.
    said: str = ""
    # The files that the tool can change, as its host spells them; None where nobody can tell.
    writes: tuple[str, ...] | None = None
    # Uses of tools that are over, whatever became of them.
    ended: tuple[str, ...] = ()
    # Whether the tool goes on in the background after its end.
    goes_on: bool = False

    @property
    def actor(self) -> str:
        """Return who acts in it."""
        return f"{self.host}:{self.tool}" if self.tool else self.host
