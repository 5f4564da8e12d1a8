"""Templates: their variables, their rendering, and the header of files made from them."""

_HEAD = 4096


def may_have_header(text: str) -> bool:
    """Tell cheaply whether a text could begin with a header; most cannot."""
    head = text[:_HEAD]
    return "template=" in head or "SCAFFOLD:" in head
