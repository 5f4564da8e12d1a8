import pytest

from keyhole.engine.options import Options
from keyhole.refusals import Refused


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("task", 5),
        ("reason", None),
        ("dry_run", "no"),
        ("expected_hash", ["a"]),
        ("mode", 1),
        ("shrink", "never"),
        ("claim", "9m"),
    ],
)
def test_options_of_another_type_are_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(Refused, match=f"bad-request: `{name}` is ") as error:
        Options(**{name: value})  # type: ignore[arg-type]

    assert error.value.refusals[0].data == {"field": name}
