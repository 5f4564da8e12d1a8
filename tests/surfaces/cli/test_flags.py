from keyhole.edits.model.operations import ASKABLE
from keyhole.engine import options
from keyhole.surfaces.cli import grammar
from keyhole.surfaces.cli.grammar import COMMANDS, command


def test_choices_are_those_of_the_engine() -> None:
    assert grammar.MODES == options.MODES
    assert grammar.ON_CONFLICT == options.ON_CONFLICT


def test_no_command_has_two_flags_of_one_name() -> None:
    for name in COMMANDS:
        names = [flag.name for flag in command(name).flags]
        assert sorted(set(names)) == sorted(names)


def test_every_field_of_an_edit_is_a_flag() -> None:
    known = {flag.name for flag in command("edit").flags} | {"--path"}
    assert {f"--{name.replace('_', '-')}" for name in ASKABLE} <= known
