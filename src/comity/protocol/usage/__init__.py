"""What may be done with fetched content: Content-Usage, Content-Signal, TDMRep, ai.txt and ACAP."""

from ..robotstxt.fields.content_signal import ContentSignals
from ..robotstxt.fields.preferences import Usage
from ..robotstxt.fields.statement import Standing, Statement
from ..robotstxt.fields.vocabulary import VOCABULARIES, Preference, Vocabulary
from .answer import usage

__all__ = [
    "ContentSignals",
    "Preference",
    "Standing",
    "Statement",
    "Usage",
    "VOCABULARIES",
    "Vocabulary",
    "usage",
]
