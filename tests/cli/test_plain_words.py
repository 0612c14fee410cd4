"""How the command ends when it cannot start."""

import pytest

from adk_stream_protocol.cli.plain_words import Parser, in_plain_words
from adk_stream_protocol.demo.cannot_start import CannotStart


def test_a_refusal_is_printed_as_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended, in_plain_words():
        raise CannotStart("the door is locked; open it")
    assert ended.value.code == 2
    assert capsys.readouterr().err == "adk-stream: the door is locked; open it.\n"


def test_a_wrong_argument_is_said_without_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    parser = Parser(prog="shop")
    parser.add_argument("--price", type=int)
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(["--price", "low"])
    assert ended.value.code == 2
    said = "shop: argument --price: invalid int value: 'low'; shop --help says more.\n"
    assert capsys.readouterr().err == said
