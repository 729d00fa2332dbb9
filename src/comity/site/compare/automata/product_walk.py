"""Two lists of rules -> the paths on which their verdicts differ, and a shortest path for each way.

A rule has its pattern, its rank in either list (the least wins) and whether it closes what it wins. The
automaton of all patterns is walked from the start, shorter paths first, and with it goes what is settled:
the best rule of each list that matches whatever follows. That makes most rules meaningless for what lies
behind, and the walk goes nowhere that can show nothing new:

- a rule that the settled one outranks, and one that says the same as the settled one while no rule between
  them says otherwise, is dropped;
- where all rules that are left say the same, no verdict can differ;
- where only rules are left that both lists have, in the same order, both lists have the same winner;
- where every difference that is left to find is known, it need not be found again.

None of these changes which verdicts differ, so the answer is exact; the number of places is bounded, and
past the bound the walk says that it did not come to its end.
"""

from collections.abc import Sequence

from ....protocol.robotstxt.matcher import Pattern
from ....protocol.value import Value
from .alphabet import Alphabet
from .automaton import OUTSIDE, Automaton, Node

__all__ = ["ABSENT", "STATES", "Contender", "Contest"]

#: So many places are walked at the most, unless the caller says otherwise.
STATES = 50_000

#: The rank of a rule in a list that does not have it.
ABSENT = 1 << 60

#: What may be done for each place that may be walked: steps of single patterns.
_STEPS = 40

#: The number of the rule that stands for "no rule matches".
_NONE = -1


class Contender(Value):
    """A rule of either list, or of both: its pattern, whether it closes, its rank in each list.

    `shared` says that both lists have it, and in the same order with all others that are shared.
    """

    __slots__ = ("pattern", "closes", "old", "new", "shared")
    pattern: Pattern
    closes: bool
    old: int
    new: int
    shared: bool


class _Outlook:
    """What the heads beyond a place may still bring: of each verdict, the worst rank in each list."""

    __slots__ = ("old", "own", "new")

    def __init__(self, rules: Sequence[Contender]) -> None:
        """Look at the rules whose heads are not read yet."""
        old, new = [-1, -1], [-1, -1]
        self.own = False
        for rule in rules:
            if rule.old != ABSENT and rule.old > old[rule.closes]:
                old[rule.closes] = rule.old
            if rule.new != ABSENT and rule.new > new[rule.closes]:
                new[rule.closes] = rule.new
            self.own = self.own or not rule.shared
        self.old, self.new = old, new


#: A place: in the tree of heads, the settled rule of each list, and the positions in patterns.
_State = tuple[int, int, int, tuple[int, ...]]


class Contest:
    """Compare two lists of rules; `differences` has what was found, `complete` says whether it is all.

    `differences` gives for each pair of rules that decide differently, as numbers in the given order or -1
    for no rule, a shortest path that the first of them decides in the old list and the second in the new.
    A rule in a pair may stand for one that outranks it and says the same. `first` ends the walk with
    the first difference.

    >>> from comity import RFC9309
    >>> rules = [Contender(("/a", None, False), True, 0, ABSENT, False)]
    >>> Contest(rules, Alphabet(RFC9309)).differences
    {(0, -1): '/a'}
    """

    __slots__ = (
        "_alphabet",
        "_automaton",
        "_closes",
        "_first",
        "_known",
        "_limit",
        "_new",
        "_old",
        "_outlooks",
        "_queue",
        "_rules",
        "_steps",
        "complete",
        "differences",
    )

    def __init__(
        self, rules: Sequence[Contender], alphabet: Alphabet, limit: int = STATES, *, first: bool = False
    ) -> None:
        """Walk until everything is found, or the limit reached."""
        self._rules = rules
        self._alphabet = alphabet
        self._limit = limit
        self._first = first
        self._automaton = Automaton([rule.pattern for rule in rules])
        # With what stands for no rule at the end, where the number -1 finds it.
        self._closes = [*(rule.closes for rule in rules), False]
        self._old = [*(rule.old for rule in rules), ABSENT]
        self._new = [*(rule.new for rule in rules), ABSENT]
        self._outlooks: dict[int, _Outlook] = {}
        self._steps = 0
        self._known: dict[_State, int] = {}
        #: places to go to, by the length of the path: the place, where from, by which characters
        self._queue: dict[int, list[tuple[_State, str]]] = {}
        self.differences: dict[tuple[int, int], str] = {}
        self.complete = self._walk()

    @property
    def cost(self) -> int:
        """How much of the limit was used: places, or what was done in them if that is more."""
        return max(len(self._known), self._steps // _STEPS)

    def _walk(self) -> bool:
        """Go from place to place, shorter paths first; say whether the walk came to its end."""
        root = self._automaton.nodes[0]
        old, new = self._settled(_NONE, _NONE, root.whole)
        first = self._automaton.children(root).get("/", OUTSIDE)
        arcs, begins = self._automaton.arcs, self._automaton.begins
        reached = [arcs(position).get("/", begins[position]) for position in root.entered]
        self._go(first, old, new, reached, "", "/")
        length = 1
        while self._queue:
            for state, path in self._queue.pop(length, ()):
                if self._known[state] < length:
                    continue  # a shorter way was found since
                if self._first and self.differences:
                    return True
                if len(self._known) > self._limit or self._steps > self._limit * _STEPS:
                    return False
                self._leave(state, path)
            length += 1
        return True

    def _leave(self, state: _State, path: str) -> None:
        """Go on by each character that anything asks about, and by one that stands for all others."""
        place, old, new, positions = state
        automaton, characters = self._automaton, self._alphabet.characters
        children: dict[str, int] = {}
        if place != OUTSIDE:
            node = automaton.nodes[place]
            over, fork = automaton.fork(node) if not positions else ("", place)
            if over:
                self._note(old, new, path + self._alphabet.other({over[0]}))
                if characters.issuperset(over):
                    self._go(fork, old, new, [], path, over)
                return
            children = automaton.children(node)
        # Where each pattern is led by a character that it does not name, and where by those that it does.
        elsewhere = [automaton.begins[position] for position in positions]
        named: dict[str, list[tuple[int, int]]] = {character: [] for character in children}
        for at, position in enumerate(positions):
            for character, target in automaton.arcs(position).items():
                named.setdefault(character, []).append((at, target))
        self._steps += (len(named) + 1) * (len(positions) + 1)
        other = self._alphabet.other(named)
        for character in [*other, *sorted(characters.intersection(named))]:
            reached = elsewhere.copy()
            for at, target in named.get(character, ()):
                reached[at] = target
            self._go(children.get(character, OUTSIDE), old, new, reached, path, character, place == OUTSIDE)

    def _go(
        self, place: int, old: int, new: int, reached: list[int], path: str, by: str, outside: bool = False
    ) -> None:
        """Go to a place: see who wins a path that ends here, and come back to it if more may follow.

        `reached` are the positions by then; `outside` says that the way here came from outside of the tree.
        """
        automaton = self._automaton
        settled = [-1 - position for position in reached if position < 0]
        if settled:
            reached = [position for position in reached if position >= 0]
        here: list[int] = []
        if place != OUTSIDE:
            node = automaton.nodes[place]
            settled += node.whole
            reached = reached + node.entered
            here += node.exact
            if node.first == node.last:
                place = OUTSIDE
        if settled:
            old, new = self._settled(old, new, settled)
        ends, owner = automaton.ends, automaton.owner
        here += [owner[position] for position in reached if ends[position]]
        path += by
        self._note(*(self._settled(old, new, here) if here else (old, new)), path)
        # From a place outside with the same rules left, all that was said there holds here.
        as_before = outside and not settled
        outlook = self._outlook(place)
        if not as_before:
            reached = self._kept(old, new, reached, outlook)
        length = len(path)
        if not reached and place == OUTSIDE:
            if here:  # what decides here alone leaves open who decides behind
                self._note(old, new, path + self._alphabet.other(frozenset()))
        elif as_before or not self._dull(old, new, reached, outlook, length):
            state = place, old, new, tuple(reached)
            if self._known.get(state, ABSENT) > length:
                self._known[state] = length
                self._queue.setdefault(length, []).append((state, path))

    def _settled(self, old: int, new: int, rules: Sequence[int]) -> tuple[int, int]:
        """Give the best rule of each list, when these match too."""
        for rule in rules:
            if self._old[rule] < self._old[old]:
                old = rule
            if self._new[rule] < self._new[new]:
                new = rule
        return old, new

    def _note(self, old: int, new: int, path: str) -> None:
        """Keep the path, if the verdicts differ and no shorter one is known."""
        if self._closes[old] is not self._closes[new]:
            known = self.differences.get((old, new))
            if known is None or len(known) > len(path):
                self.differences[old, new] = path

    def _outlook(self, place: int) -> _Outlook:
        found = self._outlooks.get(place)
        if found is None:
            order, rules = self._automaton.order, self._rules
            node = self._automaton.nodes[place] if place != OUTSIDE else Node(0, 0, 0)
            beyond = [rules[order[at]] for at in range(node.first, node.last)]
            found = self._outlooks[place] = _Outlook(beyond)
        return found

    def _kept(self, old: int, new: int, positions: list[int], outlook: _Outlook) -> list[int]:
        """Drop the positions of rules that cannot change a verdict any more."""
        if not positions:
            return positions
        closes, ranks_old, ranks_new, owner = self._closes, self._old, self._new, self._automaton.owner
        best_old, best_new = ranks_old[old], ranks_new[new]
        closed_old, closed_new = closes[old], closes[new]
        # The worst rank of a rule that says otherwise than the settled one, in each list.
        worst_old, worst_new = outlook.old[not closed_old], outlook.new[not closed_new]
        for position in positions:
            rule = owner[position]
            if closes[rule] is not closed_old and worst_old < ranks_old[rule] < best_old:
                worst_old = ranks_old[rule]
            if closes[rule] is not closed_new and worst_new < ranks_new[rule] < best_new:
                worst_new = ranks_new[rule]
        kept = []
        for position in positions:
            rule = owner[position]
            limit_old = min(best_old, worst_old) if closes[rule] is closed_old else best_old
            limit_new = min(best_new, worst_new) if closes[rule] is closed_new else best_new
            if ranks_old[rule] < limit_old or ranks_new[rule] < limit_new:
                kept.append(position)
        return kept

    def _dull(self, old: int, new: int, positions: Sequence[int], outlook: _Outlook, length: int) -> bool:
        """Say whether no difference that is not known yet can follow on a path of that length."""
        closes, ranks_old, ranks_new = self._closes, self._old, self._new
        best_old, best_new = ranks_old[old], ranks_new[new]
        # Whether a rule may still win that opens, and one that closes; in each list.
        of_old = [rank >= 0 for rank in outlook.old]
        of_new = [rank >= 0 for rank in outlook.new]
        own = outlook.own
        for position in positions:
            rule = self._automaton.owner[position]
            if ranks_old[rule] < best_old:
                of_old[closes[rule]] = True
            if ranks_new[rule] < best_new:
                of_new[closes[rule]] = True
            own = own or not self._rules[rule].shared
        closed_old, closed_new = closes[old], closes[new]
        if not own and old == new and (old == _NONE or self._rules[old].shared):
            return True
        # Rules that say the same as the settled one mean nothing where none that says otherwise is left.
        of_old[closed_old] = of_old[closed_old] and of_old[not closed_old]
        of_new[closed_new] = of_new[closed_new] and of_new[not closed_new]
        if (not any(of_new) and not of_old[closed_old]) or (not any(of_old) and not of_new[closed_new]):
            # Nothing can differ but these two, if they do, and the path to them is one more character.
            known = self.differences.get((old, new))
            if known is not None and len(known) <= length + 1:
                return True
        of_old[closed_old] = of_new[closed_new] = True
        return not (of_old[True] and of_new[False]) and not (of_old[False] and of_new[True])
