"""keyhole completion: print a completion script for a shell."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.surfaces.cli.grammar import (
    COMMANDS,
    ROOT,
    Argument,
    Command,
    Flag,
    Given,
    command,
)
from keyhole.surfaces.cli.output import DONE, say


def script(shell: str) -> str:
    """Return the completion script for bash, zsh or fish."""
    commands = [command(name) for name in COMMANDS]
    return "\n".join({"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands))


def _bash(commands: list[Command]) -> Iterator[str]:
    yield "# keyhole for bash. What is not answered here is completed as a file name."
    yield "_keyhole() {"
    yield "  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words="
    yield "  COMPREPLY=()"
    yield '  case "$COMP_CWORD ${COMP_WORDS[1]} $before" in'
    yield f"    1\\ *) words='{' '.join(COMMANDS)} --help --version' ;;"
    for one in commands:
        for flag in one.flags:
            if flag.takes_value:
                yield f"    *\\ {one.name}\\ {flag.name}) words={_bash_words(flag)} ;;"
        for at, argument in enumerate(one.arguments[1:], 3):
            if asked := _asks(argument):
                yield f'    {at}\\ {one.name}\\ *) words="$({asked} 2>/dev/null)" ;;'
        yield f"    *\\ {one.name}\\ *)"
        yield f"      words={_bash_arguments(one)}"
        yield f"      [[ $current != -* ]] || words='{_flag_names(one)}' ;;"
    yield "  esac"
    yield '  [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o bashdefault -o default -F _keyhole keyhole"


# What is asked of the workspace while somebody types; it answers nothing where there is none.
_LOOKED_UP = ("transaction", "task", "segment", "proposal")
# Flags that mean the same at every command, whatever else their kind says.
_BY_NAME = {"--task": "task", "--segment": "segment"}


def _asks(what: Flag | Argument) -> str:
    """Return the command whose lines are the values of a flag or an argument, "" for none."""
    kind = _looked_up(what)
    return f"keyhole completion --values {kind}" if kind else ""


def _looked_up(what: Flag | Argument) -> str:
    """Return what the values of a flag or an argument are in a workspace, "" for none."""
    return what.kind if what.kind in _LOOKED_UP else _BY_NAME.get(what.name, "")


def _bash_words(flag: Flag) -> str:
    asked = _asks(flag)
    if _looked_up(flag) == "segment":
        asked += ' --of "${COMP_WORDS[2]}"'
    return f'"$({asked} 2>/dev/null)"' if asked else f"'{' '.join(flag.choices)}'"


def _bash_arguments(one: Command) -> str:
    asked = next((_asks(each) for each in one.arguments[:1] if _asks(each)), "")
    return f'"$({asked} 2>/dev/null)"' if asked else f"'{_choices(one)}'"


def _choices(one: Command) -> str:
    return " ".join(choice for argument in one.arguments for choice in argument.choices)


def _flag_names(one: Command) -> str:
    return " ".join([*(flag.name for flag in one.flags), "--help"])


def _zsh(commands: list[Command]) -> Iterator[str]:
    yield "#compdef keyhole"
    yield "_keyhole() {"
    yield "  local -a commands"
    yield "  commands=("
    for name, summary in COMMANDS.items():
        yield f"    {_quoted(f'{name}:{summary}')}"
    yield "  )"
    yield "  if (( CURRENT == 2 )); then _describe command commands; return; fi"
    yield "  shift words; (( CURRENT-- ))"
    yield "  case $words[1] in"
    for one in commands:
        specs = [*(_zsh_flag(flag) for flag in one.flags), "'--help[explain]'"]
        specs += [_zsh_argument(argument, at) for at, argument in enumerate(one.arguments, 1)]
        yield f"    {one.name}) _arguments {' '.join(specs)} ;;"
    yield "  esac"
    yield "}"
    # Sourced, it registers itself; from a directory of functions, it is the function's first call.
    yield "if [[ $funcstack[1] == _keyhole ]]"
    yield 'then _keyhole "$@"'
    yield "else compdef _keyhole keyhole"
    yield "fi"


def _in_brackets(text: str) -> str:
    """Return a text without the signs that end a description."""
    return text.replace("[", "(").replace("]", ")").replace(":", ";")


def _zsh_flag(flag: Flag) -> str:
    said = _in_brackets(flag.help)
    repeat = "*" if flag.many else ""
    value = f":{flag.value or 'value'}:{_zsh_values(flag)}" if flag.takes_value else ""
    return _quoted(f"{repeat}{flag.name}[{said}]{value}")


def _zsh_argument(argument: Argument, at: int) -> str:
    which = "*" if argument.many else str(at)
    return _quoted(f"{which}:{argument.name}:{_zsh_values(argument)}")


def _zsh_values(what: Flag | Argument) -> str:
    if what.choices:
        return f"({' '.join(what.choices)})"
    if asked := _asks(what):
        of = " --of $words[2]" if _looked_up(what) == "segment" else ""
        return f'{{local -a found; found=(${{(f)"$({asked}{of} 2>/dev/null)"}}); compadd -a found}}'
    return {"file": "_files", "directory": "_files -/"}.get(what.kind, "")


def _fish(commands: list[Command]) -> Iterator[str]:
    yield "# keyhole for fish"
    for name, summary in COMMANDS.items():
        yield f"complete -c keyhole -n __fish_use_subcommand -f -a {name} -d {_quoted(summary)}"
    for one in commands:
        when = f"complete -c keyhole -n '__fish_seen_subcommand_from {one.name}'"
        if choices := _choices(one):
            yield f"{when} -f -a '{choices}'"
        for argument in one.arguments:
            if asked := _asks(argument):
                yield f"{when} -f -a '({asked} 2>/dev/null)'"
        for flag in one.flags:
            name = flag.name.removeprefix("--")
            yield f"{when} -l {name}{_fish_values(flag)} -d {_quoted(flag.help)}"


def _fish_values(flag: Flag) -> str:
    if not flag.takes_value:
        return ""
    if flag.choices:
        return f" -x -a '{' '.join(flag.choices)}'"
    if asked := _asks(flag):
        of = " --of (commandline -opc)[3]" if _looked_up(flag) == "segment" else ""
        return f" -x -a '({asked}{of} 2>/dev/null)'"
    known = {"file": " -r -F", "directory": " -x -a '(__fish_complete_directories)'"}
    return known.get(flag.kind, " -x")


def _quoted(text: str) -> str:
    """Return text in single quotes, as every one of these shells reads it."""
    return "'" + text.replace("\\", "\\\\").replace("'", "'\\''") + "'"


SHELLS = ("bash", "zsh", "fish")


_MOST_VALUES = 200


def run(given: Given) -> int:
    """Print the script, or the values that it asks for."""
    if kind := given.text("--values"):
        say("\n".join(_values(given, kind)))
        return DONE
    say(script(given.text("SHELL") or "bash"))
    return DONE


def _values(given: Given, kind: str) -> list[str]:
    """Return what there is to complete; a file that cannot be read has nothing."""
    from keyhole.engine.history.recall import HistoryRequest
    from keyhole.engine.reading import Shape
    from keyhole.refusals import Refused
    from keyhole.surfaces.cli.session import opened, path_in

    try:
        with opened(given) as engine:
            if kind == "task":
                return [each.name for each in engine.administration.tasks().tasks[:_MOST_VALUES]]
            if kind == "proposal":
                found = engine.review.proposals()
                return [each.proposed.id for each in found if each.proposed.verdict is None]
            if kind == "transaction":
                past = engine.history(HistoryRequest(limit=_MOST_VALUES)).transactions
                return [each.entry.id for each in past]
            path = path_in(given, engine.root, given.text("--of") or "")
            rows = engine.outline(path, Shape(), "").as_data().get("segments")
            return [str(each["address"]) for each in rows] if isinstance(rows, list) else []
    except Refused:
        return []


COMMAND = Command(
    "completion",
    "print a completion script for a shell",
    run,
    about="""\
The script completes commands, flags, their choices and files, and asks keyhole for transactions,
tasks, segments and proposals of the workspace.""",
    example="""\
$ keyhole completion bash > ~/.local/share/bash-completion/completions/keyhole
$ keyhole completion zsh > ~/.zfunc/_keyhole
$ keyhole completion fish > ~/.config/fish/completions/keyhole.fish""",
    arguments=(Argument("SHELL", "which shell", required=False, kind="text", choices=SHELLS),),
    groups={
        "for the script": (
            Flag("--values", "print the values there are", choices=_LOOKED_UP),
            Flag("--of", "with --values segment: the file", "PATH", "file"),
            ROOT,
        )
    },
)
