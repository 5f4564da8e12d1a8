"""Confine the process: the kernel lets it write in some directories only, and run nothing.

A second guard behind the checks of paths. Reading is not confined: modules are loaded when they
are needed, and the gate decides what agents may read.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from pathlib import Path

from keyhole.disk import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # one number on every architecture
_VERSION = 1
_BENEATH = 1
_LEAST = 3  # before, a file could be cut short in spite of it

_EXECUTE, _WRITE = 1 << 0, 1 << 1
_REMOVE_DIRECTORY, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_DIRECTORY, _MAKE_FILE = 1 << 7, 1 << 8
_MAKE_OTHERS = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 12  # devices, sockets, pipes, links
_REFER, _TRUNCATE = 1 << 13, 1 << 14

_GRANTED = (
    _WRITE | _TRUNCATE | _REFER | _REMOVE_DIRECTORY | _REMOVE_FILE | _MAKE_DIRECTORY | _MAKE_FILE
)
_CONFINED = _GRANTED | _EXECUTE | _MAKE_OTHERS


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("directory", ctypes.c_int32))


def version() -> int:
    """Return which Landlock the kernel has, 0 for none."""
    if not kernel.IS_LINUX:
        return 0
    return max(0, kernel.call(_CREATE_RULESET, None, 0, _VERSION))


def can_confine() -> bool:
    """Tell whether the kernel knows how."""
    return version() >= _LEAST


def confine(directories: Iterable[Path]) -> bool:
    """Let this thread, and those it starts, write below these directories only; tell if it works.

    There is no way back. Threads that run already are not confined, so this comes first.
    """
    if not can_confine():
        return False
    ruleset = _Ruleset(_CONFINED)
    rules = kernel.call(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    if rules < 0:
        return False
    try:
        return all(_allow(rules, each) for each in directories) and _restrict(rules)
    finally:
        os.close(rules)


def _allow(rules: int, directory: Path) -> bool:
    fd = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        rule = _Rule(_GRANTED, fd)
        return kernel.call(_ADD_RULE, rules, _BENEATH, ctypes.byref(rule), 0) == 0
    finally:
        os.close(fd)


def _restrict(rules: int) -> bool:
    return kernel.no_new_privileges() and kernel.call(_RESTRICT_SELF, rules, 0) == 0
