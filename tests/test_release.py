"""What the two packages of a release share: one version, one license, a changelog."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PYTHON: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CLIENT = ROOT / "packages" / "client"
NPM: dict[str, Any] = json.loads((CLIENT / "package.json").read_text())


def test_both_packages_have_the_same_version() -> None:
    assert NPM["version"] == PYTHON["version"]
    lock = json.loads((CLIENT / "package-lock.json").read_text())
    assert [lock["version"], lock["packages"][""]["version"]] == [NPM["version"]] * 2


def test_both_packages_ship_the_text_of_their_license() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text and "END OF TERMS AND CONDITIONS" in text
    assert (CLIENT / "LICENSE").read_text() == text
    assert PYTHON["license"] == NPM["license"] == "Apache-2.0"
    assert PYTHON["license-files"] == ["LICENSE"]
    assert "LICENSE" in NPM["files"]


def test_the_changelog_has_unreleased_on_top() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
