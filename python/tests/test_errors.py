"""Errors: the classes, and texts that are those of the command."""

from __future__ import annotations

import pytest

import heapsmith as hs

from conftest import SAMPLES


def told(said: str) -> str:
    """What the command says went wrong, without its own name."""
    return said[said.index("heapsmith: ") + len("heapsmith: ") :].strip()


def test_the_classes_are_a_hierarchy():
    classes = [hs.UsageError, hs.TraceError, hs.StoreError, hs.ReplayError, hs.SystemFailure, hs.ClusterError]
    assert all(issubclass(each, hs.HeapsmithError) for each in classes)
    assert issubclass(hs.SpecError, hs.UsageError) and issubclass(hs.EmitError, hs.UsageError)
    assert issubclass(hs.UsageError, ValueError) and issubclass(hs.SystemFailure, OSError)


def test_a_bad_spec_points_at_the_place(command):
    text = "list(order=addres)"
    with pytest.raises(hs.SpecError) as raised:
        hs.Heap(text)
    error = raised.value
    assert (error.column, error.suggestion) == (12, "address")
    assert error.alternatives == ["lifo", "fifo", "address", "implicit"]
    code, said = command("replay", "workload:sizes", "--heap", text)
    assert (error.exit_code, str(error)) == (code, told(said))


def damaged(folder):
    path = folder / "damaged.parquet"
    path.write_bytes(b"PAR1 and no more")
    return path


CASES = {
    "a workload that there is not": (hs.UsageError, lambda folder: ("workload:treead", {})),
    "a capture without a workload": (hs.UsageError, lambda folder: (SAMPLES / "ftp.pcap.xz", {})),
    "a parameter that there is not": (hs.UsageError, lambda folder: ("workload:treeadd", {"settings": {"deep": 3}})),
    "a file that there is not": (hs.TraceError, lambda folder: (folder / "none.parquet", {})),
    "a damaged file": (hs.TraceError, lambda folder: (damaged(folder), {})),
}


@pytest.mark.parametrize("case", CASES)
def test_an_input_is_refused_with_the_command_s_words(case, command, tmp_path):
    kind, make = CASES[case]
    path, more = make(tmp_path)
    with pytest.raises(kind) as raised:
        hs.Trace.read(path, **more)
    words = [word for key, value in more.get("settings", {}).items() for word in ("--set", f"{key}={value}")]
    code, said = command("replay", path, *words, "--heap", "tlsf")
    assert (raised.value.exit_code, str(raised.value)) == (code, told(said))


def test_a_trace_of_nothing_is_refused_with_the_command_s_words(command, tmp_path):
    import pyarrow as pa

    marks = pa.table({"action": ["mark"], "id": pa.array([None], pa.int64()), "label": [0]})
    trace = hs.Trace.from_arrow(marks, name="marks", labels=["begin"])
    trace.write(tmp_path / "marks.parquet")
    with pytest.raises(hs.TraceError) as raised:
        hs.replay(hs.Trace.read(tmp_path / "marks.parquet"), "tlsf")
    code, said = command("replay", tmp_path / "marks.parquet", "--heap", "tlsf")
    assert (raised.value.exit_code, str(raised.value)) == (code, told(said))


def test_stores_are_refused_with_the_command_s_words(command, small, explored, tmp_path):
    with pytest.raises(hs.StoreError) as raised:
        hs.open_exploration(tmp_path / "none")
    code, said = command("report", tmp_path / "none")
    assert (raised.value.exit_code, str(raised.value)) == (code, told(said))
    with pytest.raises(hs.StoreError) as raised:
        hs.explore(hs.Trace.read("workload:sizes"), out=explored.out)
    code, said = command("explore", "workload:sizes", "--out", explored.out, "--rounds", 0)
    assert (raised.value.exit_code, str(raised.value)) == (code, told(said))


def test_sources_are_refused_with_the_command_s_words(command, tmp_path):
    for words, call in [
        (["tlsf", "--name", "int"], lambda: hs.emit("tlsf", name="int")),
        (["guard tlsf"], lambda: hs.emit("guard tlsf", name="my_heap")),
    ]:
        with pytest.raises(hs.EmitError) as raised:
            call()
        code, said = command("emit", *words, "--lang", "c", "-o", tmp_path)
        assert (raised.value.exit_code, str(raised.value)) == (code, told(said))


def test_the_environment_is_told_apart(small, tmp_path):
    file = tmp_path / "file"
    file.write_text("no folder")
    with pytest.raises(hs.SystemFailure, match="cannot write"):
        hs.explore(small, out=file / "below")
    with pytest.raises(hs.SystemFailure, match="cannot write"):
        small.write(file / "below.parquet")
    with pytest.raises(hs.UsageError, match='there is no preference "best"; there are balanced'):
        hs.explore(small, out=tmp_path / "small", prune=True).pick("best")
