import pytest

from keyhole.edits.model.plan import expected_of
from keyhole.refusals import Refused

HASH = "0123456789abcdef"
SPELLING = {"src/a.py": "./src/a.py"}


def test_one_hash_is_for_the_one_file_of_a_call() -> None:
    assert expected_of("", {}, ["a"]) == {}
    assert expected_of(f" {HASH.upper()} ", {}, ["a"]) == {"a": HASH}
    assert expected_of(HASH * 4, {}, ["a"]) == {"a": HASH}


def test_a_file_may_be_named_as_the_call_spells_it_or_as_it_is_called() -> None:
    for name in ("./src/a.py", "src/a.py"):
        assert expected_of({name: HASH}, SPELLING, ["src/a.py", "b"]) == {"src/a.py": HASH}


@pytest.mark.parametrize(
    ("given", "headline"),
    [
        (HASH, "one hash cannot be for several files"),
        ({"other": HASH}, "other is not a file of this call"),
        ({"b": "0123"}, "'0123' is not a hash"),
    ],
)
def test_what_fits_no_file_is_refused(given: str | dict[str, str], headline: str) -> None:
    with pytest.raises(Refused, match=headline) as caught:
        expected_of(given, SPELLING, ["src/a.py", "b"])

    assert caught.value.refusals[0].data == {"field": "expected_hash"}
