"""The settings of a Scrapy project, and its exceptions."""

from scrapy.settings import Settings

import comity
from comity.integrations.scrapy import Addon, Disallowed, MustWait, UsageDisallowed

settings = Settings(
    {
        "ADDONS": {Addon: 500},
        "COMITY_POLICY": "strict",
        "COMITY_DELAY": 1.0,
        "COMITY_MAX_WAIT": None,
        "COMITY_RESPECT": ["train-ai"],
        "COMITY_PUBLIC_ONLY": True,
        "COMITY_STORE": comity.stores.MemoryStore(),
    }
)
Addon().update_settings(settings)
assert settings.getbool("ROBOTSTXT_OBEY")


def reason_of(error: Exception) -> str:
    if isinstance(error, Disallowed):
        return error.verdict.reason.code
    if isinstance(error, MustWait):
        return f"{error.seconds:.0f} s: {error.reason}"
    if isinstance(error, UsageDisallowed):
        return error.usage.explain(error.category)
    return str(error)


verdict = comity.parse("User-agent: *\nDisallow: /").check("/", agent="ExampleBot")
assert reason_of(Disallowed("https://example.com/", verdict)) == "longest-match"
assert reason_of(MustWait("https://example.com/", 5.0, "busy", None)) == "5 s: busy"
try:
    Addon().update_settings(Settings({"COMITY_DELAY": "soon"}))
except comity.InvalidArgument as error:
    assert error.name == "COMITY_DELAY"
