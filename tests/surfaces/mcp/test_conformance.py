"""What `make conformance` goes by; the run itself needs packages of npm, and is no part of this."""

from pathlib import Path

from bench.conformance import NEWEST, OTHERS, RUNS, STABLE, Proxy, passed, verdicts

PAGE = Path(__file__).parents[3] / "docs" / "mcp.md"


def test_the_summary_of_the_suite_is_read() -> None:
    report = "x\n=== SUMMARY ===\n✓ ping: 1 passed, 0 failed\n✗ tools-list: 0 passed, 2 failed\n\n"

    assert verdicts(report + "Total: 1 passed, 2 failed\n") == {"ping": 0, "tools-list": 2}


def test_a_request_passes_the_proxy_with_the_token_and_its_own_host() -> None:
    proxy = Proxy(80, "secret")
    proxy.port = 81
    head = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:81\r\nConnection: keep-alive\r\n\r\n"

    assert proxy.rewritten(head).split(b"\r\n") == [
        b"POST /mcp HTTP/1.1",
        b"Host: 127.0.0.1:80",
        b"Authorization: Bearer secret",
        b"Connection: close",
        b"",
        b"",
    ]
    assert b"Host: evil.example" in proxy.rewritten(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")


def test_what_is_not_required_does_not_count() -> None:
    report = "✗ tasks-lifecycle: 2 passed, 7 failed\n✓ ping: 1 passed, 0 failed\n\n"
    rest = "Not scored for 2026-07-28: 1 scenario(s) run.\n  ✗ tasks-lifecycle (extension)\n"

    assert verdicts(report + rest) == {"ping": 0}
    assert passed("Checks:\nPassed: 2/2, 0 failed, 0 warnings\n")
    assert not passed("Passed: 1/2, 1 failed, 0 warnings\n")
    assert not passed("")
    assert verdicts("✗ server-sse-polling: 0 passed, 1 failed\n") == {}


def test_the_page_names_the_suites_and_what_does_not_count() -> None:
    text = PAGE.read_text(encoding="utf-8")

    assert all(version in text for version in (STABLE, NEWEST))
    assert all(words[1] in text for version, words, _ in RUNS if version == NEWEST)
    assert all(f"`{name}`" in text and why in text for name, why in OTHERS.items())
