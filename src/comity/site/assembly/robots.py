"""What a plan and its fragments say, gathered by robot: contradictions found, groups made of what is left.

Groups of one name are one group (RFC 9309 2.2.1), whoever wrote them. So all is first sorted by robot, and
robots to which the same is said share a group in the end.
"""

from collections.abc import Iterable, Iterator, Sequence

from ... import agents
from ...agents import PURPOSES
from ...errors import InvalidPlan, PlanConflict
from ...protocol.robotstxt.diagnostics.fields import one_slip
from ...protocol.text import printable
from .clause import Clause, rule, token
from .fragments import FragmentGroup
from .group import Group, Named, Settled, Subject, lines_of, rules_of, shown
from .overruled import Search
from .plan import Plan, PlannedGroup, Word, nearest
from .reach import NAMED_ONLY, data_collectors_note, named_only_note

__all__ = ["Robots"]

#: The agents that are known, by their tokens in lower case.
_KNOWN = {agent.token.lower(): agent for agent in agents.ALL}

_CLOSED = ("rule", "/")
_INHERIT = ("inherit", "")

#: So many names are shown of a list.
_SHOWN = 3


class _Robot:
    """What is said to one robot."""

    __slots__ = ("admitted", "blocked", "bound", "clauses", "heeds", "places", "token")

    def __init__(self, token: str) -> None:
        self.token = token
        self.places: dict[str, None] = {}  # in order, each once
        self.clauses: list[Clause] = []
        self.blocked = ""  # the place that closes it by name, so that nothing more is said to it
        self.admitted = False  # let in where the site is closed to others
        self.bound = False  # named by the owner of a part, who cannot take others' rules from it
        self.heeds = False  # is it as somebody decided that it hears no more?


class Robots:
    """Gathers what is said, and gives the groups that say it."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.problems: list[str] = []
        self.notes: list[str] = []
        self._conflicts: list[str] = []
        self._robots: dict[str, _Robot] = {}
        self._closing: frozenset[Clause] = frozenset()
        self._closed_by = ""  # the place that closes the site to all robots, with exceptions or without
        self._trainers = ""  # the place that blocks those who train, and not those who collect for them
        self._invited: frozenset[str] = frozenset()  # let in, where it may make no difference
        self._named: frozenset[str] = frozenset()  # of whom the plan itself speaks
        self._inherit: bool | None = None
        self._search = Search()

    def plan(self, plan: Plan) -> None:
        """Take what a plan says."""
        self._inherit = plan.inherit
        self._closing = frozenset((*plan.keep_out, *plan.only))
        self._closed_by = next((one.place for one in (*plan.keep_out, *plan.only[-1:])), "")
        self._recipes(plan)
        for group in plan.groups:
            words = [*group.agents, *self._of_purposes(group)]
            self.say(words, group.clauses, group.inherit)
        for clause in (*plan.keep_out, *plan.only, *plan.close):
            self.say([Word("*", clause.place)], [clause])
        self._named |= self._robots.keys()

    def say(self, words: Iterable[Word], clauses: Sequence[Clause], inherit: bool | None = None) -> None:
        """Say something to some robots, who are named by their tokens."""
        for word in words:
            robot = self._robot(word)
            if robot is None:
                continue
            robot.clauses += clauses
            if inherit is not None:
                said = str(inherit).lower()
                robot.clauses.append(Clause(*_INHERIT, said, f"inherit = {said}", word.place))

    def say_in_a_fragment(self, group: FragmentGroup, *, of_site: bool) -> None:
        """Say something that no plan says: it opens nothing to those whom the plan blocks.

        Where it is about a part of the site alone, what is said to `*` of the others stays.
        """
        for word in group.agents:
            self._refuse_to_open(word, group.clauses)
        self.say(group.agents, group.clauses)
        for word in group.agents:
            if not of_site and word.text.lower() in self._robots:
                self._robots[word.text.lower()].bound = True

    def _refuse_to_open(self, word: Word, clauses: Sequence[Clause]) -> None:
        """Find what opens a blocked robot: a rule, or a group of its own where another's would bind it."""
        lower = word.text.lower()
        robot = self._robots.get(lower)
        way_in = f'; let_in = "{word.text}" says that it may come'
        if robot is not None and robot.blocked:
            for clause in clauses:
                if clause.value == "allow" and clause.key != "/":  # which contradicts the block by itself
                    self._conflicts.append(
                        f"{word.text}: `{shown(clause)}` ({clause.place}) opens what {robot.blocked} blocks"
                        f"{way_in if lower != '*' else ''}"
                    )
        elif lower in _KNOWN and lower not in self._named:
            names = (name.lower() for name in _KNOWN[lower].names[1:])
            block = next((self._robots[name] for name in names if name in self._robots), None)
            if block and block.blocked:
                self._conflicts.append(
                    f"{word.text}: a group of its own ({word.place}) takes it out of that of {block.token}, "
                    f"which {block.blocked} blocks{way_in}"
                )

    def close(self, word: Word) -> None:
        """Close all of the site to a robot."""
        self.say([word], [rule(False, "/", word.place)])

    def close_to_all(self, place: str) -> None:
        """Close all of the site to every robot, also to those that no `*` binds."""
        self.close(Word("*", place))
        self._closed_by = place

    def complain(self) -> None:
        """Raise `InvalidPlan` if something is wrong, or `PlanConflict` if that is contradictions alone."""
        if self.problems:
            raise InvalidPlan(list(dict.fromkeys([*self.problems, *self._conflicts])))
        if self._conflicts:
            raise PlanConflict(list(dict.fromkeys(self._conflicts)))

    def settled(self, name: str, clauses: Iterable[Clause]) -> dict[Subject, Settled]:
        """Hold clauses against each other: of one subject, one thing can be said."""
        found: dict[Subject, Clause] = {}
        places: dict[Subject, dict[str, None]] = {}
        for clause in clauses:
            subject = clause.field, clause.key
            first = found.setdefault(subject, clause)
            if first.value != clause.value:
                one, other = (f"`{shown(said)}` ({said.place})" for said in (clause, first))
                self._conflicts.append(f"{name}: {one} contradicts {other}".removeprefix(": "))
            else:
                places.setdefault(subject, {})[clause.place] = None
        return {subject: Settled(clause, tuple(places[subject])) for subject, clause in found.items()}

    def groups(self) -> list[Group]:
        """Give the groups: those for robots by name as they came up, then the one for all others."""
        everybody = self._robots.pop("*", None)
        common = self.settled("*", everybody.clauses if everybody else ())
        common.pop(_INHERIT, None)
        open_to_all = [said for said in (everybody.clauses if everybody else ()) if said not in self._closing]
        alike: dict[tuple[str, ...], list[tuple[_Robot, dict[Subject, Settled]]]] = {}
        for robot in self._robots.values():
            own = self.settled(robot.token, robot.clauses)
            heard = self._heard(robot, own, self.settled("*", open_to_all) if robot.admitted else common)
            alike.setdefault(tuple(text for text, _ in lines_of(heard)), []).append((robot, heard))
        groups = []
        for members in alike.values():
            robots = [robot for robot, _ in members]
            said = _together([heard for _, heard in members])
            self._tell_of_losses([robot for robot in robots if not robot.heeds], said, common)
            groups.append(self._group(robots, said))
        if everybody or not groups:
            groups.append(self._group([everybody or _Robot("*")], common, self._deaf()))
        note = None
        if not _closes_all(common):
            note = self._trainers and data_collectors_note({*self._robots, *self._invited}, self._trainers)
        elif everybody and not self._closed_by:
            note = named_only_note(self._robots, next(iter(everybody.places)))
        self.notes += [note] if note else []
        if not self._search.complete:
            self.notes.append(
                "more rules of one file may overrule another's: there are too many to look at all, or to tell"
            )
        return groups

    def _deaf(self) -> list[Named]:
        """Give the robots that no `*` binds, and that nobody names, where the site is closed to all."""
        if not self._closed_by:
            return []
        return [Named(token, (self._closed_by,)) for token in NAMED_ONLY if token.lower() not in self._robots]

    def _robot(self, word: Word) -> _Robot | None:
        """Give the robot of a name, or tell what is wrong with the name."""
        try:
            name = token(word.text, _KNOWN.keys())
        except ValueError as error:
            self.problems.append(f"{word.place}: {error}")
            return None
        robot = self._robots.setdefault(name.lower(), _Robot(name))
        robot.places[word.place] = None
        return robot

    def _recipes(self, plan: Plan) -> None:
        """Block and let in: a name counts more than a purpose, and a block more than a way in."""
        blocked, admitted = self._meant(plan.block), self._meant(plan.let_in)
        if everybody := admitted.pop("*", None):
            self.problems.append(
                f"{everybody[0].place}: * is everybody, for whom `let_in` makes no exception"
            )
        for lower in sorted(blocked.keys() & admitted.keys()):
            (word, by_name), (other, other_by_name) = blocked[lower], admitted[lower]
            if by_name and other_by_name:
                self._conflicts.append(f"{word.text}: {word.place} contradicts {other.place}")
            del (admitted if by_name or not other_by_name else blocked)[lower]
        self._named = frozenset(admitted)
        if "data" not in {word.text for word in (*plan.block, *plan.let_in)}:
            self._trainers = next((word.place for word in plan.block if word.text == "training"), "")
            self._invited = frozenset(admitted)
        for lower, (word, _) in blocked.items():
            self.close(word)
            if lower in self._robots:
                self._robots[lower].blocked = word.place
            if lower in _KNOWN and _KNOWN[lower].obeys == "no":
                self.notes.append(f"{word.text} ({word.place}): its operator says that it does not obey")
        if self._closing:
            self.say([word for word, _ in admitted.values()], [])
            for lower in admitted.keys() & self._robots.keys():
                self._robots[lower].admitted = True

    def _meant(self, words: Iterable[Word]) -> dict[str, tuple[Word, bool]]:
        """Give the robots that words mean: by token, and whether that is the word itself, or a purpose."""
        found: dict[str, tuple[Word, bool]] = {}
        for word in words:
            lower = word.text.lower()
            if word.text in PURPOSES:
                for agent in agents.by_purpose(word.text):
                    found.setdefault(agent.token.lower(), (Word(agent.token, word.place), False))
                continue
            found[lower] = word, True
            if lower not in _KNOWN and lower != "*":
                # A slip would block nobody, and nobody would notice.
                near = _slip_of(lower) or nearest(word.text, PURPOSES)
                shown_word = (
                    f"{word.place}: {printable(word.text)} is neither a purpose nor an agent that is known"
                )
                if near:
                    self.problems.append(f"{shown_word}; did you mean {near}? If not, speak to it in a group")
                else:
                    self.notes.append(f"{shown_word}, and taken for the name of a robot")
        return found

    def _of_purposes(self, group: PlannedGroup) -> Iterator[Word]:
        for word in group.purposes:
            if word.text in PURPOSES:
                yield from (Word(one.token, word.place) for one in agents.by_purpose(word.text))
            else:
                hint = nearest(word.text, PURPOSES)
                there = f"did you mean {hint}?" if hint else f"there are {', '.join(PURPOSES)}"
                self.problems.append(f"{word.place}: there is no purpose {printable(word.text)}; {there}")

    def _heard(
        self, robot: _Robot, own: dict[Subject, Settled], common: dict[Subject, Settled]
    ) -> dict[Subject, Settled]:
        """Give all that a robot is to hear, which may be what is said to `*` too."""
        wish = own.pop(_INHERIT, None)
        if wish:
            inherits: bool | None = wish.clause.value == "true"
        elif robot.admitted:
            inherits = True
        else:
            inherits = True if self._inherit is None and robot.bound else self._inherit
        robot.heeds = bool(robot.blocked) or inherits is not None
        if robot.blocked or not inherits:
            return own  # to inherit could only open what is blocked
        return {**own, **{subject: said for subject, said in common.items() if subject not in own}}

    def _group(
        self, robots: Sequence[_Robot], said: dict[Subject, Settled], others: Sequence[Named] = ()
    ) -> Group:
        named = tuple(Named(robot.token, tuple(robot.places)) for robot in robots)
        self._tell_of_overruled(_listed([robot.token for robot in robots]), said)
        return Group((*named, *others), tuple(lines_of(said)))

    def _tell_of_losses(
        self, robots: Sequence[_Robot], said: dict[Subject, Settled], common: dict[Subject, Settled]
    ) -> None:
        """Note what is said to all, and no longer to robots that have a group of their own."""
        count = len(common) - len(said.keys() & common.keys())
        if not robots or not count or _closes_all(said):
            return
        first = next(one.clause for subject, one in common.items() if subject not in said)
        more = f" and {count - 1} more" if count > 1 else ""
        self.notes.append(
            f"{_listed([robot.token for robot in robots])}: who is named in a group heeds no other, so not "
            f"`{shown(first)}` ({first.place}){more} of `*`; inherit = true says it here too, and "
            "inherit = false that it is not meant"
        )

    def _tell_of_overruled(self, names: str, said: dict[Subject, Settled]) -> None:
        """Note rules that the longer rule of another file overrules for some paths."""
        for one in self._search.among(rules_of(said)):
            winner, loser = one.winner.clause, one.loser.clause
            why = "is shorter" if len(loser.key) < len(winner.key) else "is as long, and no Allow"
            self.notes.append(
                f"{names}: `{winner.text}` ({one.winner_place}) overrules `{loser.text}` "
                f"({one.loser_place}), which {why}, on paths such as {one.path}"
            )


def _slip_of(lower: str) -> str | None:
    """Give the known token that was meant, if one letter makes the difference."""
    near = (token for token in _KNOWN if abs(len(token) - len(lower)) < 2 and one_slip(lower, token))
    return next((_KNOWN[token].token for token in near), None)


def _together(several: Sequence[dict[Subject, Settled]]) -> dict[Subject, Settled]:
    """Put together what is said alike to several robots, with all the places that say it."""
    first, *others = several
    if not others:
        return first
    found = {}
    for subject, one in first.items():
        places = dict.fromkeys(place for said in several for place in said[subject].places)
        found[subject] = one.replace(places=tuple(places))
    return found


def _closes_all(said: dict[Subject, Settled]) -> bool:
    return _CLOSED in said and said[_CLOSED].clause.value == "disallow"


def _listed(names: Sequence[str], shown: int = _SHOWN) -> str:
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(names[:shown]) + more
