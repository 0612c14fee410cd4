"""The manual keeps its word: its snippets run, its links lead somewhere, its lines can be read."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    ROOT / "packages" / "client" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
MAX_LINE = 120
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
SNIPPETS = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def links_of(page: Path) -> Iterator[tuple[Path, str]]:
    """The pages that a page links to in this repository, each with its anchor."""
    text = _FENCED.sub("", page.read_text())
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)", text):
        yield (page.parent / target if target else page), anchor


def anchors_of(page: Path) -> set[str]:
    """The anchors that a viewer makes of the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", page.read_text()), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("code", SNIPPETS)
def test_a_snippet_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "snippet", "exec"), {"__name__": "snippet"})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_names_commands_that_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = re.findall(r"(?:`|^    )make ([a-z]+)", page.read_text(), re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_link_leads_to_a_page_and_a_heading_of_it(page: Path) -> None:
    for target, anchor in links_of(page):
        assert target.exists(), target
        assert not anchor or anchor in anchors_of(target), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_line_of_prose_is_short(page: Path) -> None:
    prose = _FENCED.sub("", page.read_text()).splitlines()
    assert [line for line in prose if len(line) > MAX_LINE and not line.startswith("|")] == []


def test_every_page_of_the_manual_is_in_its_index() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {target.resolve() for target, _ in links_of(index)}
    assert set((ROOT / "docs").rglob("*.md")) - listed == {index}


def test_each_quirk_of_adk_names_a_file_and_a_test_that_exist() -> None:
    page = (ROOT / "docs" / "adk-quirks.md").read_text()
    source, tests = ROOT / "src" / "adk_stream_protocol", ROOT / "tests"
    known = {
        name
        for file in tests.rglob("test_*.py")
        for name in re.findall(r"def (test_\w+)", file.read_text())
    }
    handled = re.findall(r"^  `([\w/]+\.py)` · (.+)$", page, re.MULTILINE)
    assert len(handled) == len(re.findall(r"^- ", page, re.MULTILINE))
    for file, noticed in handled:
        assert (source / file).exists(), file
        assert set(re.findall(r"`(\w+)`", noticed)) <= known, noticed


def test_each_file_that_deals_with_a_quirk_of_adk_is_listed() -> None:
    page = (ROOT / "docs" / "adk-quirks.md").read_text()
    source = ROOT / "src" / "adk_stream_protocol"
    for file in source.rglob("*.py"):
        if "google-adk 2." in file.read_text():
            assert f"`{file.relative_to(source)}`" in page, file


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_names_tests_that_exist(page: Path) -> None:
    named = re.findall(r"`((?:tests|web/e2e)/[\w./-]+\.(?:py|ts))`", page.read_text())
    assert [name for name in named if not (ROOT / name).is_file()] == []
