from pathlib import Path

from keyhole.workspace.template_dirs import TemplateDirectory


def test_templates_below_a_directory_are_listed_by_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("b.md.j2", "a.md.jinja2", "sub/c.jinja", "readme.txt"):
        (tmp_path / name).write_text("x", encoding="utf-8")

    assert list(TemplateDirectory(tmp_path).names()) == ["a.md.jinja2", "b.md.j2", "sub/c.jinja"]


def test_a_template_is_read_with_plain_line_ends(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_bytes("é\r\nb\n".encode())

    assert TemplateDirectory(tmp_path).read("a.j2") == "é\nb\n"


def test_nothing_outside_the_directory_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s", encoding="utf-8")
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "link.j2").symlink_to(tmp_path / "secret")
    (shelf / "notes.txt").write_text("not a template", encoding="utf-8")
    (tmp_path / "other.j2").write_text("s", encoding="utf-8")

    outside = ("../other.j2", str(tmp_path / "other.j2"), "link.j2")
    for name in (*outside, "../secret", "notes.txt", "gone.j2", "a\0b.j2"):
        assert TemplateDirectory(shelf).read(name) is None


def test_what_is_no_text_or_far_too_long_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_bytes(b"\xff\xfe")
    (tmp_path / "b.j2").write_bytes(b"x" * (1024 * 1024 + 1))

    assert TemplateDirectory(tmp_path).read("a.j2") is None
    assert TemplateDirectory(tmp_path).read("b.j2") is None


def test_a_directory_that_is_not_there_has_no_templates(tmp_path: Path) -> None:
    assert list(TemplateDirectory(tmp_path / "gone").names()) == []
