"""An example: recipes (`*.recipe`), whose steps keyhole edits by name."""

import re
from collections.abc import Mapping

from keyhole import SegmentDetector, SegmentLocation

_STEP = re.compile(r"^(?P<dish>[\w ]+) > (?P<step>[\w ]+):$")


class Recipes(SegmentDetector):
    """`Cake > Bake:` begins a step, which goes on to the next one."""

    language = "recipe"
    extensions = ("recipe",)

    def detect(self, content: str, file_path: str) -> Mapping[str, SegmentLocation]:  # noqa: ARG002
        """Return the steps by `dish.step`."""
        lines = content.splitlines()
        steps = [
            (number, found) for number, line in enumerate(lines) if (found := _STEP.match(line))
        ]
        ends = [*(number for number, _ in steps[1:]), len(lines)]
        return {
            name: SegmentLocation(name, number + 1, end, kind="step")
            for (number, found), end in zip(steps, ends, strict=True)
            for name in [f"{found['dish']}.{found['step']}"]
        }
