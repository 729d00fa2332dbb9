# Written by tools/faces.py.
from .delivery import DeliveryError, Recipient
from .journal import StoredVersions
from .recipients import MailServer, Mailbox, Webhook
from .watching import WatchSettings, WatchTotals, watch

__all__ = [
    "DeliveryError",
    "MailServer",
    "Mailbox",
    "Recipient",
    "StoredVersions",
    "WatchSettings",
    "WatchTotals",
    "Webhook",
    "watch",
]
