"""The notebooks run, from the first cell to the last, and are kept without their outputs."""

from __future__ import annotations

import json

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


def test_there_are_three():
    assert [notebook.stem for notebook in NOTEBOOKS] == ["first-exploration", "own-allocator", "recorded-program"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    assert all(not cell.get("outputs") for cell in json.loads(path.read_text())["cells"]), "kept without outputs"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=None, resources={"metadata": {"path": path.parent}}).execute()
    pictures = [output for cell in notebook.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    assert pictures, "it draws"
