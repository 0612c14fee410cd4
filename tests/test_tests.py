"""The shape of the test tree: where a test of a module is, and what tests may share."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "adk_stream_protocol"
FILES = sorted(file for file in TESTS.rglob("*.py") if "node_modules" not in file.parts)
MODULES = sorted(file for file in SOURCE.rglob("*.py") if file.name != "__init__.py")


def name_of(file: Path) -> str:
    return str(file.relative_to(TESTS))


def module_of(file: Path) -> str:
    return str(file.relative_to(SOURCE))


def imports_of(file: Path) -> Iterator[str]:
    """The full names of all that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_no_test_module_is_imported(file: Path) -> None:
    own = [name.split(".") for name in imports_of(file) if name.startswith("tests.")]
    assert [parts for parts in own if any(part.startswith("test_") for part in parts)] == []


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_helpers_live_in_support(file: Path) -> None:
    known = file.name.startswith("test_") or file.name in ("__init__.py", "conftest.py")
    assert known or file.is_relative_to(TESTS / "support")


@pytest.mark.parametrize("file", MODULES, ids=module_of)
def test_a_module_has_a_test_file_of_its_name(file: Path) -> None:
    """`test_answers.py` for answers.py, or several: `test_answers_browser.py` and its like."""
    folder = TESTS / file.relative_to(SOURCE).parent
    name = f"test_{file.stem.removeprefix('_')}"
    found = [*folder.glob(f"{name}.py"), *folder.glob(f"{name}_*.py")]
    assert found
