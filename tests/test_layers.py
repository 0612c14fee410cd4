"""The shape of the source tree: who imports whom, where `async` may stand, how long a file is."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import adk_stream_protocol

PACKAGE = "adk_stream_protocol"
ROOT = Path(__file__).parents[1] / "src" / PACKAGE
LAYERS = [
    "errors",
    "limits",
    "limiter",
    "clock",
    "failure_log",
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
PRIVATE = ROOT / "adk" / "private.py"
PUBLIC_OF_ADK = set(
    "agents apps errors events models plugins runners sessions tools workflow".split()
)
INNER = {"google.adk.models.gemini_llm_connection", "google.adk.plugins.plugin_manager"}
EVENTS = ROOT / "convert" / "events.py"
EVENT_FIELDS = {
    "input_transcription",
    "live_session_id",
    "long_running_tool_ids",
    "output_transcription",
    "requested_tool_confirmations",
}
SCRIPTED_MODEL = ROOT / "testing" / "scripted_model.py"
TRANSLATION_OF_GEMINI = {
    "google.adk.models.gemini_llm_connection",
    "google.adk.utils.streaming_utils",
    "google.adk.utils.variant_utils",
}
"""The scripted model says what Gemini says, so that ADK's own translation of it is tested too."""


def layer_of(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").parts[0]


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


FILES = sorted(ROOT.rglob("*.py"))
LAYERED = [file for file in FILES if file != ROOT / "__init__.py"]
PURE = (
    *("policy.py", "response.py", "presentation.py", "record.py", "visible_text.py"),
    "look_alikes.py",
)
"""What is pure of the approvals; their stores are not."""
CORE = [
    file
    for file in LAYERED
    if layer_of(file) in ("protocol", "convert")
    or (layer_of(file) == "approvals" and file.name in PURE)
]
PROTOCOL = [file for file in LAYERED if layer_of(file) == "protocol"]


@cache
def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def imports_of(file: Path) -> Iterator[str]:
    """The full names of the modules that a file imports, also inside functions."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "imports are absolute"
            yield node.module
            if node.module == PACKAGE:
                yield from (f"{PACKAGE}.{alias.name}" for alias in node.names)


def names_of(file: Path) -> set[str]:
    """All attributes and names that a file uses."""
    nodes = list(ast.walk(tree_of(file)))
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {node.id for node in nodes if isinstance(node, ast.Name)}


def names_imported(file: Path) -> Iterator[str]:
    """What a file imports, with the names that it takes out of modules."""
    yield from imports_of(file)
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


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
    assert layers_imported(file) <= {"errors", "limits", "protocol"}


@pytest.mark.parametrize("file", LAYERED, ids=name_of)
def test_only_the_room_of_adk_knows_its_inside(file: Path) -> None:
    adk = [name for name in imports_of(file) if name.startswith("google.adk")]
    inner = {
        name
        for name in adk
        if name.removeprefix("google.adk.").split(".")[0] not in PUBLIC_OF_ADK or name in INNER
    }
    if file == SCRIPTED_MODEL:
        assert inner <= TRANSLATION_OF_GEMINI
    elif layer_of(file) != "adk":
        assert inner == set()


@pytest.mark.parametrize("file", LAYERED, ids=name_of)
def test_only_one_file_imports_names_that_others_keep_private(file: Path) -> None:
    private = {
        name
        for name in names_imported(file)
        if not name.startswith((f"{PACKAGE}.", "__future__"))
        and any(is_private(part) for part in name.split("."))
    }
    assert file == PRIVATE or private == set()


@pytest.mark.parametrize("file", LAYERED, ids=name_of)
def test_what_adk_may_rename_in_its_events_is_read_in_one_file(file: Path) -> None:
    """The room of ADK has to know them; a test kit and a demo are no conversion."""
    read = {name for name, _ in attributes_of(file)} & EVENT_FIELDS
    elsewhere = layer_of(file) in ("adk", "testing", "recording", "demo")
    assert file == EVENTS or elsewhere or read == set()


def attributes_of(file: Path) -> Iterator[tuple[str, bool]]:
    """The attributes that a file uses, and whether it says `self`, `cls` or `super()`."""
    for node in ast.walk(tree_of(file)):
        match node:
            case ast.Attribute(value=value, attr=name):
                owner = ast.unparse(value)
                yield name, owner in ("self", "cls", "super()")
            case ast.Call(
                func=ast.Name(id="getattr" | "setattr" | "hasattr" | "delattr"),
                args=[_, ast.Constant(value=str(name)), *_],
            ):
                yield name, False
            case _:
                pass


def defined_by(node: ast.AST) -> Iterator[str]:
    """The private names that a class gives to its objects: by what a method sets on `self`, by what
    stands in its body."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
            yield name
        case ast.ClassDef(body=body):
            for line in body:
                match line:
                    case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                        yield name
                    case ast.Assign(targets=[ast.Name(id=name)]):
                        yield name
                    case ast.AnnAssign(target=ast.Name(id=name)):
                        yield name
                    case _:
                        pass
        case _:
            pass


@cache
def defined_in(folder: Path) -> set[str]:
    return {
        name
        for file in folder.rglob("*.py")
        for node in ast.walk(tree_of(file))
        for name in defined_by(node)
    }


OURS = defined_in(ROOT)
OVERRIDDEN = {"_get_declaration", "_send_content"}
"""Extension points of ADK's, which ours override: not ours on another object."""


@pytest.mark.parametrize("file", LAYERED, ids=name_of)
def test_only_one_file_uses_private_attributes_of_others(file: Path) -> None:
    """What is said of `self` is defined somewhere in the package, what is said of another object
    in the same folder: anything else belongs to a library, or to a folder that hides it."""
    used = [use for use in attributes_of(file) if is_private(use[0])]
    foreign = {name for name, of_self in used if of_self and name not in OURS}
    if others := {name for name, of_self in used if not of_self}:
        foreign |= others - (defined_in(file.parent) - OVERRIDDEN)
    assert file == PRIVATE or foreign == set()


@pytest.mark.parametrize("file", CORE, ids=name_of)
def test_the_core_has_no_async_and_no_io(file: Path) -> None:
    nodes = list(ast.walk(tree_of(file)))
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
