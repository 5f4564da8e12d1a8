"""The parts of the programme, each a target of make, and what each of them runs."""

_KILL = "tests/torture/test_kill.py::test_a_killed_commit_is_finished_or_gone"
_WEAK = "tests/torture/test_weak_disk.py"

PARTS = {
    "kill-one": [f"{_KILL}[one]", f"{_KILL}[one, weak]"],
    "kill-five": [f"{_KILL}[five]", f"{_KILL}[five, weak]"],
    "kill-twenty": [f"{_KILL}[twenty]"],
    "power": ["tests/torture/test_power.py"],
    "weak-disk": [_WEAK, "-k", "states or order"],
    "teeth": [_WEAK, "tests/torture/test_kill.py", "-k", "caught"],
    "errors": ["tests/torture/test_errors.py"],
    "intruders": ["tests/torture/test_intruders.py"],
    "contention": ["tests/torture/test_contention.py"],
    "overlap": ["tests/torture/test_overlap.py"],
    "histories": ["tests/torture/test_histories.py"],
    "undo": ["tests/torture/test_undo_worlds.py"],
    "model": ["tests/laws/test_workspace_model.py"],
    "damage": ["tests/torture/test_damage.py"],
    "sandbox": [
        "tests/workspace/test_sandbox.py",
        "tests/torture/test_sandbox.py",
        "tests/torture/test_landlock.py",
    ],
    "races": ["tests/torture/test_races.py"],
    "metadata": [
        "tests/disk/test_files.py",
        "tests/workspace/test_metadata_matrix.py",
    ],
    "bytes": ["tests/laws/test_fidelity.py", "tests/workspace/test_fidelity.py"],
    "resources": ["tests/workspace/test_resources.py", "tests/torture/test_resources.py"],
    "growth": ["tests/torture/test_growth.py"],
    "notebooks": ["tests/laws/test_notebooks.py"],
    "patches": ["tests/torture/test_patches.py"],
    "place": ["tests/torture/test_place.py"],
    "protocol": ["tests/torture/test_protocol.py", "tests/surfaces/mcp/test_crowds.py"],
    "changes": ["tests/torture/test_changes.py"],
    "shared": ["tests/torture/test_shared.py"],
}
