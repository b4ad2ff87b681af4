"""The documents are true: their code runs, their generated parts are fresh, their links lead somewhere."""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)")


def fences(language: str) -> list[object]:
    """Every fenced block of one language, as parameters named by page and line."""
    blocks: list[object] = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            if match[1] == language:
                line = text.count("\n", 0, match.start()) + 1
                name = f"{page.relative_to(ROOT).as_posix()}:{line}"
                blocks.append(pytest.param(match[2], id=name))
    return blocks


@pytest.mark.parametrize("code", fences("python"))
def test_python_blocks_run(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a block may write files
    exec(compile(code, "<documentation>", "exec"), {"__name__": "__documentation__"})


@pytest.mark.parametrize("text", fences("json"))
def test_json_blocks_parse(text: str) -> None:
    json.loads(text)


def test_generated_blocks_are_fresh() -> None:
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `make docs`: {done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    targets = [t for t in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in t]
    missing = [t for t in targets if not (page.parent / t).exists()]
    assert not missing


def test_every_preset_has_a_page() -> None:
    from whot_env.rules import PRESETS

    assert {path.stem for path in (ROOT / "docs" / "rules").glob("*.md")} == set(PRESETS)


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
