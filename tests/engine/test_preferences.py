import pytest

from keyhole.engine.preferences import editor, editor_link
from keyhole.refusals import Refused


def test_links_lead_into_the_editor_that_is_named() -> None:
    environment = {"KEYHOLE_EDITOR": "zed"}

    assert editor("", {}) == "vscode://file{path}:{line}"
    assert editor("", environment) == "zed://file{path}:{line}"
    assert editor("none", environment) == ""
    assert editor_link(editor("idea"), "/a b.py", 0) == "idea://open?file=/a%20b.py&line=1"
    assert editor_link(editor("idea"), "/\udcff.py", 1) == ""


@pytest.mark.parametrize("said", ["emacs", "javascript:alert('{path}')", "{path}"])
def test_an_editor_that_no_link_leads_into_is_refused(said: str) -> None:
    with pytest.raises(Refused) as caught:
        editor(said)

    assert caught.value.refusals[0].help == "for example zed://file{path}:{line}"
