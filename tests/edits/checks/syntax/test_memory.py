from keyhole.edits.checks.syntax.problem import ProblemCache


def test_an_answer_is_kept_by_its_text() -> None:
    memory: ProblemCache[int] = ProblemCache()
    memory.put("ab", 1)
    memory.put("cd", 2)

    assert [memory.get(text) for text in ("ab", "cd", "ef")] == [1, 2, None]


def test_the_oldest_answers_are_forgotten() -> None:
    memory: ProblemCache[int] = ProblemCache()
    for number in range(100):
        memory.put(str(number), number)
    memory.put("40", 0)

    known = [number for number in range(100) if memory.get(str(number)) is not None]

    assert known == list(range(36, 100))
    memory.put("new", 1)
    assert memory.get("36") is None
    assert memory.get("40") == 0
