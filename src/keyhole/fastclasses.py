"""Frozen values as `dataclasses` makes them, at a fraction of the start-up.

The command line is started for every edit, and `dataclasses` would cost it more than the edit: a
long import, and nearly 1 ms for each class, since it compiles six functions a class. Here all but
one are closures over the field names, and that one is compiled when the first value of the class is
made. Type checkers see the real thing.
"""

# ruff: noqa: ANN001, ANN002, ANN003, ANN201, ANN202, ANN204 - type checkers see dataclasses instead

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["altered", "dataclass", "field", "fields", "replace"]

if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
    from dataclasses import replace as altered
else:
    _MISSING = object()
    _put = object.__setattr__

    class Field:
        """One field of a value class: its default, and where it counts: `==`, hash, repr."""

        __slots__ = ("compare", "default", "factory", "hash", "name", "repr")

        def __init__(self, default, factory, *, compare, hash_, repr_):
            self.name = ""
            self.default = default
            self.factory = factory
            self.compare = compare
            self.hash = compare if hash_ is None else hash_
            self.repr = repr_

    _Slot = type(Field.__dict__["name"])

    def field(*, default=_MISSING, default_factory=None, compare=True, hash=None, repr=True):  # noqa: A002
        """Describe a field, as `dataclasses.field` does."""
        return Field(default, default_factory, compare=compare, hash_=hash, repr_=repr)

    def dataclass(cls=None, /, *, frozen=False, slots=False):
        """Make a class of values out of one with annotations, as `dataclasses.dataclass` does."""
        if cls is None:
            return lambda cls: _made(cls, frozen=frozen, slots=slots)
        return _made(cls, frozen=frozen, slots=slots)

    def fields(value):
        """Return the fields of a value or its class, in order."""
        return tuple(value.__value_fields__.values())

    def replace(value, /, **changes):
        """Return a copy of a value with other values in some fields."""
        for name in value.__value_fields__:
            if name not in changes:
                changes[name] = getattr(value, name)
        return type(value)(**changes)

    def altered(value, /, **changes):
        """Return what `replace` does, without the checks: for a field that none of them reads."""
        made = object.__new__(type(value))
        for name in value.__value_fields__:
            _put(made, name, changes[name] if name in changes else getattr(value, name))
        return made

    def _made(cls, *, frozen, slots):
        own = {name: _field_of(cls, name) for name in cls.__annotations__}
        known = {}
        for base in reversed(cls.__mro__[1:]):
            known |= base.__dict__.get("__value_fields__", {})
        known |= own
        methods = {
            "__init__": _initialiser(known, post=hasattr(cls, "__post_init__")),
            "__repr__": _representer([name for name, each in known.items() if each.repr]),
            "__eq__": _comparer([name for name, each in known.items() if each.compare]),
            "__reduce__": _reducer(list(known)),
        }
        if frozen:
            hashed = [name for name, each in known.items() if each.hash]
            methods |= {"__hash__": _hasher(hashed), "__setattr__": _frozen, "__delattr__": _frozen}
        else:
            methods["__hash__"] = None
        given = {name: each for name, each in methods.items() if name not in cls.__dict__}
        given |= {"__value_fields__": known, "__match_args__": tuple(known)}
        given["__signature__"] = _Signature()
        if slots:
            return _slotted(cls, own, given)
        for name, each in given.items():
            setattr(cls, name, each)
        for name, each in own.items():
            if each.default is _MISSING and name in cls.__dict__:
                delattr(cls, name)
            elif each.default is not _MISSING:
                setattr(cls, name, each.default)
        return cls

    class _Signature:
        """The signature of a class as `inspect` and notebooks ask for it, made when they do."""

        def __get__(self, value, cls):
            if value is not None:
                raise AttributeError("__signature__")
            from inspect import Parameter, Signature, get_annotations

            found = []
            for name, each in cls.__value_fields__.items():
                default = Parameter.empty if each.default is _MISSING else each.default
                default = default if each.factory is None else each.factory()
                kind = Parameter.POSITIONAL_OR_KEYWORD
                said = next(
                    (c.__annotations__[name] for c in cls.__mro__ if name in get_annotations(c)),
                    Parameter.empty,
                )
                found.append(Parameter(name, kind, default=default, annotation=said))
            return Signature(found)

    def _slotted(cls, own, given):
        """Return the class again with slots; a class cannot gain them after it is made."""
        left_out = {"__dict__", "__weakref__", *own}
        body = {name: each for name, each in cls.__dict__.items() if name not in left_out}
        made = type(cls)(cls.__name__, cls.__bases__, {**body, **given, "__slots__": tuple(own)})
        made.__qualname__ = cls.__qualname__
        return made

    def _field_of(cls, name):
        given = cls.__dict__.get(name, _MISSING)
        made = given if isinstance(given, Field) else field(default=given)
        made.name = name
        return made

    def _initialiser(known, *, post):
        """Return an `__init__` that compiles the real one when the first value is made.

        Most classes of a run never make one; a class that does makes many, and for those a function
        with the fields as its own parameters is several times faster than a general one.
        """

        def __init__(self, *args, **given):  # noqa: N807
            mro = type(self).__mro__
            owner = next(each for each in mro if each.__dict__.get("__value_fields__") is known)
            compiled = _compiled(owner, post=post)
            # Another thread may have been here since this one was called.
            if owner.__init__ is __init__:
                owner.__init__ = compiled
            compiled(self, *args, **given)

        return __init__

    def _compiled(cls, *, post):
        scope = {"_put": _put, "_MISSING": _MISSING}
        parameters, body = ["self"], []
        for name, each in cls.__value_fields__.items():
            value = name
            if each.factory is not None:
                scope[f"_make_{name}"] = each.factory
                parameters.append(f"{name}=_MISSING")
                value = f"_make_{name}() if {name} is _MISSING else {name}"
            elif each.default is not _MISSING:
                scope[f"_default_{name}"] = each.default
                parameters.append(f"{name}=_default_{name}")
            else:
                parameters.append(name)
            slot = getattr(cls, name, None)
            if isinstance(slot, _Slot):  # which takes half as long as finding it by its name
                scope[f"_put_{name}"] = slot.__set__
                body.append(f" _put_{name}(self, {value})")
            else:
                body.append(f" _put(self, {name!r}, {value})")
        if post:
            body.append(" self.__post_init__()")
        source = "\n".join([f"def __init__({', '.join(parameters)}):", *body, " return None"])
        exec(source, scope)  # noqa: S102 - field names of our own classes
        return scope["__init__"]

    def _representer(names):
        def __repr__(self):  # noqa: N807
            values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            return f"{type(self).__qualname__}({values})"

        return __repr__

    def _comparer(names):
        def __eq__(self, other):  # noqa: N807
            if other.__class__ is not self.__class__:
                return NotImplemented
            return all(getattr(self, name) == getattr(other, name) for name in names)

        return __eq__

    def _hasher(names):
        def __hash__(self):  # noqa: N807
            return hash(tuple([getattr(self, name) for name in names]))

        return __hash__

    def _reducer(names):
        def __reduce__(self):  # noqa: N807
            return type(self), tuple([getattr(self, name) for name in names])

        return __reduce__

    def _frozen(self, name, *_):
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be changed")
