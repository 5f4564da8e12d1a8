"""Templates: what a new file is made from, what it asks for, and what it becomes."""

_HEAD = 4096


def may_have_header(text: str) -> bool:
    """Tell cheaply whether a text could begin with a header; most cannot, and cost no more."""
    head = text[:_HEAD]
    return "template=" in head or "SCAFFOLD:" in head
