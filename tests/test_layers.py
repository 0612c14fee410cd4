"""The shape of the source tree: who imports whom, where `async` may stand, how long a file is."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import adk_stream_protocol

PACKAGE = "adk_stream_protocol"
ROOT = Path(__file__).parents[1] / "src" / PACKAGE
LAYERS = [
    "errors",
    "chat_id",
    "process_id",
    "background_tasks",
    "protocol",
    "convert",
    "approvals",
    "telemetry",
    "workers",
    "adk",
    "chats",
    "transports",
    "mount",
    "testing",
    "recording",
    "demo",
    "cli",
]
MAX_LINES = 450


def layer_of(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


FILES = sorted(ROOT.rglob("*.py"))
LAYERED = [file for file in FILES if file != ROOT / "__init__.py"]
PURE = ("policy.py", "response.py", "presentation.py", "record.py", "visible_text.py")
"""What is pure of the approvals; their stores are not."""
CORE = [
    file
    for file in LAYERED
    if layer_of(file) in ("protocol", "convert")
    or (layer_of(file) == "approvals" and file.name in PURE)
]
PROTOCOL = [file for file in LAYERED if layer_of(file) == "protocol"]


def imports_of(file: Path) -> Iterator[str]:
    """The full names of the modules that a file imports, also inside functions."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "imports are absolute"
            yield node.module
            if node.module == PACKAGE:
                yield from (f"{PACKAGE}.{alias.name}" for alias in node.names)


def names_of(file: Path) -> set[str]:
    """All attributes and names that a file uses."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in nodes if isinstance(node, ast.Name)}


def layers_imported(file: Path) -> set[str]:
    own = [name.split(".") for name in imports_of(file) if name.startswith(f"{PACKAGE}.")]
    return {parts[1] for parts in own}


@pytest.mark.parametrize("file", LAYERED, ids=name_of)
def test_a_folder_imports_only_folders_above_it(file: Path) -> None:
    below = LAYERS[LAYERS.index(layer_of(file)) + 1 :]
    assert layers_imported(file) & set(below) == set()
    assert layers_imported(file) <= set(LAYERS)


@pytest.mark.parametrize("file", [ROOT / "errors.py"], ids=name_of)
def test_errors_import_nothing(file: Path) -> None:
    assert list(imports_of(file)) == []


@pytest.mark.parametrize("file", PROTOCOL, ids=name_of)
def test_the_protocol_needs_only_msgspec_and_pydantic_core(file: Path) -> None:
    outside = {name.split(".")[0] for name in imports_of(file)} - sys.stdlib_module_names
    assert outside <= {PACKAGE, "msgspec", "pydantic_core"}
    assert layers_imported(file) <= {"errors", "protocol"}


@pytest.mark.parametrize("file", CORE, ids=name_of)
def test_the_core_has_no_async_and_no_io(file: Path) -> None:
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    waiting = ast.AsyncFunctionDef | ast.AsyncFor | ast.AsyncWith | ast.Await
    assert [node for node in nodes if isinstance(node, waiting)] == []
    roots = {name.split(".")[0] for name in imports_of(file)}
    assert (
        roots & {"asyncio", "logging", "os", "socket", "starlette", "sqlalchemy", "time"} == set()
    )


def test_the_environment_is_read_by_the_command_alone() -> None:
    readers = {name_of(file) for file in FILES if "environ" in names_of(file)}
    assert readers == {"cli/settings.py", "recording/stand_in/environment.py"}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_a_file_reads_in_one_sitting(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


def test_the_package_exports_all_it_imports_and_nothing_else() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    imported = [
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert sorted(imported) == sorted(adk_stream_protocol.__all__)


@pytest.mark.parametrize("name", adk_stream_protocol.__all__)
def test_an_exported_name_is_there_and_documented(name: str) -> None:
    assert getattr(adk_stream_protocol, name).__doc__
