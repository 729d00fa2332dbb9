"""Path patterns -> one automaton that reads a path and knows which of them match.

Patterns are regular languages. What stands before the first `*` is read along a tree of all heads; from
there each pattern is a small automaton of its own that finds its pieces from left to right, each as early
as it can be (Knuth, Morris and Pratt), as the matcher does. The automaton of all is their product,
made only where somebody walks: a place in the tree, and a position in each pattern whose head was read.

Characters that nobody asks about at a place all lead to the same next place, so one stands for them all.
"""

from bisect import bisect_left
from collections.abc import Sequence

from ....protocol.robotstxt.matcher import Pattern

__all__ = ["OUTSIDE", "Automaton", "Node"]

#: The place of a path that left the tree of heads.
OUTSIDE = -1


class Node:
    """A place in the tree of heads.

    `whole` are the patterns that match whatever follows, `exact` those that match a path that ends here,
    `entered` the first positions of those with more pieces; `first` and `last` bound the heads that go on,
    in the automaton's order; `children` gives the place that each character leads to.
    """

    __slots__ = ("children", "depth", "entered", "exact", "first", "fork", "last", "whole")

    def __init__(self, depth: int, first: int, last: int) -> None:
        """Begin a place for the heads from `first` to before `last` in order."""
        self.depth = depth
        self.first = first
        self.last = last
        self.whole: list[int] = []
        self.exact: list[int] = []
        self.entered: list[int] = []
        self.children: dict[str, int] | None = None
        self.fork: tuple[str, int] | None = None


class _Piece:
    """A piece of a pattern that is looked for: its automaton, made as far as it is walked."""

    __slots__ = ("_fallback", "after", "arcs", "start", "text")

    def __init__(self, text: str, start: int, after: int) -> None:
        """Take a piece, its first position, and the position that follows it."""
        self.text = text
        self.start = start
        self.after = after
        self.arcs: list[dict[str, int]] = [{text[0]: start + 1 if len(text) > 1 else after}]
        self._fallback = 0

    def arcs_at(self, at: int) -> dict[str, int]:
        """Give where each character leads from a position; any other leads to the start."""
        arcs = self.arcs
        while len(arcs) <= at:
            place = len(arcs)
            here = dict(arcs[self._fallback])
            if place < len(self.text):
                character = self.text[place]
                self._fallback = here.get(character, self.start) - self.start
                here[character] = self.start + place + 1 if place + 1 < len(self.text) else self.after
            arcs.append(here)
        return arcs[at]


class Automaton:
    """The automaton of some patterns, known by their numbers.

    Its positions are numbers too: `owner` tells whose each is, `begins` where a character leads that
    `arcs` does not name, `ends` whether a path that ends here matches. The position `-1 - pattern`
    is that of a pattern which matches whatever follows.
    """

    __slots__ = ("_heads", "_known", "_pieces", "begins", "ends", "nodes", "order", "owner", "patterns")

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        """Take the patterns."""
        self.patterns = patterns
        #: the numbers of the patterns in order of their heads, as nodes count them
        self.order = sorted(range(len(patterns)), key=lambda number: patterns[number][0])
        self._heads = [patterns[number][0] for number in self.order]
        self.owner: list[int] = []
        self.begins: list[int] = []
        self.ends: list[bool] = []
        self._pieces: list[_Piece] = []
        self._known: dict[int, dict[str, int]] = {}
        self.nodes: list[Node] = []
        self._node(0, 0, len(patterns))

    def arcs(self, position: int) -> dict[str, int]:
        """Give the positions that characters lead to; those not named lead to `begins[position]`."""
        found = self._known.get(position)
        if found is None:
            piece = self._pieces[position]
            found = self._known[position] = piece.arcs_at(position - piece.start)
        return found

    def children(self, node: Node) -> dict[str, int]:
        """Give the places that characters lead to; those not named lead out of the tree."""
        if node.children is None:
            node.children = {}
            at, depth = node.first, node.depth
            while at < node.last:
                head = self._heads[at]
                following = head[:depth] + chr(ord(head[depth]) + 1)
                end = bisect_left(self._heads, following, at, node.last)
                node.children[head[depth]] = self._node(depth + 1, at, end)
                at = end
        return node.children

    def fork(self, node: Node) -> tuple[str, int]:
        """Give the next place where anything can be told, since a head ends or heads part there.

        With the characters to it, of which there are none if that is here.
        """
        if node.fork is None:
            first, last, depth = self._heads[node.first], self._heads[node.last - 1], node.depth
            end = depth
            for here, there in zip(first[depth:], last[depth:], strict=False):
                if here != there:
                    break
                end += 1
            node.fork = (
                (first[depth:end], self._node(end, node.first, node.last)) if end > depth else ("", -1)
            )
        return node.fork

    def _node(self, depth: int, first: int, last: int) -> int:
        """Make a place for heads that agree so far; those that end here come first."""
        node = Node(depth, first, last)
        while node.first < last and len(self._heads[node.first]) == depth:
            number = self.order[node.first]
            _, pieces, anchored = self.patterns[number]
            if pieces is None:
                node.whole.append(number)
            elif pieces:
                node.entered.append(self._positions(number, pieces, anchored))
            else:
                node.exact.append(number)
            node.first += 1
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _positions(self, number: int, pieces: Sequence[str], anchored: bool) -> int:
        """Give the positions of a pattern's pieces their numbers; say which is the first."""
        entry = len(self.owner)
        for at, text in enumerate(pieces):
            start = len(self.owner)
            final = at == len(pieces) - 1
            size = len(text) + (final and anchored)
            after = start + len(text) if not final or anchored else -1 - number
            self.owner += [number] * size
            self.begins += [start] * size
            self.ends += [False] * len(text) + [True] * (size - len(text))
            self._pieces += [_Piece(text, start, after)] * size
        return entry
