"""An app named on the command line."""

import argparse
import sys
from pathlib import Path

import pytest

from adk_stream_protocol.cli.settings import add_app, load_source
from adk_stream_protocol.demo.cannot_start import CannotStart


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def test_an_app_of_the_current_folder_is_found(folder: Path) -> None:
    (folder / "shop_of_a_test.py").write_text("class Shop:\n    app = 'the app'\n")
    assert load_source("shop_of_a_test:Shop.app") == "the app"


@pytest.mark.parametrize("name", ["no_such_module:app", "json:no_such_name", "json"])
def test_an_app_that_is_not_there_is_said_plainly(folder: Path, name: str) -> None:
    with pytest.raises(CannotStart, match=f"--app {name} cannot be loaded: "):
        load_source(name)


def test_without_the_argument_it_is_the_demo() -> None:
    parser = argparse.ArgumentParser()
    add_app(parser)
    assert parser.parse_args([]).app is None
    assert parser.parse_args(["--app", "shop:app"]).app == "shop:app"
