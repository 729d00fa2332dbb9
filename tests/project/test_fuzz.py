"""The seeds of `make fuzz`, and the encoding of its cases, without the fuzzer."""

import random
import sys
from pathlib import Path

import pytest
from compiled_engine import compiled  # noqa: F401  # skips this module without it

sys.path.append(str(Path(__file__).parents[2] / "fuzz"))
agree, case, seeds = map(pytest.importorskip, ("agree", "case", "seeds"))


def test_both_engines_agree_on_the_seeds():
    for data in seeds.cases():
        agree.hold(case.decode(data))


def test_any_bytes_decode_to_a_case():
    chance = random.Random(1)
    for length in range(300):
        agree.hold(case.decode(chance.randbytes(length)))


def test_decode_reverses_encode():
    urls = ["/a", "https://example.com/caf\u00e9"]
    read = case.decode(case.encode("google", ["ExampleBot", "other"], urls, b"User-agent: *\n\xff\xfe"))

    assert (read.dialect.name, read.agents, read.urls) == ("google", ("ExampleBot", "other"), tuple(urls))
    assert read.body == b"User-agent: *\n\xff\xfe"


@pytest.mark.parametrize("data", [bytes([0, 0x60, 0x31, 0xAB, 4, 0]), bytes([2, 1, 0, 1, 0, 0]), b""])
def test_shown_code_reproduces_the_case(data):
    read = case.decode(data + b"bot\xff\xfe/a\xff\xfe/b\xff\xfeDisallow: /")
    scope = {}
    exec(case.shown(read), scope)

    assert (
        case.Case(
            scope["dialect"].replace(name=read.dialect.name), *(scope[name] for name in read._fields[1:])
        )
        == read
    )


def test_difference_raises_disagreement():
    with pytest.raises(agree.Disagreement, match="allowed: the reference says True, the compiled engine 1.5"):
        agree._same("allowed", True, 1.5)
