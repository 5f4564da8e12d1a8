from keyhole.edits.checks.syntax.grammar import shell_problems


def test_what_only_bash_minds_is_doubtful() -> None:
    assert shell_problems("echo x\n") == ()
    assert [each.doubtful for each in shell_problems("if true; then\n")] == [True]
