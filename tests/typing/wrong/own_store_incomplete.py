"""A store that lacks methods, or has others."""

import comity
from comity.stores import MemoryStore, Store


class Half:
    def load(self, origin: str) -> comity.Access | None:
        return None


class Narrow(MemoryStore):
    def save(self, access: str) -> None:  # error
        pass


store: Store = Half()  # error
comity.Robot("A/1", contact="a@b.example", store=Half())  # error
