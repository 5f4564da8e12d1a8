from keyhole.segments.code.outline import LeadingNodes
from keyhole.segments.code.parser import FoundNode

TEXT = "/// one\n/// two\n#[a]\n\n#[b] fn f() {}\n"


def nodes() -> list[FoundNode]:
    return [
        FoundNode("comment", "line_comment", (), 0, 8),
        FoundNode("comment", "line_comment", (), 8, 16),
        FoundNode("attribute", "attribute_item", (), 16, 20),
        FoundNode("attribute", "attribute_item", (), 22, 26),
    ]


def test_everything_directly_above_is_attached_up_to_the_floor() -> None:
    leads = LeadingNodes(TEXT, nodes())

    assert leads.before(27, 0) == nodes()
    assert leads.before(27, 8) == nodes()[1:]


def test_parts_are_whole_lines_where_they_have_them() -> None:
    leads = LeadingNodes(TEXT, nodes())

    assert leads.parts(leads.before(27, 0)) == {"doc": (0, 16), "decorators": (16, 26)}
    assert leads.parts(nodes()[2:3]) == {"decorators": (16, 21)}
    assert leads.parts([]) == {}


def test_only_the_first_run_of_comments_is_the_doc() -> None:
    text = "// a\n#[x]\n// b\nfn f() {}\n"
    leads = LeadingNodes(
        text,
        [
            FoundNode("comment", "c", (), 0, 4),
            FoundNode("attribute", "a", (), 5, 9),
            FoundNode("comment", "c", (), 10, 14),
        ],
    )

    assert leads.parts(leads.before(15, 0)) == {"doc": (0, 5), "decorators": (5, 15)}
    assert leads.parts(leads.before(15, 5)) == {"doc": (10, 15), "decorators": (5, 10)}


def test_a_comment_between_attributes_is_no_doc() -> None:
    text = "#[x]\n// a\n#[y]\nfn f() {}\n"
    leads = LeadingNodes(
        text,
        [
            FoundNode("attribute", "a", (), 0, 4),
            FoundNode("comment", "c", (), 5, 9),
            FoundNode("attribute", "a", (), 10, 14),
        ],
    )

    assert leads.parts(leads.before(15, 0)) == {"decorators": (0, 15)}


def test_a_declaration_may_begin_with_its_own_attributes() -> None:
    text = "[a]\n[b] void f() {}\n"
    leads = LeadingNodes(
        text, [FoundNode("attribute", "l", (), 0, 3), FoundNode("attribute", "l", (), 4, 7)]
    )

    lead, own = leads.within(0)

    assert (len(lead), own) == (2, 8)


def test_a_declaration_ends_before_comments_that_are_not_inside_it() -> None:
    text = "a:\n  b\n  # in a\n# c\n\n# d\n"
    comments = [FoundNode("aside", "c", (), *place) for place in ((9, 15), (16, 19), (21, 24))]

    assert LeadingNodes(text, comments).own_end(0, len(text)) == 15
    assert LeadingNodes(text, comments).own_end(5, len(text)) == 6
