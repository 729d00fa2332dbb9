"""The base classes of the immutable values and of the enumerations of the protocol.

`dataclasses` would add 20 ms to the import of Comity, because it loads `inspect`, `re` and `typing`.
`Value` has the features that are needed: fields by position or name, immutability, equality and hash by
content, a `repr` that can be pasted, pickling, and `replace`.
"""

from enum import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_claims):
        """Stand in for `typing.dataclass_transform`, which only type checkers read."""
        return lambda cls: cls


class _Fields(type):
    """Set `__slots__` to the annotated names of a class, in order. A slot cannot be added later."""

    def __new__(cls, name: str, bases: "tuple[type, ...]", namespace: "dict[str, Any]") -> "type[Any]":
        annotations = namespace.get("__annotations__", {})
        if annotate := namespace.get("__annotate_func__"):  # from Python 3.14 on, a function returns them
            annotations = annotate(1)  # 1 is `annotationlib.Format.VALUE`, whose import is slow
        namespace.setdefault("__slots__", tuple(annotations))
        return super().__new__(cls, name, bases, namespace)


@dataclass_transform(frozen_default=True)
class Value(metaclass=_Fields):
    """A frozen value whose fields are its annotations, in order.

    >>> class Point(Value):
    ...     x: int
    ...     y: int
    >>> Point(1, y=2)
    Point(x=1, y=2)
    >>> Point(1, 2).replace(x=3) == Point(3, 2)
    True
    """

    __slots__: "tuple[str, ...]" = ()

    #: The setter of each field, twice as fast as `object.__setattr__`, which finds it by name.
    _setters: "tuple[Any, ...]" = ()

    def __init_subclass__(cls) -> None:
        """Set `__match_args__`, so that `match` statements can use positions."""
        type.__setattr__(cls, "__match_args__", cls.__slots__)
        cls._setters = tuple([getattr(cls, name).__set__ for name in cls.__slots__])

    def __init__(self, *values: "Any", **named: "Any") -> None:
        """Set each field, by position or by name."""
        names = self.__slots__
        if named or len(values) != len(names):
            values = values + tuple(named.pop(name) for name in names[len(values) :] if name in named)
            if named or len(values) != len(names):
                odd = f", not {', '.join(named)}" if named else f"; {len(values)} were given"
                raise TypeError(f"{type(self).__name__} takes the fields {', '.join(names)}{odd}")
        for put, value in zip(self._setters, values):  # noqa: B905  # equally many; `strict` is slow
            put(self, value)

    def _fields(self) -> "tuple[Any, ...]":
        return tuple([getattr(self, name) for name in self.__slots__])

    def replace(self, **changes: "Any") -> "Self":
        """Return a copy with some fields changed; an unknown name raises `TypeError`."""
        values = [changes.pop(name) if name in changes else getattr(self, name) for name in self.__slots__]
        return type(self)(*values, **changes)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __repr__(self) -> str:
        pairs = zip(self.__slots__, self._fields(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __reduce__(self) -> "tuple[Any, ...]":
        return type(self), self._fields()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name!r}")


class Choice(Enum):
    """An enumeration whose members are shown by their names."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    @property
    def code(self) -> str:
        """The name in JSON and tables, such as "too-many-redirects"."""
        return self.name.lower().replace("_", "-")
