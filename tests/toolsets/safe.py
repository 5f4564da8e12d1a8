"""Calls of `safe_edit_file` for tests."""

from dataclasses import dataclass

from tests.toolsets.desk import Data, Desk, Set


@dataclass(frozen=True, slots=True)
class Safe:
    """The set `safe-edit` at a desk."""

    desk: Desk

    @property
    def tools(self) -> Set:
        return Set(self.desk, "safe-edit")

    def ok(self, path: str, **arguments: object) -> Data:
        return self.tools.ok("safe_edit_file", path=path, **arguments)

    def no(self, path: str, **arguments: object) -> Data:
        return self.tools.no("safe_edit_file", path=path, **arguments)

    def schema(self, path: str) -> Data:
        return self.tools.ok("query_file_schema", path=path)

    def names(self, path: str) -> list[str]:
        return [row["address"] for row in self.rows(path)]

    def rows(self, path: str) -> Data:
        return self.schema(path)["structure"]["segments"]

    def after(self, path: str, before: str, **arguments: object) -> str:
        """The file after an edit of this text."""
        self.desk.write(path, before)
        self.ok(path, **arguments)
        return self.desk.read(path)

    def refused(self, path: str, before: str, **arguments: object) -> Data:
        """The answer to an edit of this text that must be refused and change nothing."""
        self.desk.write(path, before)
        data = self.no(path, **arguments)
        assert self.desk.read(path) == before
        return data


def segment(kind: str, name: str, content: str, **more: object) -> dict[str, object]:
    """The argument `segment_edit`."""
    return {"segment_type": kind, "segment_name": name, "new_content": content, **more}


def section(name: str, content: str, **more: object) -> dict[str, object]:
    return segment("markdown_section", name, content, **more)


def function(name: str, content: str, **more: object) -> dict[str, object]:
    return segment("python_function", name, content, **more)


def method(name: str, content: str, **more: object) -> dict[str, object]:
    return segment("python_method", name, content, **more)


def class_(name: str, content: str, **more: object) -> dict[str, object]:
    return segment("python_class", name, content, **more)


def lines(start: int, end: int, content: str) -> dict[str, object]:
    """One entry of `line_edits`."""
    return {"start_line": start, "end_line": end, "new_content": content}
