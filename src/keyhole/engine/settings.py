"""Settings: the only reader of the environment and the configuration files.

The user's file may allow things; the workspace's own `keyhole.toml` comes with the files that
agents edit, so it may narrow what is allowed and never widen it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from keyhole.fastclasses import dataclass, field, replace
from keyhole.refusals import Refusal, Refused

if TYPE_CHECKING:
    from keyhole.linters.base import Linter


_TYPES: Mapping[str, type] = {
    **dict.fromkeys(("read_only", "refresh_updated", "backup"), bool),
    **dict.fromkeys(("task_mode", "article", "encoding", "templates", "durability"), str),
    **dict.fromkeys(("extensions", "allow_protected"), list),
    **dict.fromkeys(("max_bytes", "keep_days", "keep_bytes", "keep_shared_days"), int),
    "language_server_seconds": int,
    **dict.fromkeys(("journal", "project", "machine"), str),
    **dict.fromkeys(("validators", "language_servers"), dict),
}
_IS = {bool: "true or false", str: "text", list: "a list", int: "a number from 0", dict: "a table"}


def values_of(path: Path, *, within: str = "") -> dict[str, object]:
    """Return the checked values of a configuration file; nothing where there is none.

    `within` is the root of the workspace that brings the file along.
    """
    from keyhole.disk.bounded import SETTINGS, UnfitFile, read_bounded

    try:
        body = read_bounded(str(path), SETTINGS, within=within)
    except UnfitFile as unfit:
        raise bad_file(path, str(unfit)) from None
    if body is None:
        return {}
    import tomllib

    from keyhole.text.toml import LongKeyError, read_toml

    try:
        values = read_toml(body.decode("utf-8"))
    except LongKeyError as error:
        raise bad_file(path, f"cannot be read: {error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_file(path, f"is not TOML: {' '.join(str(error).split())}") from None
    checked = {name: _checked(path, name, value) for name, value in values.items()}
    if isinstance(tables := checked.get("validators"), dict):
        checked["validators"] = _linters(path, tables, body)
    if isinstance(named := checked.get("language_servers"), dict):
        _check_servers(path, named)
    return checked


def _linters(path: Path, tables: Mapping[str, object], body: bytes) -> tuple[Linter, ...]:
    """Return the linters of a configuration file, each with the hash of that file."""
    import hashlib

    from keyhole.linters.configured import linters_of

    try:
        return linters_of(tables, hashlib.sha256(body).hexdigest())
    except ValueError as error:
        raise bad_file(path, str(error)) from None


def _check_servers(path: Path, named: Mapping[str, object]) -> None:
    """Refuse what is no server of ours: a setting names a program, and no word behind it."""
    from keyhole.language_servers.table import LANGUAGES, OFF, row_of_program

    for language, program in named.items():
        where = f"sets `language_servers.{language}`"
        if language not in LANGUAGES:
            known = ", ".join(sorted(LANGUAGES))
            raise bad_file(path, f"{where}, which is no language of a server; these are: {known}")
        row = row_of_program(program) if isinstance(program, str) else None
        is_of_it = row is not None and language in row.languages
        is_place = isinstance(program, str) and ("/" not in program or program.startswith("/"))
        if program != OFF and not (is_of_it and is_place):
            what = "no full path or name of a server of the language, nor `off`"
            raise bad_file(path, f"{where} to {program!r}, {what}")


def _checked(path: Path, name: str, value: object) -> object:
    wanted = _TYPES.get(name)
    if wanted is None:
        raise bad_file(path, f"has the unknown setting `{name}`; settings are {', '.join(_TYPES)}")
    # Of a number below 0 some would say that it means no limit, and the history would be gone.
    if type(value) is not wanted or (isinstance(value, int) and value < 0):
        raise bad_file(path, f"sets `{name}` to {value!r}, which is not {_IS[wanted]}")
    if isinstance(value, list):
        if not all(isinstance(item, str) for item in value):
            raise bad_file(path, f"sets `{name}` to a list that holds more than text")
        return tuple(value)
    if name == "task_mode":
        check_task_mode(str(value), f"{path} sets `task_mode`")
    if name == "durability" and value not in {"full", "process"}:
        raise bad_file(path, f"sets `durability` to {value!r}, which is not full or process")
    if name == "encoding" and not _is_encoding(str(value)):
        raise bad_file(path, f"sets `encoding` to {value!r}, which is no encoding")
    return value


def _is_encoding(name: str) -> bool:
    import codecs

    try:
        codecs.lookup(name or "utf-8")
    except (LookupError, ValueError):
        return False
    return True


def check_task_mode(mode: str, who: str) -> None:
    """Refuse an unknown task mode; `who` names the setting."""
    from keyhole.storage.paths.access import check_mode

    check_mode(mode, who)


def bad_file(path: Path, what: str) -> Refused:
    """Return the refusal of a configuration file."""
    headline = f"{path} {what}".replace("\n", " ")
    return Refused(Refusal("bad-request", headline, help="mend the configuration file"))


def bad_environment(headline: str, move: str) -> Refused:
    """Return the refusal of an environment variable."""
    return Refused(Refusal("bad-request", headline, help=move))


DEFAULT_MAX_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user decided for a workspace, whichever door a request comes through."""

    state_home: Path
    read_only: bool = False
    task_mode: str = ""
    article: str = ""
    max_bytes: int = DEFAULT_MAX_BYTES
    extensions: tuple[str, ...] = ()
    allow_protected: tuple[str, ...] = ()
    encoding: str = ""
    keep_days: int = 0  # how much of the history to keep; 0 leaves it to the journal
    keep_bytes: int = 0
    validators: tuple[Linter, ...] = ()
    templates: tuple[Path, ...] = ()  # directories, the first to be looked into first
    refresh_updated: bool = True
    backup: bool = False  # keep each file that an edit changes beside it
    journal: str = ""
    project: str = ""
    # What the workspace's own file names; it counts where a person trusts that file.
    own_project: str = ""
    machine: str = ""
    keep_shared_days: int = 365
    language_servers: Mapping[str, str] = field(default_factory=dict)  # by language: programs
    language_server_seconds: int = 0
    durability: str = "full"  # or process: what an edit survives, a power cut or only a kill


def load(root: Path, environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings for `root`: the user's file, narrowed by the workspace's."""
    environment = os.environ if environment is None else environment
    _check_text(environment)
    settings = Settings(state_home(environment))
    user = _home(environment, "XDG_CONFIG_HOME", ".config") / "keyhole" / "config.toml"
    settings = replace(settings, **_of_the_user(user, root))  # type: ignore[arg-type]
    # The user's own linters carry no hash: they do not depend on keyhole.toml.
    own = tuple(replace(linter, source="") for linter in settings.validators)
    settings = replace(settings, validators=own, **_named(environment))  # type: ignore[arg-type]
    own_file = root / "keyhole.toml"
    said = values_of(own_file, within=str(root))
    for name in _OF_THE_USER:
        if name in said:
            raise bad_file(own_file, f"sets `{name}`, which only the user may set")
    templates = (*_own_templates(root, said), *settings.templates)
    return replace(_narrowed(settings, said), templates=templates)


def _of_the_user(file: Path, root: Path) -> dict[str, object]:
    """Return what the user's file says; a directory of templates may be anywhere."""
    values = values_of(file)
    if isinstance(place := values.get("templates"), str):
        values["templates"] = (root / Path(place).expanduser(),)
    return values


def _own_templates(root: Path, values: Mapping[str, object]) -> tuple[Path, ...]:
    """Return the directory of templates that a workspace names, which lies inside it."""
    if not isinstance(place := values.get("templates"), str):
        return ()
    inside = (root / place).resolve()
    if not inside.is_relative_to(root.resolve()):
        what = f"sets `templates` to {place!r}, which lies outside the workspace"
        raise bad_file(root / "keyhole.toml", what)
    return (inside,)


def _check_text(environment: Mapping[str, str]) -> None:
    """Refuse environment variables that are no text; paths may have any bytes."""
    for name in ("KEYHOLE_JOURNAL", "KEYHOLE_PROJECT", "KEYHOLE_MACHINE"):
        try:
            environment.get(name, "").encode("utf-8")
        except UnicodeEncodeError:
            headline = f"the environment variable {name} is not UTF-8"
            raise bad_environment(headline, f"set {name} to text") from None


def _named(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment's settings of sharing, which win over the user's file."""
    names = {name: f"KEYHOLE_{name.upper()}" for name in ("journal", "project", "machine")}
    return {name: environment[said] for name, said in names.items() if environment.get(said)}


def state_home(environment: Mapping[str, str]) -> Path:
    """Return the directory that the user keeps state in; ours is `keyhole` below it."""
    return _home(environment, "XDG_STATE_HOME", _HOMES["XDG_STATE_HOME"])


def homes(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return keyhole's own directories, also those it has where a host drops the variables."""
    usual = {"HOME": environment.get("HOME", "")}
    places = (_home(given, *each) for each in _HOMES.items() for given in (environment, usual))
    return tuple(dict.fromkeys(place / "keyhole" for place in places))


_HOMES = {
    "XDG_CONFIG_HOME": ".config",
    "XDG_STATE_HOME": ".local/state",
    "XDG_CACHE_HOME": ".cache",
}


def _home(environment: Mapping[str, str], name: str, default: str) -> Path:
    given = environment.get(name, "")
    # The specification says that a relative path here is to be ignored.
    if given.startswith("/") or (os.name == "nt" and given):
        return Path(given)
    home = home_of(environment)
    if not home:
        headline = "no home directory is known: HOME is not set, and the system knows none"
        raise bad_environment(headline, f"set HOME or {name}")
    return Path(home) / default


def home_of(environment: Mapping[str, str]) -> str:
    """Return the user's home directory: as `HOME` says, else as the system knows it, or ""."""
    return environment.get("HOME") or home_of_user()


def with_home(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return an environment that says where the user's home directory is."""
    return {**environment, "HOME": home_of(environment)}


def home_of_user() -> str:
    """Return the home directory that the system knows of the user, "" if it knows none."""
    if os.name != "posix":  # pragma: no cover: pwd is on every system that the tests run on
        return str(Path.home())
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


# A workspace comes from anywhere: it says neither where copies of its files are sent, nor how much
# of the history is kept, nor what an edit survives, nor which programs run.
_OF_THE_USER = (
    *("journal", "machine", "keep_shared_days", "keep_days", "keep_bytes", "durability"),
    *("language_servers", "language_server_seconds"),
)
# Nor does it lift its own guard. A project that tries is used all the same, behind the guard.
_IGNORED = ("allow_protected",)


def ignored(root: Path) -> tuple[str, ...]:
    """Return warnings about settings of a workspace's own file that have no effect."""
    file = root / "keyhole.toml"
    values = values_of(file, within=str(root))
    said = [name for name in _IGNORED if name in values]
    told = [f"{file} sets `{name}`, which counts in the user's file only" for name in said]
    given = load(root)
    if given.journal not in {"", "off"} and given.own_project and not is_trusted(given, root):
        told.append(f"{file} sets `project`, which counts after `keyhole trust`")
    return tuple(told)


def _narrowed(settings: Settings, values: Mapping[str, object]) -> Settings:
    """Return the settings with what the workspace's own file may say: less, never more."""
    read_only = settings.read_only or values.get("read_only") is True
    task_mode = both_modes(settings.task_mode, str(values.get("task_mode") or ""))
    max_bytes = settings.max_bytes
    if isinstance(limit := values.get("max_bytes"), int):
        max_bytes = min(max_bytes, limit)
    extensions = settings.extensions
    if isinstance(allowed := values.get("extensions"), tuple):
        extensions = fewer(extensions, allowed)
    encoding = values.get("encoding") or settings.encoding
    validators = settings.validators
    if isinstance(named := values.get("validators"), tuple):
        # They run only while a person trusts them: see `keyhole trust`.
        validators += named
    return replace(
        settings,
        read_only=read_only,
        task_mode=task_mode,
        article=settings.article or str(values.get("article") or ""),
        max_bytes=max_bytes,
        extensions=extensions,
        encoding=str(encoding),
        own_project=str(values.get("project") or ""),
        validators=validators,
        refresh_updated=settings.refresh_updated and values.get("refresh_updated") is not False,
        backup=values.get("backup", settings.backup) is True,
    )


def both_modes(one: str, other: str) -> str:
    """Return the task mode that two allow together."""
    if not (one and other):
        return one or other
    from keyhole.storage.paths.access import narrower

    return narrower(one, other)


def fewer(extensions: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return the extensions that both allow; no list allows all of them."""
    known = {one.lstrip(".").casefold() for one in extensions}
    kept = (item for item in allowed if not known or item.lstrip(".").casefold() in known)
    return tuple(kept) or ("/",)  # no file can end in it


def is_trusted(given: Settings, root: Path) -> bool:
    """Tell whether the file of a workspace that names a project is trusted."""
    if not given.own_project:
        return False
    from keyhole.journal.place import workspace_id
    from keyhole.linters.trust import Trust

    real = os.path.realpath(root)
    return not Trust(real, str(given.state_home / "keyhole" / workspace_id(real))).objection()


def read_input(path: str, most: int, move: str) -> bytes | None:
    """Return the bytes of a regular file that the user names, or refuse; None if there is none."""
    from keyhole.disk.bounded import UnfitFile, read_bounded

    try:
        return read_bounded(path, most)
    except UnfitFile as unfit:
        raise Refused(Refusal(unfit.code, f"{path} {unfit}", help=move)) from None


def wants_trace() -> bool:
    """Tell whether the user asked to see the trace of an internal error."""
    return bool(os.environ.get("KEYHOLE_TRACE"))


def allows_colour() -> bool:
    """Tell whether the environment lets a terminal be coloured."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
