"""Header rules for Content-Signal, TDM and Link, and the same fields of an application."""

import pytest

import comity
from comity.site.serve import Fields, HeaderRule, ServedRequest, Site

LICENSE = '<https://example.com/license.xml>; rel="license"; type="application/rsl+xml"'


def fields_for(path, *rules):
    return Site(None, environment="production", headers=rules).fields_for(ServedRequest("GET", path, b"", ()))


def test_longest_pattern_decides_each_field():
    rules = [
        HeaderRule("/", content_signal="search=yes, ai-train=no", tdm_reservation=1, link=LICENSE),
        HeaderRule("/open/", content_signal="AI-Train = yes", tdm_reservation=0),
        HeaderRule("/paid/", tdm_reservation=1, tdm_policy="https://example.com/policy.json"),
    ]
    assert fields_for(b"/a", *rules) == Fields(
        signals=("search=yes", "ai-train=no"), tdm_reservation=1, links=(LICENSE,)
    )
    assert fields_for(b"/open/a", *rules) == Fields(
        signals=("ai-train=yes",), tdm_reservation=0, links=(LICENSE,)
    )
    assert fields_for(b"/paid/a", *rules).added_to([])[-3:] == [
        ("TDM-Reservation", "1"),
        ("TDM-Policy", "https://example.com/policy.json"),
        ("Link", LICENSE),
    ]


def test_patterns_of_the_same_length_refuse_together():
    rules = [
        HeaderRule("/a*", content_signal="use=full, search=yes", tdm_reservation=0),
        HeaderRule("/*b", content_signal="use=reference, search=no", tdm_reservation=1, link=LICENSE),
    ]

    assert fields_for(b"/ab", *rules) == Fields(
        signals=("use=reference", "search=no"), tdm_reservation=1, links=(LICENSE,)
    )


#: (fields of the site, lines of the application, all lines)
ADDED = [
    (Fields(signals=("ai-train=no",)), [], [("Content-Signal", "ai-train=no")]),
    (Fields(signals=("ai-train=no",)), [("content-signal", "search=yes")], [("Content-Signal", "search=yes, ai-train=no")]),
    (Fields(signals=("ai-train=no",)), [("content-signal", "ai-train=yes")], [("Content-Signal", "ai-train=no")]),
    (Fields(signals=("ai-train=yes",)), [("content-signal", "ai-train=no")], [("content-signal", "ai-train=no")]),
    (Fields(signals=("use=full",)), [("content-signal", "use=immediate")], [("content-signal", "use=immediate")]),
    (Fields(signals=("use=reference",)), [("content-signal", "use=full")], [("Content-Signal", "use=reference")]),
    (Fields(tdm_reservation=1), [], [("TDM-Reservation", "1")]),
    (Fields(tdm_reservation=1), [("tdm-reservation", "0"), ("tdm-policy", "https://a.example/")], [("TDM-Reservation", "1")]),
    (Fields(tdm_reservation=0), [("tdm-reservation", "1"), ("tdm-policy", "https://a.example/")],
     [("tdm-reservation", "1"), ("tdm-policy", "https://a.example/")]),
    (Fields(tdm_reservation=1), [("tdm-reservation", "yes")], [("TDM-Reservation", "1")]),
    (Fields(links=(LICENSE,)), [("link", "</a>; rel=next")], [("link", "</a>; rel=next"), ("Link", LICENSE)]),
    (Fields(links=(LICENSE,)), [("link", LICENSE)], [("link", LICENSE)]),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "own", "expected"), ADDED)
def test_fields_of_the_application(fields, own, expected):
    assert fields.added_to(own) == expected
    assert fields.added_to(expected) == expected


def test_lines_are_read_as_they_are_meant():
    fields = Fields(signals=("ai-train=no",), tdm_reservation=1)
    usage = comity.usage(
        "/a", headers=fields.added_to([("content-signal", "search=yes")]), agent="ExampleBot"
    )

    assert (usage.permits("train-ai"), usage.permits("tdm"), usage.permits("search")) == (False, False, True)


#: (arguments, message)
WRONG = [
    ({"content_signal": ""}, "Content-Signal ``: it has no signal"),
    ({"content_signal": "ai-train"}, "`ai-train` must be yes or no"),
    ({"content_signal": "ai-train=n"}, "`ai-train` must be yes or no"),
    ({"content_signal": "train-ai=no"}, "unknown signal `train-ai`; use search, ai-input, ai-train, use"),
    ({"content_signal": "use=no"}, "`use` must be immediate or reference or full"),
    ({"content_signal": "search=yes, search=no"}, "it has the same signal twice"),
    ({"content_signal": "search=yes\r\nSet-Cookie: a=b"}, "only printable ASCII can be sent"),
    ({"tdm_reservation": 2}, "tdm_reservation must be 0 or 1, not 2"),
    ({"tdm_reservation": True}, "tdm_reservation must be 0 or 1, not True"),
    ({"tdm_policy": "https://example.com/"}, "tdm_policy counts only with tdm_reservation=1"),
    ({"tdm_reservation": 0, "tdm_policy": "https://example.com/"}, "tdm_policy counts only with tdm_reservation=1"),
    ({"tdm_reservation": 1, "tdm_policy": "/policy.json"}, "TDM-Policy `/policy.json`: expected an absolute URL"),
    ({"tdm_reservation": 1, "tdm_policy": "ftp://example.com/"}, "expected a URL such as"),
    ({"link": "https://example.com/"}, "expected a URL in angle brackets"),
    ({"link": "<https://example.com/>"}, "it has no relation"),
    ({"link": '<https://example.com/>; rel=""'}, "it has no relation"),
    ({"link": '<https://example.com/>; rel="license", </b>; rel=next'}, "expected parameters after a semicolon"),
    ({"link": '<https://example.com/a b>; rel="license"'}, "expected a URL in angle brackets"),
    ({"link": '<>; rel="license"'}, "expected a URL in angle brackets"),
    ({}, "it has no field; pass x_robots_tag, content_usage, content_signal, tdm_policy, link, tdm_reservation"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_values(arguments, message):
    with pytest.raises(comity.InvalidArgument) as caught:
        HeaderRule("/a", **arguments)

    assert message in str(caught.value)
