"""Servers as npm has them: what they rename is what they rename for an editor."""

from pathlib import Path

import pytest

from keyhole.engine.options import Options
from keyhole.engine.rename.request import Rename
from tests.language_servers.stage import ServerStage, found_by

TYPESCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"strict": true}}\n',
    "src/load.ts": (
        "// load\n/** Not load: {@link load} */\n"
        "export function load(path: string) {\n  return path;\n}\n"
        'const all = { load };\nall.load("𝄞", load);\n'
    ),
    "src/use.ts": 'import { load } from "./load";\n\nload("load"); /* load */ load("é");\n',
}
AFTER = {
    "src/load.ts": (
        "// load\n/** Not load: {@link fetch} */\n"
        "export function fetch(path: string) {\n  return path;\n}\n"
        'const all = { load: fetch };\nall.load("𝄞", fetch);\n'
    ),
    "src/use.ts": 'import { fetch } from "./load";\n\nfetch("load"); /* load */ fetch("é");\n',
}


@pytest.mark.parametrize("path", ["core.py", "src/load.ts"])
def test_a_symbol_is_renamed_by_a_real_server(tmp_path: Path, npm_programs: str, path: str) -> None:
    stage = ServerStage(tmp_path, **TYPESCRIPT)
    node = "/usr/local/bin:/usr/bin:/bin"
    engine = stage.opened(path=f"{npm_programs}:{node}")
    try:
        receipt = stage.rename(engine, path)
        back = engine.refactoring.rename(Rename(path, "fetch", "gather"), Options(actor="me"))

        name = "pyright" if path == "core.py" else "typescript-language-server"
        assert found_by(receipt) == name
        assert back.outcome == "applied"
        texts = {file: text.replace("gather", "fetch") for file, text in stage.texts().items()}
        if path == "core.py":
            assert texts["user.py"] == "from core import fetch\n\nprint(fetch('load'))\n"
        else:
            assert {file: texts[file] for file in AFTER} == AFTER
    finally:
        stage.close()
