import pytest

from keyhole.edits.model.operations import Edit, InOrder
from keyhole.refusals import Refusal, Refused
from keyhole.toolsets.article.tools import edits, refused


def test_edits_are_exact_and_in_order_and_keep_their_reasons() -> None:
    given = {"old_string": "a", "new_string": "b", "reason": "why"}

    operation = edits({"path": "a.md", "edits": [given]})

    edit = Edit(find="a", content="b", match="exact", verbatim=True, reason="why")
    assert operation == InOrder("a.md", (edit,))


def test_a_field_that_no_edit_has_is_refused() -> None:
    given = {"old_string": "a", "new_string": "b", "reason": "why", "all": True}

    with pytest.raises(Refused) as caught:
        edits({"path": "a.md", "edits": [given]})

    assert caught.value.refusals[0].headline == "unknown argument `all`"


def test_a_refusal_begins_with_the_number_of_its_edit() -> None:
    refusal = Refusal("syntax-broken", "the front matter breaks", help="mend it", edit=2)

    assert refused([refusal]) == {
        "success": False,
        "error": "Edit 2: the front matter breaks\nmend it",
        "code": "syntax-broken",
        "index": 2,
    }
