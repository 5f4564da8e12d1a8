"""Our value classes behave as those of the standard library do."""

import dataclasses
import pickle
from collections.abc import Callable
from types import ModuleType

import pytest

from keyhole import fastclasses

BOTH = pytest.mark.parametrize("maker", [dataclasses, fastclasses], ids=["standard", "ours"])


def point(maker: ModuleType, *, slots: bool = True) -> type:
    @maker.dataclass(frozen=True, slots=slots)
    class Point:
        x: int
        y: int = 2
        tags: tuple = maker.field(default_factory=tuple)  # type: ignore[type-arg]
        note: str = maker.field(default="", compare=False, repr=False)

    return Point


@BOTH
def test_fields_are_taken_by_place_and_by_name(maker: ModuleType) -> None:
    made = point(maker)(1, note="n")

    assert (made.x, made.y, made.tags, made.note) == (1, 2, (), "n")
    assert [each.name for each in maker.fields(made)] == ["x", "y", "tags", "note"]


@BOTH
@pytest.mark.parametrize("arguments", [{}, {"x": 1, "z": 2}])
def test_what_does_not_fit_is_a_type_error(maker: ModuleType, arguments: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        point(maker)(**arguments)


@BOTH
def test_too_many_places_or_one_given_twice_is_a_type_error(maker: ModuleType) -> None:
    with pytest.raises(TypeError):
        point(maker)(1, 2, (), "n", 5)
    with pytest.raises(TypeError):
        point(maker)(1, x=1)


@BOTH
@pytest.mark.parametrize("slots", [True, False])
def test_a_frozen_value_stays_as_it_is(maker: ModuleType, *, slots: bool) -> None:
    made = point(maker, slots=slots)(1)

    with pytest.raises(AttributeError):
        made.x = 2
    with pytest.raises(AttributeError):
        del made.x
    assert made.x == 1


@BOTH
def test_equality_and_hash_follow_the_compared_fields(maker: ModuleType) -> None:
    made = point(maker)

    assert made(1, note="a") == made(1, note="b")
    assert hash(made(1, note="a")) == hash(made(1, note="b"))
    assert made(1) != made(2)
    assert made(1) != (1, 2, (), "")


@BOTH
def test_replace_makes_a_copy_and_checks_it_again(maker: ModuleType) -> None:
    @maker.dataclass(frozen=True, slots=True)
    class Even:
        number: int = 0

        def __post_init__(self) -> None:
            if self.number % 2:
                raise ValueError(self.number)

    even: Callable[..., object] = Even
    assert maker.replace(even(2), number=4) == even(4)
    with pytest.raises(ValueError, match="3"):
        maker.replace(even(2), number=3)


def test_an_altered_copy_is_not_checked_again() -> None:
    made = fastclasses.altered(point(fastclasses)(1, 5, note="n"), x=7)

    assert (made.x, made.y, made.tags, made.note) == (7, 5, (), "n")


@BOTH
def test_the_repr_names_the_class_and_the_shown_fields(maker: ModuleType) -> None:
    shown = repr(point(maker)(1, note="hidden"))

    assert shown.endswith("Point(x=1, y=2, tags=())")


@BOTH
def test_a_subclass_adds_its_fields_behind_those_of_its_base(maker: ModuleType) -> None:
    @maker.dataclass(frozen=True)
    class Base:
        a: int = 1

    @maker.dataclass(frozen=True)
    class More(Base):
        b: int = 2

    more: type = More
    assert (more(5, 6).a, more(5, 6).b, more.__match_args__) == (5, 6, ("a", "b"))  # type: ignore[attr-defined]


@BOTH
def test_a_value_that_is_not_frozen_can_be_changed_and_not_hashed(maker: ModuleType) -> None:
    @maker.dataclass(slots=True)
    class Box:
        items: list = maker.field(default_factory=list)  # type: ignore[type-arg]

    one, other = Box(), Box()
    one.items.append(1)
    one.items = [*one.items, 2]

    assert (one.items, other.items) == ([1, 2], [])
    with pytest.raises(TypeError):
        hash(one)


@fastclasses.dataclass(frozen=True, slots=True)
class Packed:
    """A value at module level, as pickling needs it."""

    a: int
    b: str = ""


def test_a_value_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(Packed(1, "x"))) == Packed(1, "x")


@BOTH
def test_two_threads_may_make_the_first_value_of_a_class_at_once(maker: ModuleType) -> None:
    made = point(maker)
    begun = made.__init__  # type: ignore[misc]
    other = made(1)

    late: object = object.__new__(made)
    begun(late, 1)
    assert late == other
