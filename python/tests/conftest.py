"""What the tests share: the samples, small traces, and the command that texts are compared with."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pyarrow as pa
import pytest

import heapsmith as hs

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"


def events(count: int, seed: int = 7, live: int = 300) -> pa.Table:
    """A table of this many events: blocks of a few sizes that live for a while."""
    draw = random.Random(seed)
    rows: dict[str, list] = {"time": [], "action": [], "id": [], "size": []}
    blocks: list[int] = []
    for number in range(count):
        full = draw.random() < len(blocks) / (2 * live)
        rows["time"].append(number * 1000)
        if full:
            place = draw.randrange(len(blocks))
            blocks[place], blocks[-1] = blocks[-1], blocks[place]
            rows["action"].append("free")
            rows["id"].append(blocks.pop())
            rows["size"].append(None)
        else:
            rows["action"].append("allocate")
            rows["id"].append(number)
            rows["size"].append(draw.choice([16, 40, 66, 66, 100, 200, 576, 1514, 1514]))
            blocks.append(number)
    types = {"time": pa.uint64(), "action": pa.string(), "id": pa.int64(), "size": pa.int64()}
    return pa.table({name: pa.array(values, types[name]) for name, values in rows.items()})


def replayed(out: Path) -> int:
    """How many results the store of an exploration holds now, also while another process (never this one) writes it.

    It is opened for writing, as a resumed run opens it: a writer that was killed in a commit leaves a journal, which
    only such a connection may roll back. For the same reason no error means nothing here but the store's absence.
    """
    file = out / "results.sqlite"
    if not file.exists():
        return 0
    with closing(sqlite3.connect(f"file:{file}?mode=rw", uri=True)) as store:
        begun = store.execute("SELECT count(*) FROM sqlite_master WHERE name = 'result'").fetchone()[0]
        return store.execute("SELECT count(*) FROM result").fetchone()[0] if begun else 0


def interrupt(process: int, out: str, minimum: int) -> None:
    """Sends Ctrl-C to a process once its exploration has this many results."""
    print("ready", flush=True)
    while replayed(Path(out)) < minimum:
        time.sleep(0.01)
    os.kill(process, signal.SIGINT)


@pytest.fixture(autouse=True, scope="session")
def interruptible():
    """Ctrl-C is heard: a shell has what it starts in the background ignore it, and tests send it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def table() -> pa.Table:
    return events(20_000)


@pytest.fixture(scope="session")
def trace(table: pa.Table) -> hs.Trace:
    return hs.Trace.from_arrow(table, name="made")


@pytest.fixture(scope="session")
def small() -> hs.Trace:
    """A trace whose whole space is explored in a second or two."""
    return hs.Trace.from_arrow(events(2_000), name="small")


@pytest.fixture(scope="session")
def explored(small: hs.Trace, tmp_path_factory: pytest.TempPathFactory) -> hs.Exploration:
    """The exploration of the small trace on this machine's threads."""
    return hs.explore(small, out=tmp_path_factory.mktemp("single") / "small")


@pytest.fixture(scope="session")
def command():
    """Runs the command `heapsmith`; gives its exit code and what it says on standard error."""
    program = os.environ.get("HEAPSMITH_COMMAND")
    if program is None:
        pytest.fail("HEAPSMITH_COMMAND does not name the command: run these tests by `cargo xtask python`")

    # A readline that pytest loads sets COLUMNS, by which the command would break its lines.
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}

    def run(*words: object) -> tuple[int, str]:
        done = subprocess.run([program, *map(str, words)], cwd=ROOT, env=environment, capture_output=True, text=True)
        return done.returncode, done.stderr

    return run
