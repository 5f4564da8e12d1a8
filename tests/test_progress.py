from keyhole.progress import Count, counted, expect, step


def test_steps_are_counted_where_somebody_waits() -> None:
    count = Count()

    with counted(count):
        expect(3, "counting")
        step()
    step()

    assert count == Count(1, 3, "counting")
