"""Traces: from files, from tables without a copy, and what is wrong with either."""

from __future__ import annotations

import concurrent.futures
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import heapsmith as hs

from conftest import SAMPLES, events


def addresses(table: pa.Table) -> list[list[int | None]]:
    """Where the buffers of every column lie."""
    chunks = (chunk for column in table.columns for chunk in column.chunks)
    return [[buffer and buffer.address for buffer in chunk.buffers()] for chunk in chunks]


def test_a_table_is_read_where_it_lies(table):
    given_back = hs.Trace.from_arrow(table).to_arrow()
    assert addresses(given_back) == addresses(table)
    assert given_back.equals(table)


def test_a_frame_of_polars_is_read_where_it_lies(table):
    frame = pl.from_arrow(table)
    numbers = frame.select("id", "size", "time")
    expected = addresses(pa.table(numbers))
    given_back = hs.Trace.from_arrow(frame).to_arrow().select(["id", "size", "time"])
    assert addresses(given_back) == expected


def test_a_frame_of_pandas_is_read_where_it_lies(table):
    frame = pd.DataFrame({"id": table["id"].to_numpy(), "time": table["time"].to_numpy()})
    frame["action"] = table["action"].to_pandas().astype("category")
    frame["size"] = table["size"].to_pandas()
    given_back = hs.Trace.from_arrow(frame).to_arrow()
    assert given_back["id"].chunk(0).buffers()[1].address == frame["id"].to_numpy().ctypes.data


@pytest.mark.parametrize(
    "shape",
    [
        lambda table: table.to_pandas(),
        lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
        lambda table: table.to_pandas().astype({"action": "category"}),
        lambda table: pl.from_arrow(table),
        lambda table: pl.from_arrow(table).with_columns(pl.col("action").cast(pl.Categorical)),
        lambda table: table.set_column(1, "action", table["action"].cast(pa.large_string())),
        lambda table: table.set_column(1, "action", table["action"].dictionary_encode()),
        lambda table: table.set_column(3, "size", table["size"].cast(pa.float64())),
        lambda table: table.set_column(3, "size", table["size"].cast(pa.uint16())),
        lambda table: table.combine_chunks().to_batches()[0],
        lambda table: pa.concat_tables([table.slice(0, 7), table.slice(7)]),
    ],
)
def test_every_library_of_tables_gives_the_same_trace(table, trace, shape):
    assert hs.Trace.from_arrow(shape(table)).fingerprint == trace.fingerprint


def test_a_file_and_its_table_are_the_same_trace(tmp_path):
    trace = hs.Trace.read(SAMPLES / "ftp.pcap.xz", format="drr", settings={"rate": "100M"}, limit=5000)
    assert ("slice", "0..5000") in trace.settings or ("slice", "..5000") in trace.settings
    again = hs.Trace.from_arrow(trace, name=trace.name)
    assert (again.fingerprint, len(again)) == (trace.fingerprint, len(trace))
    trace.write(tmp_path / "trace.parquet")
    read = hs.Trace.read(tmp_path / "trace.parquet")
    assert (read.fingerprint, read.name, read.settings) == (trace.fingerprint, trace.name, trace.settings)
    assert read.to_arrow().equals(trace.to_arrow())
    # And as pandas reads the file itself.
    assert hs.Trace.from_arrow(pd.read_parquet(tmp_path / "trace.parquet")).fingerprint == trace.fingerprint


def test_transforms_are_those_of_the_command(trace, tmp_path):
    trace.write(tmp_path / "made.parquet")
    twice = hs.Trace.read(tmp_path / "made.parquet", copies=2)
    assert (len(twice), twice.requested_peak) == (2 * len(trace), 2 * trace.requested_peak)
    assert len(hs.Trace.read(tmp_path / "made.parquet", slice="..100")) == 100


def test_a_trace_is_pickled_with_its_names():
    trace = hs.Trace.from_arrow(events(100), name="named", sites=["here"], labels=["now"])
    again = pickle.loads(pickle.dumps(trace))
    assert (again.name, again.sites, again.labels) == ("named", ["here"], ["now"])
    assert again.fingerprint == trace.fingerprint


def test_a_trace_is_pickled_with_what_made_it():
    trace = hs.Trace.read("workload:treeadd", settings={"depth": 4})
    again = pickle.loads(pickle.dumps(trace))
    assert again.settings == trace.settings and ("depth", "4") in again.settings
    assert (again.name, again.remarks) == (trace.name, trace.remarks)


def test_sites_and_labels_without_names_get_some(tmp_path):
    rows = {
        "action": ["allocate", "mark", "free"],
        "id": [1, None, 1],
        "size": [8, None, None],
        "site": [2, None, None],
        "label": [None, 1, None],
    }
    trace = hs.Trace.from_arrow(pa.table(rows), sites=["here"])
    assert (trace.sites, trace.labels) == (["here", "site 1", "site 2"], ["label 0", "label 1"])
    trace.write(tmp_path / "named.parquet")
    again = hs.Trace.read(tmp_path / "named.parquet")
    assert (again.sites, again.labels, again.fingerprint) == (trace.sites, trace.labels, trace.fingerprint)
    rows["site"][0] = 2**32 - 1
    with pytest.raises(hs.TraceError, match="site 4294967295 has no name: give sites, or count them from 0"):
        hs.Trace.from_arrow(pa.table(rows))


def test_a_table_that_is_changed_afterwards_is_told(tmp_path):
    sizes = np.array([10, 20, 0], np.uint64)
    columns = [pa.array(["allocate", "allocate", "free"]), pa.array([1, 2, 1], pa.uint64()), pa.Array.from_buffers(
        pa.uint64(), 3, [None, pa.py_buffer(sizes)]
    )]
    trace = hs.Trace.from_arrow(pa.table(columns, names=["action", "id", "size"]))
    trace.write(tmp_path / "as-it-was.parquet")
    sizes[0] = 1_000_000
    for again in (lambda: trace.write(tmp_path / "changed.parquet"), lambda: hs.inspect(trace)):
        with pytest.raises(hs.TraceError, match="was changed since: make it of a copy"):
            again()
    assert not (tmp_path / "changed.parquet").exists()


def test_a_stream_whose_producer_needs_python_on_another_thread_is_read(tmp_path):
    """As streams do that read through Python's files: they would wait for the lock for ever."""

    class Filled:
        """Hands out the stream of a reader whose batches come from another thread."""

        def __init__(self, table: pa.Table) -> None:
            self.batches = table.to_batches(max_chunksize=10)
            self.schema = table.schema

        def __arrow_c_stream__(self, requested_schema=None):
            def batches():
                with concurrent.futures.ThreadPoolExecutor(1) as pool:
                    for batch in self.batches:
                        yield pool.submit(lambda batch=batch: batch).result(timeout=20)

            return pa.RecordBatchReader.from_batches(self.schema, batches()).__arrow_c_stream__()

    table = events(100)
    assert hs.Trace.from_arrow(Filled(table)).fingerprint == hs.Trace.from_arrow(table).fingerprint
    # A file system in Python, on which pyarrow reads with threads of its own: in a process that may be ended.
    program = (
        "import faulthandler, sys\n"
        "faulthandler.dump_traceback_later(60, exit=True)\n"
        "import heapsmith as hs, pyarrow as pa, pyarrow.dataset as ds, pyarrow.parquet as pq, pyarrow.fs as fs\n"
        "class Files(fs.FileSystemHandler):\n"
        "    def __getattr__(self, name): raise NotImplementedError(name)\n"
        "    def open_input_file(self, path): return pa.PythonFile(open(path, 'rb'), mode='r')\n"
        "    def open_input_stream(self, path): return self.open_input_file(path)\n"
        "    def get_file_info(self, paths): return [fs.FileInfo(path, fs.FileType.File) for path in paths]\n"
        "    def normalize_path(self, path): return path\n"
        "    def get_type_name(self): return 'ours'\n"
        "Files.__abstractmethods__ = frozenset()\n"
        "path = sys.argv[1]\n"
        "lazy = ds.dataset(path, filesystem=fs.PyFileSystem(Files()), format='parquet').scanner().to_reader()\n"
        "assert hs.Trace.from_arrow(lazy).fingerprint == hs.Trace.from_arrow(pq.read_table(path)).fingerprint\n"
    )
    pq.write_table(table, tmp_path / "plain.parquet")
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "plain.parquet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_stream_that_fails_or_was_read_says_so(table):
    class Again:
        capsule = table.__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.capsule

    assert len(hs.Trace.from_arrow(Again())) == table.num_rows
    with pytest.raises(hs.UsageError, match="the table cannot be read: .*its stream was read before"):
        hs.Trace.from_arrow(Again())

    def batches():
        yield from table.to_batches()
        raise ValueError("the disk is gone")

    with pytest.raises(hs.UsageError, match="the table cannot be read: .*the disk is gone"):
        hs.Trace.from_arrow(pa.RecordBatchReader.from_batches(table.schema, batches()))


def test_odd_columns_are_refused_and_do_not_panic():
    rows = pa.array([{"action": "allocate", "id": 1, "size": 3}, None])
    for given in (rows, pa.chunked_array([rows])):
        with pytest.raises(hs.UsageError, match="1 rows are null as a whole: leave them out"):
            hs.Trace.from_arrow(given)
    keyed = pa.DictionaryArray.from_arrays(pa.array([0, 5], pa.int32()), pa.array(["allocate"]), safe=False)
    with pytest.raises(hs.TraceError, match="damaged at event 2: the action is missing"):
        hs.Trace.from_arrow(pa.table({"action": keyed, "id": [1, 2], "size": [3, 4]}))


def test_the_packed_form_is_mapped_and_not_copied(trace):
    buffer = memoryview(trace.packed)
    assert (buffer.nbytes, buffer.readonly) == (16 * len(trace), True)
    mapped = hs.PackedTrace(buffer, "mapped")
    assert pa.py_buffer(mapped).address == pa.py_buffer(trace.packed).address
    assert mapped.fingerprint == trace.fingerprint
    # What may be written to is copied.
    copied = hs.PackedTrace(bytearray(buffer), "copied")
    assert copied.fingerprint == trace.fingerprint
    # So is a view that may not be written to of memory that may.
    memory = bytearray(buffer)
    viewed = hs.PackedTrace(memoryview(memory).toreadonly(), "viewed")
    memory[8:24] = b"\xff" * 16
    assert hs.replay(viewed, "tlsf").equals(hs.replay(hs.PackedTrace(buffer, "viewed"), "tlsf"))
    # Pickled out of band, as an object store does, the events stay where they are.
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(trace.packed, protocol=5, buffer_callback=buffers.append)
    assert len(pickled) < 300
    again = pickle.loads(pickled, buffers=buffers)
    assert pa.py_buffer(again).address == pa.py_buffer(trace.packed).address
    assert pickle.loads(pickle.dumps(trace.packed, protocol=4)).fingerprint == trace.fingerprint


def test_replays_of_a_mapped_trace_are_the_same(trace):
    mapped = hs.PackedTrace(memoryview(trace.packed), trace.name)
    assert hs.replay(mapped, ["tlsf", "phk"]).equals(hs.replay(trace, ["tlsf", "phk"]))


def test_a_buffer_that_holds_no_trace_is_refused(trace):
    damaged = bytearray(memoryview(trace.packed))
    damaged[12] = 7
    with pytest.raises(hs.TraceError, match="damaged"):
        hs.PackedTrace(bytes(damaged), "damaged")
    with pytest.raises(hs.TraceError, match="damaged"):
        hs.PackedTrace(bytes(memoryview(trace.packed))[:-1], "short")
    damaged[12] = 1
    with pytest.raises(hs.TraceError, match="event 1: free of block"):
        hs.PackedTrace(bytes(damaged), "freed")


def rows(*rows: tuple) -> pa.Table:
    columns = zip(*rows)
    return pa.table(dict(zip(["action", "id", "size"], map(list, columns))))


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (rows(("allocate", 1, 8), ("free", 1, None), ("free", 1, None)), "event 3: free of block 1, which is not live"),
        (rows(("allocate", 1, 8), ("allocate", 1, 8)), "event 2: allocation of block 1, which is live already"),
        (rows(("allocate", 1, None)), "the table is damaged at event 1: allocate without a size"),
        (rows(("malloc", 1, 8)), 'the table is damaged at event 1: unknown action "malloc"; known are allocate, free'),
        (rows(("allocate", None, 8)), "the table is damaged at event 1: allocate without an id"),
        (rows(("allocate", 1, -8)), "size is -8, below 0"),
        (rows(("allocate", 1, 1.5)), "size is 1.5, which is no whole number"),
        (rows(("allocate", 1, 8), (None, 1, 8)), "damaged at event 2: the action is missing"),
        (rows(("allocate", 1, "8")), "column size has type Utf8, not that of integers"),
        (rows((3, 1, 8)), "column action has type Int64, not that of text"),
        (pa.table({"action": ["free"]}), "the table is not a heapsmith trace: column id is missing"),
    ],
)
def test_a_table_that_is_no_trace_is_told_why(table, text):
    with pytest.raises(hs.TraceError) as raised:
        hs.Trace.from_arrow(table)
    assert text in str(raised.value)
    assert raised.value.exit_code == 3


def test_what_is_no_table_is_told():
    with pytest.raises(hs.UsageError, match="a list is no Arrow table"):
        hs.Trace.from_arrow([1, 2])
    with pytest.raises(hs.UsageError, match="is no table"):
        hs.Trace.from_arrow(pa.array([1, 2]))


def test_inspection_finds_what_is_in_a_trace(trace):
    found = hs.inspect(trace)
    assert found.totals["events"] == len(trace)
    assert found.totals["requested_peak"] == trace.requested_peak
    assert found.sizes["requests"].to_pylist() == sorted(found.sizes["requests"].to_pylist(), reverse=True)
    assert max(found.live["live"].to_pylist()) == trace.requested_peak
    assert found.lifetimes["quantile"].to_pylist()[0] == "min"
    assert found.findings and found.totals["form"] in ("plateau", "ramp", "thin spikes", "fat spikes")
    assert found.sites.num_rows == 0


def test_inspection_finds_pools_of_optimal_classes(trace):
    found = hs.inspect(trace)
    pools = found.classes(4)
    blocks = pools["block"].to_pylist()
    assert blocks == sorted(set(blocks)) and len(blocks) == 4 and all(block % 8 == 0 for block in blocks)
    assert blocks[-1] - max(found.sizes["size"].to_pylist()) in range(8)
    assert pools["smallest"].to_pylist() == [1, *(block + 1 for block in blocks[:-1])]
    assert sum(pools["requests"].to_pylist()) == sum(found.sizes["requests"].to_pylist())
    needed = [block * count for block, count in zip(blocks, pools["blocks"].to_pylist())]
    assert pools["bytes"].to_pylist() == needed and sum(needed) >= trace.requested_peak
    assert found.classes(1024, align=1)["internal"].to_pylist() == [0.0] * found.sizes.num_rows
    for count, align in [(0, 8), (1025, 8), (4, 0), (4, 3), (4, 8192)]:
        with pytest.raises(hs.UsageError, match="1 to"):
            found.classes(count, align=align)
