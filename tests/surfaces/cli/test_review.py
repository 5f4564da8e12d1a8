import re
import signal
import subprocess
import urllib.error
import urllib.request

import pytest

from keyhole.surfaces.http.announced import ADDRESS, address_at
from tests import forked
from tests.surfaces.cli.shell import KEYHOLE, Shell


def test_the_page_is_served_at_an_address_that_opens_once(keyhole: Shell) -> None:
    command = [KEYHOLE, "review", "--root", str(keyhole.root), "--no-open", "--port", "0"]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, env={**keyhole.environment, **forked.counting()}
    ) as process:
        assert process.stderr
        said = process.stderr.readline().decode()
        address = re.findall(r"http://127\.0\.0\.1:\d+/enter/\S+", said)[0]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address, timeout=120) as answer:
            page = answer.read().decode()
        with pytest.raises(urllib.error.HTTPError) as again:
            urllib.request.urlopen(address, timeout=120)
        again.value.close()
        more = process.stderr.readline().decode()
        [path] = (keyhole.base / "state").rglob(ADDRESS)
        known = address_at(path)
        process.send_signal(signal.SIGINT)
        code = process.wait(120)

    assert "Nothing has happened here yet" in page
    assert again.value.code == 401
    assert more.startswith("for another browser: http://127.0.0.1:")
    assert code == 130
    assert (known, address_at(path)) == (address.partition("/enter")[0], "")


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
