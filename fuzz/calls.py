"""Call the classes of the compiled engine in any order, with hostile arguments: only a crash is a finding.

A program is any bytes; each operation reads some of them. Most hostile objects continue the program whenever
Python calls them, and so does a profile function, which stands for signal handlers and finalizers: the engine
is called again while it works. Exceptions are expected. At the end, rules that the program did not touch must
still give their answers.
"""

import copy
import gc
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from case import _dialect
from comity.protocol.robotstxt.document import RobotsTxt
from comity.protocol.robotstxt.engine import _compiled
from comity.protocol.robotstxt.engine.dialect import Dialect
from comity.protocol.robotstxt.rules import Rules

__all__ = ["Corrupted", "play"]

#: Maximum number of operations of a program, and maximum depth of operations inside of operations.
OPERATIONS = 150
DEPTH = 3

#: Number of objects that a program remembers.
POOL = 24

BODIES = (
    b"User-agent: *\nDisallow: /a\nAllow: /b*c$\nDisallow: /%7ex?y=/z\nSitemap: /s\nAcap-x: y",
    b"".join(b"User-agent: a%d\nDisallow: /%d*xyz%d\nContent-usage: /a b=n\n" % (n, n, n) for n in range(5)),
    b"user-agent: *\n" + b"".join(b"disallow: /*x%dy\nallow: /long/prefix/%d\n" % (n, n) for n in range(20)),
)
URLS = (
    "/a",
    "/b1c",
    "/~x?y=/z",
    "https://example.com/caf\u00e9",
    b"/\xff%",
    "\ud800",
    "h.example/a",
    "/*x7y",
)
NUMBERS = (0, 1, 2, 7, -1, 4096, 2**31, 2**32 - 1, 2**63, -(2**63), 2**64, 0.5, True)

#: The classes; those with methods first.
CLASSES = (
    _compiled.RankedRules,
    Rules,
    _compiled.Reading,
    RobotsTxt,
    _compiled.RulesAnswers,
    _compiled.FileAnswers,
    _compiled.SelectedGroups,
    _compiled.Settings,
    _compiled.Patterns,
    _compiled.Entries,
)
#: Those with the methods of rules, and those with the methods of a file.
RULES = (_compiled.RankedRules, Rules)
FILE = (_compiled.Reading,)
#: Those that read a body in a dialect.
OF_A_BODY = (*FILE, RobotsTxt, _compiled.FileAnswers)


class Corrupted(AssertionError):
    """Rules that the program did not touch gave another answer."""


def play(data: bytes) -> None:
    """Run a program."""
    body, control = BODIES[2], _dialect(0, 0)
    witness = _compiled.RankedRules(control, _compiled.Reading(body, control).select(["bot"])[1])
    answers = [witness.allowed(url) for url in URLS]
    machine = Machine(data)
    try:
        machine.run()
    finally:
        sys.setprofile(None)
        machine.pool.clear()
    if [witness.allowed(url) for url in URLS] != answers:
        raise Corrupted(f"{answers} before the program, others after it")


class Machine:
    """A program, and the objects that it has created."""

    def __init__(self, data: bytes) -> None:
        """Create a machine for a program."""
        self.data = data
        self.place = 0
        self.depth = 0
        self.left = OPERATIONS
        self.pool: list[Any] = [BODIES[0], URLS[0], _dialect(0, 0)]

    def number(self, below: int) -> int:
        """Read a number from the program; zero at its end."""
        self.place += 1
        return self.data[self.place - 1] % below if self.place <= len(self.data) else 0

    def choose(self, choices: Any) -> Any:
        """Choose one of several objects."""
        return choices[self.number(len(choices))]

    def run(self) -> None:
        """Run all operations."""
        while self.place < len(self.data) and self.left > 0:
            self.step()

    def step(self, *_: object) -> Any:
        """Run one operation, unless too many are running already; return an object."""
        if self.depth >= DEPTH or self.left <= 0 or self.place >= len(self.data):
            return self.choose(self.pool)
        self.left -= 1
        self.depth += 1
        try:
            made = self.choose(OPERATIONS_BY_NUMBER)(self)
            self.pool.append(made)
            del self.pool[:-POOL]
        except Exception:  # any exception is an answer
            pass
        finally:
            self.depth -= 1
        return self.choose(self.pool)

    def item(self, *_: object) -> Any:
        """Run one operation, and return an object; end an iteration with the program."""
        if self.place >= len(self.data):
            raise (StopIteration, IndexError)[len(_) > 1]
        return self.step()

    def argument(self) -> Any:
        """Return an argument: what was created before, or something hostile."""
        if self.number(3):
            return self.choose(self.pool)
        return self.choose(ARGUMENTS)(self)

    def arguments(self, made: Any) -> list[Any]:
        """Return arguments for a class: the proper ones, of which some are replaced, or sometimes others."""
        if not self.number(8):
            return [self.argument() for _ in range(self.number(6))]
        dialect = _dialect(self.number(256), self.number(256))
        proper: list[Any] = []
        if made in RULES:
            proper = [dialect, _selected(self), ("a1", "bot"), "a1", True][: 2 if made is RULES[0] else 5]
        elif made is _compiled.RulesAnswers:
            proper = [_ranked(self)]
        elif made in OF_A_BODY:
            proper = [self.choose(BODIES), dialect]
        elif made.__name__ == "Settings":
            proper = [dialect]
        return [value if self.number(3) else self.argument() for value in proper]

    def engine(self, kinds: Any = CLASSES) -> Any:
        """Return an object of the engine: one that the program has created, if there is any."""
        found = [thing for thing in self.pool if isinstance(thing, kinds)]
        if found:
            return self.choose(found)
        return (_reading if kinds is FILE else _rules if kinds in (CLASSES, RULES, Rules) else _file)(self)

    def engine_class(self) -> Any:
        """Return a class of the engine, most often one with methods."""
        return self.choose(CLASSES[: 4 if self.number(4) else None])


def _reading(self: Machine) -> Any:
    return _compiled.Reading(self.choose(BODIES), _dialect(self.number(256), self.number(256)))


def _selected(self: Machine) -> Any:
    reading = _reading(self)
    return reading.select([f"a{self.number(6)}"])[1] if self.number(2) else reading.groups


def _ranked(self: Machine) -> Any:
    return _compiled.RankedRules(_dialect(self.number(256), self.number(256)), _selected(self))


def _rules(self: Machine) -> Any:
    if self.number(2):
        return _ranked(self)
    return Rules(_dialect(self.number(256), 0), _selected(self), ("a1", "bot"), "a1", True)


def _file(self: Machine) -> Any:
    return RobotsTxt(self.choose(BODIES), _dialect(self.number(256), self.number(256)))


def _made_anyhow(self: Machine) -> Any:
    made = self.engine_class()
    return made(*self.arguments(made))


def _new_alone(self: Machine) -> Any:
    made = self.engine_class()
    return made.__new__(made, *self.arguments(made))


def _initialized_again(self: Machine) -> Any:
    thing = self.engine()
    return thing.__init__(*self.arguments(type(thing)))


def _method(self: Machine) -> Any:
    thing = self.engine()
    found = getattr(thing, self.choose([name for name in dir(type(thing)) if name not in _HARMFUL]))
    return found(*[self.argument() for _ in range(self.number(3))]) if callable(found) else found


def _question(self: Machine) -> Any:
    rules = self.engine(RULES)
    url = self.choose(URLS) if self.number(2) else self.argument()
    if isinstance(rules, Rules):
        return (rules.allowed, rules.check)[self.number(2)](url)
    if not self.number(3):
        return rules.verdict(url, self.choose(((*"abc", (), (), (), ()), self.argument())))
    return rules.allowed(url)


def _question_to_file(self: Machine) -> Any:
    url = self.choose(URLS) if self.number(2) else self.argument()
    agent = ("bot", "a1", f"a{self.number(9)}", "")[self.number(4)] if self.number(3) else self.argument()
    file = self.choose((_file, lambda self: self.engine((RobotsTxt, _compiled.FileAnswers))))(self)
    return file.allowed(url, agent=agent)


def _questions(self: Machine) -> Any:
    several = self.choose((lambda: URLS * 2, self.argument, lambda: _arrow(self), lambda: _growing(self)))()
    return self.engine(RULES).allowed_many(several)


def _selection(self: Machine) -> Any:
    return self.engine(FILE).select([self.argument(), "bot"] if self.number(2) else self.argument())


def _parts(self: Machine) -> Any:
    return getattr(
        self.engine(FILE), self.choose(("groups", "values", "whole_file", "strays", "has_groups", "dialect"))
    )


def _copied(self: Machine) -> Any:
    return self.choose((copy.copy, copy.deepcopy))(self.engine())


def _pickled(self: Machine) -> Any:
    return pickle.loads(pickle.dumps(self.engine(Rules), self.number(6)))


def _rebuilt(self: Machine) -> Any:
    function, arguments, *_ = self.engine(Rules if self.number(3) else RULES).__reduce_ex__(self.number(6))
    kept = list(arguments)
    kept[self.number(len(kept))] = self.argument()
    return function(*kept)


def _restored(self: Machine) -> Any:
    thing = self.engine()
    states = [name for name in ("__setstate__", "__setstate_cython__") if hasattr(thing, name)]
    return getattr(thing, self.choose(states))(self.argument())


def _attribute(self: Machine) -> Any:
    thing = self.engine()
    return object.__setattr__(thing, self.choose(dir(type(thing))), self.argument())


def _found_by_gc(self: Machine) -> Any:
    """Return an object that another operation has not finished, if there is one."""
    return self.choose([thing for thing in gc.get_objects(0) if type(thing) in CLASSES])


def _collected(self: Machine) -> Any:
    cycle: list[Any] = [self.engine()]
    cycle.append(cycle)
    del cycle
    return gc.collect(0)


def _interrupted(self: Machine) -> Any:
    """Run an operation in which every Python call runs further ones, as a signal handler would."""
    operation = self.choose((_rules, _question, _questions, _selection, _reading))
    self.depth -= 1
    sys.setprofile(self.step)
    try:
        return operation(self)
    finally:
        sys.setprofile(None)
        self.depth += 1


OPERATIONS_BY_NUMBER: tuple[Callable[[Machine], Any], ...] = (
    *(_reading, _selected, _rules, _rules, _made_anyhow, _new_alone, _initialized_again, _method, _method),
    *(
        _question,
        _question,
        _question_to_file,
        _file,
        _questions,
        _selection,
        _parts,
        _copied,
        _pickled,
        _rebuilt,
        _restored,
        _attribute,
    ),
    *(_found_by_gc, _collected, _interrupted, _interrupted, Machine.argument),
)

#: Methods of every object that say nothing about the engine.
_HARMFUL = ("__class__", "__init_subclass__", "__subclasshook__", "__doc__", "__dir__")


# Hostile arguments ----------------------------------------------------------------------------


def _lying(base: type, names: str) -> Callable[..., Any]:
    """Return a subclass of a built-in type. Some of its methods continue the program and return anything."""

    def created(self: Machine) -> Any:
        value = base(self.choose(BODIES if base is bytes else [url for url in URLS if isinstance(url, str)]))
        chosen = [name for name in names.split() if self.number(2)]
        lies = {name: lambda *_, **__: self.item(*_) for name in chosen}
        return type(f"Lying{base.__name__}", (base,), lies)(value)

    return created


def _nothing_but_methods(self: Machine) -> Any:
    """Return an object whose special methods continue the program."""
    names = "__len__ __iter__ __index__ __int__ __eq__ __hash__ __bool__ __contains__"
    names += " __getattr__ __call__ __str__ __bytes__ __lt__ __buffer__ __float__"
    methods = {name: lambda *_, **__: self.step() for name in names.split() if self.number(2)}
    methods.update({name: lambda *_: self.item(*_) for name in ("__next__", "__getitem__") if self.number(2)})
    return type("Hostile", (), methods)()


def _growing(self: Machine) -> Any:
    """Return a list that changes while it is iterated."""

    class Growing(list):  # type: ignore[type-arg]
        def __iter__(self_: Any) -> Any:  # noqa: N805  # `self` is the machine
            for place in range(6):
                self_.append(self.step())
                yield self_[place % len(self_)]
                self_.clear() if self.number(2) else None
                self_.append(self.step())

    return Growing(self.argument() for _ in range(self.number(4)))


def _hostile_dialect(self: Machine) -> Any:
    """Return a dialect whose fields change each time that they are read."""
    base = _dialect(self.number(256), self.number(256))
    changing = [name for name in Dialect.__slots__ if not self.number(4)]
    values = {name: property(lambda _: self.step()) for name in changing}
    made = type("Hostile", (Dialect,), {**values, "__slots__": ()})
    if changing and self.number(2):  # without the fields that no setter can set
        return made.__new__(made)
    with suppress(AttributeError, TypeError):
        return made(*base._fields())
    return base


def _group(self: Machine) -> Any:
    groups = []
    for _ in range(self.number(4)):
        group: Any = type("Group", (), {})()
        group.agents = [(self.number(9), "user-agent", self.argument())]
        group.rules = [[self.choose(NUMBERS), self.choose(("allow", "disallow", "x")), self.argument()]]
        group.fields = [((1, "crawl-delay", self.argument()), 0, 0)] if self.number(2) else self.argument()
        groups.append(group)
    return groups


def _arrow(self: Machine) -> Any:
    """Return an object that claims to be an array of pyarrow."""
    machine, numbers = self, (0, 1, 2, -1, 3, 2**40, 2**63 - 1, -(2**62))
    size, first = machine.choose(numbers), machine.choose(numbers)
    content, offsets = bytearray(b"/a/b" * machine.number(4)), bytearray(machine.number(40))
    valid = bytearray(machine.number(3)) if machine.number(2) else None

    class Array:
        type = machine.choose(("string", "large_binary", "string_view"))
        offset = first if machine.number(3) else machine.argument()

        def __len__(self) -> int:
            return size

        def buffers(self) -> Any:
            machine.step()
            return (valid, offsets, content) if machine.number(4) else machine.argument()

        def cast(self, _: object) -> Any:
            return machine.argument()

    Array.__module__ = "pyarrow.lib"
    return Array()


def _raising(self: Machine) -> Any:
    def stop(*_: object) -> NoReturn:
        raise (MemoryError, StopIteration)[self.number(2)]

    return type("Raising", (), {"__getattr__": stop, "__iter__": stop, "__hash__": stop, "__eq__": stop})()


ARGUMENTS: tuple[Callable[[Machine], Any], ...] = (
    lambda self: self.choose(NUMBERS),
    lambda self: self.choose(URLS),
    lambda self: self.choose(BODIES),
    lambda self: list(self.pool),
    lambda self: tuple([self.argument() for _ in range(self.number(6))]),
    lambda self: None,
    _lying(bytes, "__len__ __getitem__ __iter__ __bytes__ lower decode startswith find rstrip translate"),
    _lying(str, "__len__ __getitem__ __iter__ __hash__ __eq__ __str__ lower encode split partition isascii"),
    *(_nothing_but_methods, _growing, _hostile_dialect, _group, _arrow, _raising),
)
