"""Heaps, replays, explorations, sources, figures."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import matplotlib
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import heapsmith as hs
from heapsmith import _native, plots

from conftest import ROOT, events

matplotlib.use("Agg")


def test_a_heap_is_its_text():
    heap = hs.Heap("list( fit=best )  # a note")
    assert str(heap) == heap.spec == "list(order=address, fit=best, split=always, coalesce=immediate)"
    assert heap == hs.Heap(heap.spec) and hash(heap) == hash(hs.Heap(heap.spec))
    assert heap != hs.Heap("tlsf")
    assert pickle.loads(pickle.dumps(heap)) == heap
    assert eval(repr(heap), {"Heap": hs.Heap}) == heap
    assert hs.Heap("tlsf").for_malloc().spec.endswith("align=16")


def test_a_replay_is_a_table_that_others_take(trace):
    table = hs.replay([trace, trace], ["tlsf", hs.Heap("list(fit=best)")], min_region=True, time=True, rounds=2)
    assert isinstance(table, pa.Table) and table.num_rows == 4
    row = table.to_pylist()[1]
    assert row["requested_peak"] == trace.requested_peak and row["failed"] == 0
    assert row["fragmentation"] == row["footprint_peak"] / row["requested_peak"] - 1
    assert row["internal_fragmentation"] + row["external_fragmentation"] == pytest.approx(row["fragmentation"])
    assert row["accesses_per_op"] == row["accesses"] / row["operations"]
    assert row["requested_peak"] <= row["min_region"] <= row["footprint_peak"] + 8
    assert row["ns_per_op"] > row["null_ns_per_op"] > 0
    assert pl.from_arrow(table).shape == table.to_pandas().shape == table.shape


def test_a_replay_is_that_of_the_command(trace, command, tmp_path):
    import json

    trace.write(tmp_path / "made.parquet")
    program = os.environ["HEAPSMITH_COMMAND"]
    words = [program, "replay", tmp_path / "made.parquet", "--heap", "tlsf", "--heap", "phk", "--format", "json"]
    printed = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    for row, line in zip(hs.replay(trace, ["tlsf", "phk"]).to_pylist(), printed):
        shared = [name for name in row if name in line and name not in ("trace", "fragmentation", "accesses_per_op")]
        shared = [name for name in shared if not name.endswith("_fragmentation")]
        assert len(shared) > 25
        assert {name: row[name] for name in shared} == {name: line[name] for name in shared}


def test_a_replay_is_one_call_into_rust_whatever_the_trace(trace, small):
    """What Python does for a replay does not depend on the trace: the same functions, the same number of times."""

    def calls(trace: hs.Trace) -> list[str]:
        seen: list[str] = []

        def note(frame, event, argument) -> None:
            if event in ("call", "c_call"):
                seen.append(getattr(argument, "__name__", None) or frame.f_code.co_name)

        hs.replay(trace, "tlsf")
        sys.setprofile(note)
        try:
            hs.replay(trace, "tlsf")
        finally:
            sys.setprofile(None)
        return seen

    assert len(trace) == 10 * len(small)
    assert calls(trace) == calls(small)
    assert len(calls(trace)) < 60


def test_peers_have_a_time_and_nothing_else(trace):
    row = hs.replay(trace, "peer:libc", time=True, rounds=1).to_pylist()[0]
    assert row["ns_per_op"] > 0 and row["fragmentation"] is None


def test_columns_alone_are_those_of_the_table(small):
    given = _native.replay([small, small], ["tlsf", "peer:libc"], False, None, None, True, 1, None)
    whole = pa.table(given)
    _capsule, address = given.columns()
    batch = pa.RecordBatch._import_from_c(address, whole.schema)
    batch.validate(full=True)
    assert pa.Table.from_batches([batch]).equals(whole)
    assert whole["fragmentation"].null_count == 2 and whole["ns_per_op"].null_count == 0
    # A column outlives the table that it is of.
    columns, expected = [batch.column("heap"), batch.column("accesses")], whole.select(["heap", "accesses"]).to_pydict()
    del given, batch, _capsule
    gc.collect()
    assert [column.to_pylist() for column in columns] == list(expected.values())


def test_columns_are_freed_once_whether_they_are_taken_or_not(small):
    given = _native.replay([small], ["tlsf"], False, None, None, False, 0, None)
    schema = pa.table(given).schema
    for round in range(4):
        for _ in range(5000):
            given.columns()
            _capsule, address = given.columns()
            pa.RecordBatch._import_from_c(address, schema)
        if round == 0:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # One that is kept is 5 kB: 15,000 of them would be 75 MB.
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_region_that_is_too_small_refuses_and_says_so(trace):
    table = hs.replay(trace, "tlsf", region=trace.requested_peak // 2)
    assert table["failed"][0].as_py() > 0
    assert hs.replay(trace, "tlsf", verify=True, check=1000)["failed"][0].as_py() == 0


def test_a_heap_that_serves_nothing_has_a_row():
    trace = hs.Trace.from_arrow(pa.table({"action": ["allocate", "free"], "id": [1, 1], "size": [1_000_000, None]}))
    every = hs.replay(trace, hs.heaps()["name"].to_pylist())
    assert every.num_rows == hs.heaps().num_rows and 1 in every["failed"].to_pylist()
    row = hs.replay(trace, "list", region=50_000).to_pylist()[0]
    assert (row["failed"], row["peak_requested"], row["peak_largest_request"]) == (1, 0, 0)


def test_rounds_of_nothing_are_refused(small):
    with pytest.raises(hs.UsageError, match="rounds=0 measures no time"):
        hs.replay(small, "tlsf", time=True, rounds=0)


def test_long_work_lets_other_threads_run(trace):
    """Python's lock is free while a replay runs: a thread counts on."""
    many, counted, stop = [trace] * 60, [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.0005)

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    _native.measure_batch([trace], [(number, "tlsf") for number in range(300)])
    during = counted[0] - before
    stop.set()
    thread.join()
    assert len(many) == 60 and during > 5


def test_an_interrupt_ends_a_replay(trace):
    program = (
        "import heapsmith as hs, sys\n"
        "trace = hs.Trace.read('workload:sizes', copies=40)\n"
        "print('ready', flush=True)\n"
        "try:\n    hs.replay(trace, ['list(order=lifo, fit=best)', 'list(fit=worst)'] * 5000)\n"
        "except KeyboardInterrupt:\n    sys.exit(33)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    assert child.wait() == 33


def test_an_exploration_that_is_interrupted_goes_on(tmp_path):
    trace = hs.Trace.from_arrow(events(20_000, seed=3), name="stopped")
    whole = hs.explore(trace, out=tmp_path / "whole")
    # By another process: SQLite's locks do not hold between two libraries of one process, and Python has its own.
    program = f"from conftest import interrupt; interrupt({os.getpid()}, {str(tmp_path / 'parts')!r}, 50)"
    other = subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "ready\n"
    with pytest.raises(KeyboardInterrupt, match="parts keeps the results so far, and the same call"):
        hs.explore(trace, out=tmp_path / "parts", jobs=1)
    assert other.wait() == 0
    assert 0 < _native.replayed(tmp_path / "parts") < len(_native.unique_designs([trace], "standard"))
    with pytest.raises(hs.StoreError, match="holds .* of 10013 designs: run the .* command that began it again"):
        hs.open_exploration(tmp_path / "parts")
    parts = hs.explore(trace, out=tmp_path / "parts")
    assert parts.measures.equals(whole.measures)
    assert (parts.out / "results.parquet").read_bytes() == (whole.out / "results.parquet").read_bytes()


def test_an_exploration_has_front_pick_and_effects(explored, small):
    assert explored.designs.num_rows == 10_013 and explored.traces == [small.name]
    front = explored.front
    assert front["fragmentation"].to_pylist() == sorted(front["fragmentation"].to_pylist())
    assert front["accesses_per_op"].to_pylist() == sorted(front["accesses_per_op"].to_pylist(), reverse=True)
    # A robust pick may be a plain design next to the front.
    assert explored.pick().spec in explored.designs["heap"].to_pylist()
    shares = explored.effects.group_by(["objective", "factor"]).aggregate([("share", "max")])
    objectives = set(explored.effects["objective"].to_pylist())
    assert {"fragmentation", "accesses_per_op", "accesses_p99", "accesses_max"} <= objectives
    factors = set(explored.effects["factor"].to_pylist())
    assert len(factors) == 4 and shares.num_rows == len(factors) * len(objectives)
    assert all(0 <= share <= 1 for share in shares["share_max"].to_pylist())
    assert "tlsf" in explored.catalogue["name"].to_pylist()
    # The measures are those of a replay.
    row = explored.measures.filter(pa.compute.equal(explored.measures["number"], explored.pick_row()["number"])).to_pylist()[0]
    replayed = hs.replay(small, explored.pick()).to_pylist()[0]
    assert {name: replayed[name] for name in row if name != "number"} == {name: row[name] for name in row if name != "number"}


def test_without_robustness_the_pick_is_on_the_front_and_the_fastest_makes_the_fewest_accesses(explored, small):
    plain = hs.explore(small, robust=False)
    assert plain.designs.equals(explored.designs), "what is measured on the trace is the same"
    assert plain.pick().spec in plain.front["heap"].to_pylist()
    assert plain.pick_row("speed")["accesses_per_op"] == min(plain.designs["accesses_per_op"].to_pylist())


def test_the_pareto_front_is_of_any_table(explored):
    over = ["fragmentation", "accesses_per_op", "accesses_p99", "accesses_max"]
    front = hs.pareto(explored.designs, over)
    assert front.equals(explored.designs.filter(explored.designs["on_front"]))
    own = pd.DataFrame({"name": ["a", "b", "c", "d"], "time": [1, 2, 2, None], "memory": [3, 1, 2, 0]})
    assert hs.pareto(own, ["time", "memory"])["name"].to_pylist() == ["a", "b"]
    with pytest.raises(hs.UsageError, match="there is no column 'speed'; there are name, time, memory"):
        hs.pareto(own, ["speed"])
    with pytest.raises(hs.UsageError, match="there is no column 'speed'"):
        hs.pareto(own, "speed")
    assert hs.pareto(own, "time")["name"].to_pylist() == ["a"]
    with pytest.raises(hs.UsageError, match="column 'name' holds .*, not numbers"):
        hs.pareto(own, "name")
    with pytest.raises(hs.UsageError, match=r"a LazyFrame is no table: .*collect\(\)"):
        hs.pareto(pl.from_pandas(own).lazy(), "time")
    large = pa.table({"bytes": pa.array([2**60, 2**60 + 2**20], pa.uint64()), "failed": [False, False]})
    assert hs.pareto(large, "bytes")["bytes"].to_pylist() == [2**60]


def test_a_folder_without_a_store_keeps_its_traces(tmp_path, small, trace):
    space = tmp_path / "space.toml"
    space.write_text(SPACE)
    hs.explore(small, out=tmp_path / "both", space=space)
    (tmp_path / "both/results.sqlite").unlink()
    with pytest.raises(hs.SystemFailure, match=r"not heapsmith's results .*name a new"):
        hs.explore(trace, out=tmp_path / "both", space=space)
    assert hs.Trace.read(tmp_path / "both/trace-1.parquet").fingerprint == small.fingerprint


def test_an_exploration_that_is_interrupted_before_it_begins_leaves_nothing(small, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("heapsmith._explore._run", interrupted)
    with pytest.raises(KeyboardInterrupt, match="interrupted before anything was replayed"):
        hs.explore(small)
    assert not list(tmp_path.glob("heapsmith-explore-*"))


def test_the_command_takes_what_python_explored(explored, command, tmp_path):
    code, said = command("report", explored.out, "-o", tmp_path / "page.html")
    assert code == 0, said
    assert explored.report(tmp_path / "own.html").read_text() == (tmp_path / "page.html").read_text()


SPACE = """[[family]]
name = "classic"
heap = "list(order=address)"
[family.levels]
freelists = [0, 2, 3, 8]
fit = [0, 100]
split = [0, 100]
coalesce = [0, 100]

[[family]]
name = "other"
heap = ["tlsf", "half-fit", "bins(lea)"]
[family.levels]
word = [4, 8]
"""
"""Some designs of several structures."""

CHOICES = [
    ({}, []),
    ({"prune": True, "jobs": 1}, ["--prune"]),
    ({"search": "halving", "compare_search": True}, ["--search", "halving", "--compare-search"]),
    (
        {"objectives": ["fragmentation", "min_region"], "limits": {"max": 400, "min_region": 1 << 20}},
        ["--objectives", "fragmentation,min_region", "--max-op", "400", "--max-region", "1M"],
    ),
    ({"objectives": ["fragmentation", "code_size"]}, ["--objectives", "fragmentation,code_size"]),
    ({"objectives": ["internal", "external"], "prefer": "bounded"}, ["--objectives", "internal,external", "--prefer", "bounded"]),
    ({"perturb": 2, "search": "auto"}, ["--perturb", "2", "--search", "auto"]),
]


@pytest.mark.parametrize(("options", "words"), CHOICES, ids=[" ".join(words) or "plain" for _, words in CHOICES])
def test_python_and_the_command_give_the_same_bytes(small, command, tmp_path, options, words):
    (tmp_path / "space.toml").write_text(SPACE)
    small.write(tmp_path / "small.parquet")
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    trace = hs.Trace.read(tmp_path / "small.parquet")
    options = {"search": "exhaustive", **options}
    found = hs.explore(trace, out=own, space=tmp_path / "space.toml", **options)
    if "--search" not in words:
        words = [*words, "--search", "exhaustive"]
    always = ["--space", tmp_path / "space.toml", "--rounds", 0, "--no-peers", "--out", theirs, "--jobs", 2]
    code, said = command("explore", tmp_path / "small.parquet", *always, *words)
    assert code == 0, said
    for file in ("results.csv", "results.parquet"):
        assert (own / file).read_bytes() == (theirs / file).read_bytes(), file
    prefer = options.get("prefer", "balanced")
    assert found.pick(prefer) == hs.open_exploration(theirs).pick(prefer)
    again = hs.explore(trace, out=theirs, space=tmp_path / "space.toml", **options)
    assert again.measures.equals(found.measures), "one resumes what the other began"


def test_two_cannot_explore_in_one_folder(small, tmp_path):
    program = (
        "import sys, time, heapsmith as hs\n"
        f"trace = hs.Trace.read({str(tmp_path / 'small.parquet')!r})\n"
        "def noted(*_):\n    print('exploring', flush=True)\n    time.sleep(60)\n"
        "from heapsmith import _progress\n"
        "_progress.Bar.reach = noted\n"
        f"hs.explore(trace, out={str(tmp_path / 'both')!r})\n"
    )
    small.write(tmp_path / "small.parquet")
    other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "exploring\n"
    with pytest.raises(hs.SystemFailure, match="both is being explored by another process: wait until it ends"):
        hs.explore(small, out=tmp_path / "both")
    with pytest.raises(hs.StoreError, match="it is being explored now"):
        hs.open_exploration(tmp_path / "both")
    other.kill()
    other.wait()
    assert hs.explore(small, out=tmp_path / "both").designs.num_rows == 10_013, "the lock ended with its holder"


def test_what_python_asks_for_wrongly_is_told(small, trace, tmp_path):
    for options, said in [
        ({"space": tmp_path / "nowhere.toml"}, "--print-space wide"),
        ({"objectives": ["beauty"]}, "'beauty'|\"beauty\" is no objective"),
        ({"holdout": "each"}, "name two traces or more"),
        ({"search": "quick"}, "is no search"),
        ({"perturb": 5000}, "too many: at most 1000"),
    ]:
        with pytest.raises(hs.UsageError, match=said):
            hs.explore(small, out=tmp_path / "out", **options)


def test_results_without_a_folder_live_as_long_as_they_are_used(small):
    found = hs.explore(small, prune=True)
    folder = found.out
    assert folder.exists() and found.effects.num_rows == 0
    del found
    assert not folder.exists()


def test_a_heap_is_emitted(tmp_path, command):
    files = hs.emit("tlsf", "c", name="quick", out=tmp_path / "python")
    assert sorted(files) == ["quick.c", "quick.h"]
    code, said = command("emit", "tlsf", "--lang", "c", "--name", "quick", "-o", tmp_path / "command")
    assert code == 0, said
    assert {name: (tmp_path / "command" / name).read_text() for name in files} == files
    assert list(hs.emit("tlsf", "rust", name="quick")) == ["quick.rs"]
    hs.emit("tlsf word=8 align=16", "so", name="quick", out=tmp_path / "so")
    done = subprocess.run(["ls", "/"], env={"LD_PRELOAD": str(tmp_path / "so" / "libquick.so")}, capture_output=True)
    assert done.returncode == 0 and b"etc" in done.stdout


def test_lists_of_what_has_a_name():
    assert "windows-xp" in hs.heaps()["name"].to_pylist()
    assert "drr" in hs.workloads()["name"].to_pylist()


def test_everything_shows_itself_in_a_notebook(explored, trace):
    shown = [trace, hs.Heap("tlsf"), explored, hs.inspect(trace)]
    for html in (each._repr_html_() for each in shown):
        assert "<script" not in html and "http" not in html
    assert "<svg" in trace._repr_html_() and "▶ pick" in explored._repr_html_()
    named = hs.Trace.from_arrow(events(10), name="<b>&")
    assert "&lt;b&gt;&amp;" in named._repr_html_()


def test_figures_are_drawn_on_axes(explored, small):
    own = pd.DataFrame({"name": ["mine"], "fragmentation": [0.2], "accesses_per_op": [7.0]})
    drawn = plots.front(explored, others=own, catalogue=True)
    assert "mine" in [text.get_text() for text in drawn.texts]
    axes = matplotlib.pyplot.subplots()[1]
    assert plots.live_bytes(small, ax=axes) is axes
    assert max(axes.lines[0].get_ydata()) == small.requested_peak
    assert sum(bar.get_height() for bar in plots.histogram(small).patches) == pytest.approx(
        sum(hs.inspect(small).sizes["requests"].to_pylist())
    )
    effects = plots.main_effects(explored, "accesses_per_op")
    assert len(effects.lines) == 4
    assert len(plots.heap_map(small, "freelists(66,1514) list", event=500).collections) > 0
    assert plots.live_bytes(small, over="time").get_xlabel() == "time (ns)"
    with pytest.raises(hs.UsageError, match="there is no objective"):
        plots.main_effects(explored, "beauty")


def test_a_heap_map_adds_up(small):
    table, at, footprint = _native.blocks(small, "list(fit=best)", None)
    blocks = pa.table(table).to_pylist()
    row = hs.replay(small, "list(fit=best)").to_pylist()[0]
    assert (at, footprint) == (row["peak_event"] + 1, row["footprint_at_peak"])
    assert sum(block["size"] for block in blocks if block["state"] == "used") == row["blocks_at_peak"]
    ends = [block["offset"] + block["size"] for block in blocks]
    assert all(end <= block["offset"] for end, block in zip(ends, blocks[1:])) and ends[-1] <= footprint


def test_progress_is_shown_where_it_is_asked_for(small, capsys):
    hs.replay([small, small], ["tlsf"], progress=True)
    assert "replay" in capsys.readouterr().err
    hs.replay([small, small], ["tlsf"])
    assert capsys.readouterr().err == ""


def test_docstrings_run():
    import doctest

    for module in (hs, hs._replay, plots):
        failed, tried = doctest.testmod(module)
        assert tried > 0 and failed == 0


def test_the_stubs_are_those_of_the_module():
    stubtest = ["mypy.stubtest", "heapsmith", "--mypy-config-file", str(ROOT / "python/pyproject.toml")]
    stubtest += ["--allowlist", str(ROOT / "python/tests/stubs.txt"), "--ignore-unused-allowlist"]
    # Each reads all of pandas and pyarrow: side by side.
    jobs = [(stubtest, "/"), (["mypy", "lib/heapsmith"], ROOT / "python")]
    started = [
        subprocess.Popen([sys.executable, "-m", *names], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd)
        for names, cwd in jobs
    ]
    told = [job.communicate()[0] for job in started]
    assert [job.returncode for job in started] == [0, 0], "\n".join(told)


def test_the_question_is_kept_with_its_answer(small, tmp_path):
    found = hs.explore(small, out=tmp_path / "out", prefer="memory", baseline="windows-ce", objectives=["fragmentation", "accesses"])
    assert found.pick() == found.pick("memory")
    assert hs.open_exploration(tmp_path / "out").pick() == found.pick("memory")


def test_a_target_fixes_the_alignment(small, tmp_path):
    found = hs.explore(small, out=tmp_path / "out", target="host")
    assert all("align=16" in heap for heap in found.designs["heap"].to_pylist())
    with pytest.raises(hs.UsageError, match="there is no target"):
        hs.explore(small, out=tmp_path / "other", target="z80")
    with pytest.raises(hs.UsageError, match="neither in the catalogue nor a pool"):
        hs.explore(small, out=tmp_path / "other", baseline="nobody")
