import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from urllib.parse import urljoin, urlsplit

import pytest

from keyhole.surfaces.http.announced import ADDRESS, address_at
from keyhole.surfaces.web.sign_in import port_of
from tests import forked
from tests.scene import put
from tests.surfaces.cli.shell import KEYHOLE, Shell


def test_pages_are_served_at_addresses_that_open_once(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two")
    other, opened = keyhole.base / "other", keyhole.base / "opened"
    other.mkdir()
    browser = put(keyhole.base, "browser", f"#!/bin/sh\necho $1 >{opened}\n")
    browser.chmod(0o755)
    roots = ["--root", str(keyhole.root), "--root", str(other)]
    command = [KEYHOLE, "review", *roots, "--port", "0", "--editor", "zed"]
    environment = {**keyhole.environment, **forked.counting(), "BROWSER": str(browser)}
    ports = range(port_of(str(other)), port_of(str(other)) + 10)
    with ExitStack() as taken:
        for port in ports:
            with suppress(OSError):  # then somebody else has it
                taken.enter_context(socket.create_server(("127.0.0.1", port)))
        process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment)
        with process:
            assert process.stderr
            first, second = (process.stderr.readline().decode().split()[-1] for _ in range(2))
            known = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            pages = []
            for address in (first, urljoin(first, "/tx/1"), urljoin(second, "/")):
                with known.open(address, timeout=120) as answer:
                    pages.append(answer.read().decode())
            with pytest.raises(urllib.error.HTTPError) as again:
                urllib.request.urlopen(first, timeout=120)
            again.value.close()
            more = process.stderr.readline().decode()
            files = list((keyhole.base / "state").rglob(ADDRESS))
            announced = {address_at(path) for path in files}
            process.send_signal(signal.SIGINT)
            code = process.wait(120)

    origins = [address.partition("/enter")[0] for address in (first, second)]
    menus = [re.findall('<li><a href="(.*?)">(.*?)</a></li>', page) for page in pages]
    assert menus == [[(origins[1], "other")], [(origins[1], "other")], [(origins[0], "root")]]
    assert f'href="zed://file{keyhole.root}/a.txt:1"' in pages[1]
    assert "Nothing has happened here yet" in pages[2]
    assert opened.read_text("utf-8") == f"{first}\n"
    assert urlsplit(second).port not in ports
    assert again.value.code == 401
    assert more.startswith(f"for another browser: {origins[0]}/enter/")
    assert code == 130
    assert (announced, [address_at(path) for path in files]) == ({*origins}, ["", ""])


def test_an_export_is_one_file(keyhole: Shell) -> None:
    keyhole.write("a.txt", "one\n")
    keyhole.ok("edit", "a.txt", "--find", "one", "--content", "two", "--task", "t")
    target = keyhole.base / "out.html"

    done = keyhole.ok("review", "--export", str(target), "--task", "t")
    failed = keyhole("review", "--export", str(keyhole.base / "nowhere/out.html"))

    assert done.out == ""
    assert "<h1>Task" in target.read_text("utf-8")
    assert failed.code == 1
    assert "cannot be written" in failed.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--export", "x.html", "--port", "1"], "--port and --export are both given"),
        (["--task", "t"], "--task goes with --export; the page itself has a filter for it"),
        (["--export", ""], "--export is empty; give it a value, or leave it out"),
    ],
    ids=str,
)
def test_flags_that_would_go_unheard_are_refused(
    keyhole: Shell, words: list[str], said: str
) -> None:
    done = keyhole("review", *words)

    assert (done.code, done.err.split("\n")[0]) == (2, f"keyhole review: {said}")
