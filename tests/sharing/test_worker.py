from keyhole.sharing.worker import PendingQuestion


def test_a_question_that_nobody_waits_for_is_not_worked_on() -> None:
    worked: list[int] = []
    question = PendingQuestion(lambda: worked.append(1))
    question.give_up()
    question.carry_out()

    assert not worked
