"""Whatever the source imports is a declared dependency, in the list of those who need it."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

PACKAGE = "adk_stream_protocol"
ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / PACKAGE
FILES = sorted(SOURCE.rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {
    "cli/redis_check.py": {"redis"},
    "cli": {"demo", "recording"},
    "demo": {"demo", "recording"},
    "recording": {"recording"},
    "transports/uvicorn.py": {"demo"},
    "workers/redis": {"redis"},
}
"""What a user of these files has installed beside the package itself."""
NAMESPACES = ("google.adk", "google.genai", "opentelemetry.sdk")


def name_of(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def names(requirements: list[str]) -> set[str]:
    return {normal(re.split(r"[\[<>=;! ]", line, maxsplit=1)[0]) for line in requirements}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


BASE = names(PROJECT["dependencies"])


def declared_for(file: Path) -> set[str]:
    wanted = next((EXTRAS[part] for part in EXTRAS if name_of(file).startswith(part)), set[str]())
    optional: dict[str, list[str]] = PROJECT["optional-dependencies"]
    return BASE.union(*(names(optional[extra]) for extra in wanted))


def modules_imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `from google import genai` imports a distribution by its second name.
            named = node.module == "google"
            yield from (f"google.{alias.name}" for alias in node.names) if named else [node.module]


@cache
def distributions() -> dict[str, set[str]]:
    """Which distributions have a top-level module; those of a namespace by their second name."""
    known = packages_distributions().items()
    found = {name: {normal(holder) for holder in holders} for name, holders in known}
    return found | {name: {normal(name)} for name in NAMESPACES}


def distributions_of(file: Path) -> Iterator[set[str]]:
    for name in modules_imported(file):
        top = name.split(".")[0]
        if top not in sys.stdlib_module_names and top != PACKAGE:
            second = ".".join(name.split(".")[:2])
            yield distributions()[second if second in NAMESPACES else top]


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_what_a_file_imports_is_declared(file: Path) -> None:
    declared = declared_for(file)
    undeclared = [holders for holders in distributions_of(file) if not holders & declared]
    assert undeclared == []


def test_what_is_declared_is_used() -> None:
    """But for the drivers and the speed-ups, which are loaded by name."""
    by_name = {"aiosqlite", "asyncpg", "httptools", "uvloop"}
    optional: dict[str, list[str]] = PROJECT["optional-dependencies"]
    declared = BASE.union(*map(names, optional.values()))
    used = {holder for file in FILES for holders in distributions_of(file) for holder in holders}
    assert declared - used == by_name


def test_no_development_list_repeats_what_the_package_needs() -> None:
    optional: dict[str, list[str]] = PROJECT["optional-dependencies"]
    declared = BASE.union(*map(names, optional.values()))
    for file in (ROOT / "requirements").glob("*.in"):
        lines = file.read_text(encoding="utf-8").splitlines()
        listed = [line for line in lines if line and not line.startswith(("#", "-"))]
        assert names([line for line in listed if "[" not in line]) & declared == set(), file.name
