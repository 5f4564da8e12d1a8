"""Laws of patches: what we render applies; what is mutated is applied or refused, never a crash."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyhole.dialects.patches import parse
from keyhole.edits.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.refusals import Refused
from keyhole.text.diff import diff, unified
from keyhole.text.document import Document

LINES = st.lists(
    st.sampled_from(["a", "b", "  c", "d e", "", "-- x", "++ y", "@@", "é"]), max_size=12
)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))
MUTATED = 4_000


@given(TEXTS, TEXTS)
@settings(max_examples=600)
def test_a_rendered_difference_applies_to_the_byte(before: str, after: str) -> None:
    changes = diff(before, after)
    if changes.is_empty or not before:
        return
    document = Document.from_bytes(before.encode())

    plan = resolve(parse(unified("f.txt", before, changes)), Snapshot({"f.txt": document}))

    assert plan.files[0].after is not None
    assert plan.files[0].after.text == after


def mutated(rng: random.Random, patch: str) -> str:
    """Damage a patch: characters and lines dropped, doubled, swapped or replaced."""
    lines = patch.split("\n")
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                del lines[at]
                lines = lines or [""]
            case 1:
                lines.insert(
                    at, rng.choice([*lines, "@@", "--- x", "+++ y", "\\", "*** End of File"])
                )
            case 2:
                lines[at] = lines[at][1:]
            case 3:
                lines[at] = rng.choice("+- @*\\<>=\x00\t") + lines[at]
            case _:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


@pytest.mark.parametrize("form", ["unified", "begin", "blocks"])
def test_a_damaged_patch_is_applied_or_refused_by_name(form: str) -> None:
    before = "one\ntwo\n\nthree\n  four\nfive\nsix\n"
    sources = {
        "unified": unified("f.txt", before, diff(before, before.replace("three", "3\n4"))),
        "begin": "*** Begin Patch\n*** Update File: f.txt\n@@ two\n three\n-  four\n+4\n"
        "*** End Patch\n",
        "blocks": "f.txt\n<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE\n",
    }
    rng = random.Random(form)
    document = Document.from_bytes(before.encode())
    outcomes = {"applied": 0, "refused": 0}

    for _ in range(MUTATED):
        patch = mutated(rng, sources[form])
        try:
            operations = parse(patch)
            paths = [each.path for each in operations]
            files: dict[str, Document | None] = dict.fromkeys(paths, document)
            for each in operations:
                files[getattr(each, "to", each.path)] = files.get(each.path)
            resolve(operations, Snapshot(files))
            outcomes["applied"] += 1
        except Refused:
            outcomes["refused"] += 1

    assert sum(outcomes.values()) == MUTATED
    assert min(outcomes.values()) > MUTATED // 100
