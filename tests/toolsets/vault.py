"""Calls of the text tools for tests."""

from dataclasses import dataclass

from tests.toolsets.desk import Data, Desk, Set


@dataclass(frozen=True, slots=True)
class Vault:
    """The set `text` at a desk, on one file unless another is named."""

    desk: Desk

    @property
    def tools(self) -> Set:
        return Set(self.desk, "text")

    def write(self, text: str | bytes, path: str = "a.md") -> None:
        self.desk.write(path, text)

    def read(self, path: str = "a.md") -> str:
        return self.desk.read(path)

    def replace(self, old: str, new: str, **more: object) -> Data:
        arguments = {"filePath": "a.md", "oldText": old, "newText": new, **more}
        return self.tools.ok("TextReplace", **arguments)

    def not_replaced(self, old: str, new: str, **more: object) -> Data:
        """The refusal of a replacement, which changes nothing."""
        arguments = {"filePath": "a.md", "oldText": old, "newText": new, **more}
        return self.unchanged("TextReplace", arguments)

    def patch(self, operation: str, target: object, **more: object) -> Data:
        arguments = {"filePath": "a.md", "operation": operation, "target": target, **more}
        return self.tools.ok("TextPatch", **arguments)

    def not_patched(self, operation: str, target: object, **more: object) -> Data:
        arguments = {"filePath": "a.md", "operation": operation, "target": target, **more}
        return self.unchanged("TextPatch", arguments)

    def unchanged(self, tool: str, arguments: dict[str, object]) -> Data:
        before = {path: path.read_bytes() for path in self.desk.root.rglob("*") if path.is_file()}
        data = self.tools.no(tool, **arguments)
        after = {path: path.read_bytes() for path in self.desk.root.rglob("*") if path.is_file()}
        assert before == after
        assert data["status"] == "error"
        return data

    def inspect(self, **more: object) -> Data:
        return self.tools.ok("TextInspect", **{"filePath": "a.md", **more})


def numbers(rows: list[dict[str, object]]) -> list[object]:
    """The numbers of the lines of a context."""
    return [row["number"] for row in rows]
