"""From a wheel in an empty environment to the first landed edit in a real host: two commands.

`make first-edit` builds the wheel, makes an environment with nothing but pip and an empty home,
types the two commands, and lets the host work against the scripted model.
"""

import os
import subprocess
import sys
import tempfile
import venv
from dataclasses import replace
from pathlib import Path

from tests.laboratory.hosts import LAB_HOSTS, LabHost, Place
from tests.laboratory.model import Call, ScriptedModel, Step
from tests.laboratory.running import desk

ROOT = Path(__file__).parents[1]
EDIT = Call(
    "edit",
    {"edits": [{"path": "a.py", "find": "x = 1", "content": "x = 2", "reason": "two is right"}]},
)


def built(base: Path) -> Path:
    """Return the wheel, as it would be handed to a user."""
    command = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(base), str(ROOT)], check=True)
    [wheel] = base.glob("keyhole-*.whl")
    return wheel


def typed(command: list[str], cwd: Path, environment: dict[str, str]) -> None:
    """Type a command, and show what it says."""
    print(f"$ {' '.join(command)}")
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    print(done.stdout, end="", flush=True)
    if done.returncode:
        sys.exit(f"it ended with {done.returncode}")


def lands(host: LabHost, wheel: Path, base: Path, cache: Path) -> bool:
    """Tell whether an edit lands in a host after the two commands."""
    programs = base / "environment/bin"
    venv.create(programs.parent, with_pip=True)
    path = os.pathsep.join([str(programs), "/usr/local/bin", "/usr/bin", "/bin"])
    plain = host.environment

    def environment(place: Place) -> dict[str, str]:
        return {**plain(place), "PATH": path}

    model = ScriptedModel([Step((EDIT,))], naming=host.naming, wrapping=host.wrapping)
    with desk(replace(host, environment=environment), cache, base, model) as table:
        file = table.place.project / "a.py"
        file.write_text("x = 1\n", encoding="utf-8")
        around = {name: os.environ[name] for name in os.environ if name.startswith("PIP_")}
        around |= table.environment
        pip = ["pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
        typed(pip, table.place.project, around)
        typed(["keyhole", "install", host.name], table.place.project, around)
        prompt = table.host.run(table.place, "Set x to two.")
        code, output = table.ask(*prompt)
        text = file.read_text(encoding="utf-8")
    done = code == 0 and text == "x = 2\n"
    print(f"{host.name}: {'the edit landed' if done else output}")
    return done


def main(cache: str, *names: str) -> int:
    """Try each host that is named."""
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch)
        wheel = built(base)
        verdicts = [
            lands(LAB_HOSTS[name], wheel, base / name, Path(cache).resolve()) for name in names
        ]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
