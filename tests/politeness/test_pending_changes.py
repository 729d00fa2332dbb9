"""The changes that a store has not made when its client is closed."""

import pytest

from comity.errors import StoreUnavailable
from comity.politeness._sync.pending_changes import PendingChanges, Release


class UnavailableStore:
    def release(self, *_, **__):
        raise StoreUnavailable("gone")


@pytest.mark.parametrize(("number", "message"), [(0, ""), (1, "1 change is not"), (2, "2 changes are not")])
def test_changes_that_are_not_made_are_counted(number, message, caplog):
    pending = PendingChanges(UnavailableStore())
    for _ in range(number):
        pending.add(Release("tea.example", "holder", None, 200, None), None)
    pending.close()

    assert [record.getMessage() for record in caplog.records] == (
        [f"the store is unavailable: {message} made"] if number else []
    )
