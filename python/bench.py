"""What is claimed about the Python package's speed, measured: `cargo xtask python --bench`.

Times are of one run, in turns; what is projected from them is called a projection.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import ray
from ray.cluster_utils import Cluster as Nodes

import heapsmith as hs
from heapsmith import _native
from heapsmith._native import PackedTrace
from heapsmith.cluster import Cluster, _measure

EVENTS = 1_000_000
HEAPS = [
    "freelists(16,40,66,100,1514) list(order=address, fit=first)",
    "tlsf",
    "lea-2.7.2",
    "windows-xp",
    "phk",
]
STORE = 200 << 20
SWEPT = 50_000


def made(events: int, live: int = 500) -> hs.Trace:
    """Blocks of a few sizes, some hundred at once."""
    draw = random.Random(1)
    rows: dict[str, list] = {"action": [], "id": [], "size": []}
    blocks: list[int] = []
    for number in range(events):
        if draw.random() < len(blocks) / (2 * live):
            place = draw.randrange(len(blocks))
            blocks[place], blocks[-1] = blocks[-1], blocks[place]
            row = ("free", blocks.pop(), None)
        else:
            row = ("allocate", number, draw.choice([16, 40, 66, 100, 1514]))
            blocks.append(number)
        for name, value in zip(rows, row):
            rows[name].append(value)
    types = {"action": pa.string(), "id": pa.uint64(), "size": pa.uint64()}
    return hs.Trace.from_arrow(pa.table({name: pa.array(rows[name], types[name]) for name in rows}), name="made")


def replay_overhead(lines: list[str]) -> None:
    """What `replay` takes besides the replay in Rust that is in it."""

    def calls(trace: hs.Trace, heap: str, rounds: int) -> tuple[list[int], list[int], list[int]]:
        """Nanoseconds of each call, of the replay in it, and of freeing the table that it gave."""
        whole, inside, freed = [], [], []
        for _ in range(rounds):
            begun = time.perf_counter_ns()
            table = hs.replay(trace, heap)
            done = time.perf_counter_ns()
            del table
            freed.append(time.perf_counter_ns() - done)
            whole.append(done - begun)
            inside.append(_native.replaying_ns())
        return whole, inside, freed

    trace = made(EVENTS)
    lines += [
        f"## `replay` on {EVENTS:,} events",
        "",
        "Calls of `heapsmith.replay`, each timed from Python, and the replay in it by Rust, so that both are of one run over the",
        "same memory. What a call takes besides its replay is the same for every trace, but dearer after a long one, which leaves",
        "nothing of Python in the caches. Medians; in brackets where the median lies with 95%. Freeing the table afterwards is",
        "Python's, whenever it is no longer used.",
        "",
        "| heap | the replay, in Rust | around it | overhead (target: under 1%) | freeing the table | overhead with it |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for heap in HEAPS:
        whole, inside, freed = calls(trace, heap, 101)
        around = [a - b for a, b in zip(whole, inside)]
        overhead = sorted(a / b for a, b in zip(around, inside))
        # The order statistics between which the median lies in 95 of 100 cases.
        middle, aside = len(overhead) // 2, int(0.98 * len(overhead) ** 0.5)
        lines.append(
            f"| `{heap}` | {statistics.median(inside) / 1e6:.1f} ms | {statistics.median(around) / 1e3:.0f} µs "
            f"| {overhead[middle]:.2%} ({overhead[middle - aside]:.2%} to {overhead[middle + aside]:.2%}) "
            f"| {statistics.median(freed) / 1e3:.0f} µs "
            f"| {statistics.median((a + b) / c for a, b, c in zip(around, freed, inside)):.2%} |"
        )
    whole, inside, freed = calls(made(2), HEAPS[0], 1001)
    tiny = statistics.median(a - b for a, b in zip(whole, inside))
    lines += [
        f"| `{HEAPS[0]}`, a trace of 2 events | | {tiny / 1e3:.0f} µs | | {statistics.median(freed) / 1e3:.0f} µs | |",
        "",
        "The first heap is among the cheapest that there are: five lists that serve all five sizes.",
        "",
    ]


def distinct(found: Cluster) -> float:
    """Heaps a second, once the first batch came: what comes before is the start of the workers."""
    figures = found.figures
    return figures["designs"] * (1 - 1 / figures["batches"]) / (figures["seconds"] - figures["first"])


def scaling(lines: list[str], rounds: int) -> float:
    """Designs per second with one and two workers; gives the seconds of a unique design's replay on a worker."""
    trace = made(SWEPT)
    speeds: dict[str, list[float]] = {}
    heaps, cost, starts = 0.0, [], []
    for _ in range(rounds):
        for nodes in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                begun = time.perf_counter()
                hs.explore(trace, out=Path(folder) / "threads", jobs=nodes, progress=False)
                threads = time.perf_counter() - begun
                cluster = run_on(nodes, trace, Path(folder) / "cluster")
            heaps = cluster.figures["designs"]
            starts.append(cluster.figures["first"])
            cost.append(cluster.figures["busy"] / heaps)
            speeds.setdefault(f"{nodes} worker{'s' * (nodes > 1)} of Ray", []).append(distinct(cluster))
            speeds.setdefault(f"{nodes} thread{'s' * (nodes > 1)}, without a cluster", []).append(heaps / threads)
    one, two = (max(speeds[name]) for name in ("1 worker of Ray", "2 workers of Ray"))
    lines += [
        "## Designs per second",
        "",
        f"The classic space on a trace of {len(trace):,} events: 10,000 designs, {heaps:.0f} unique designs, which are what is",
        f"replayed. Best of {rounds} rounds in turns; a node of one processor for each worker; from the first batch on. Until it came,",
        f"workers started: {min(starts):.1f} to {max(starts):.1f} s.",
        "",
        "| | unique designs/s | designs/s |",
        "|---|---:|---:|",
        *(f"| {name} | {max(all):,.0f} | {max(all) * 10_000 / heaps:,.0f} |" for name, all in sorted(speeds.items())),
        "",
        f"Two workers are {two / one:.2f} times as fast as one, on {os.cpu_count()} processors that the driver, Ray's own",
        "processes and whatever else runs here share with them.",
        "",
    ]
    return statistics.median(cost)


def run_on(workers: int, trace: hs.Trace, out: Path) -> Cluster:
    """An exploration on this many nodes of one processor each."""
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    try:
        for _ in range(workers):
            nodes.add_node(num_cpus=1, object_store_memory=STORE)
        nodes.wait_for_nodes()
        cluster = Cluster(nodes.address)
        hs.explore(trace, out=out, cluster=cluster, progress=False)
        return cluster
    finally:
        ray.shutdown()
        nodes.shutdown()


def batch_overhead() -> tuple[float, float]:
    """Seconds that a batch without designs takes on a worker, and of the driver's processor."""
    ray.init(num_cpus=1, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
    try:
        references = [ray.put(made(20_000).packed)]
        task = ray.remote(_measure).options(num_cpus=1, max_retries=5)
        run = lambda count: [task.remote(references, [], _native.__version__) for _ in range(count)]
        ray.get(run(50))
        walls, driver, count = [], [], 300
        for _ in range(5):
            wall, processor = time.perf_counter(), time.process_time()
            waiting, ready = set(run(count)), []
            while waiting:
                ready, _ = ray.wait(list(waiting), num_returns=1)
                waiting.difference_update(ready)
                ray.get(ready)
            walls.append((time.perf_counter() - wall) / count)
            driver.append((time.process_time() - processor) / count)
        return min(walls), min(driver)
    finally:
        ray.shutdown()


class Kept(Cluster):
    """No cluster: answers that are made up, and the time that the driver takes to keep them."""

    def __init__(self, row: bytes, rows_each: int, together: int) -> None:
        super().__init__()
        self.row, self.rows_each, self.together = row, rows_each, together
        self.spent, self.rows = 0.0, 0

    def answers(self, designs: list[tuple[int, str]], traces: list[PackedTrace], limit: float) -> Iterator[list[bytes]]:
        rows = [number.to_bytes(8, "little") + self.row for number, _ in designs]
        batches = [b"".join(rows[at : at + self.rows_each]) for at in range(0, len(rows), self.rows_each)]
        for at in range(0, len(batches), self.together):
            begun = time.perf_counter()
            yield batches[at : at + self.together]
            self.spent += time.perf_counter() - begun
        self.rows += len(rows)


def store_speed(rows_each: int, together: int) -> float:
    """Seconds that the driver takes to keep a row, in transactions of this many batches."""
    trace = made(2_000)
    with tempfile.TemporaryDirectory() as folder:
        kept = Kept(_native.measure_batch([trace], [(0, "tlsf")])[8:], rows_each, together)
        hs.explore(trace, out=Path(folder) / "out", cluster=kept)
        return kept.spent / kept.rows


def projection(lines: list[str], cost: float) -> None:
    """What a batch costs, what a row costs, and where that ends."""
    wall, driver = batch_overhead()
    single = min(store_speed(20, 1) for _ in range(3))
    many = min(store_speed(20, 50) for _ in range(3))
    lines += [
        "## A batch, a row, and where the driver becomes the limit",
        "",
        "| | |",
        "|---|---|",
        f"| a batch besides its replays, on a worker | {wall * 1e3:.2f} ms: {wall:.2%} of a batch of a second |",
        f"| a batch on the driver (its processor) | {driver * 1e3:.2f} ms: {1 / driver:,.0f} batches/s |",
        f"| a row into the store, a transaction for each batch of 20 | {single * 1e6:.0f} µs: {1 / single:,.0f} rows/s |",
        f"| a row into the store, a transaction for 50 batches | {many * 1e6:.0f} µs: {1 / many:,.0f} rows/s |",
        "",
        "**Projection** (computed from these, not measured): with `n` processors, batches of `s` seconds and `c` seconds a",
        "replay, the driver is busy for `n/s` batches and `n/c` rows a second, and is the limit where that fills a second.",
        "It takes what came while it was busy in one transaction, so rows cost what the last line says.",
        "",
        "| events of the trace | a replay | s | rows/s at 1,000 processors | driver busy at 1,000 | limit: processors |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for events in (20_000, 100_000, 1_000_000, 10_000_000):
        for seconds in (1, 10):
            replay = cost * events / SWEPT
            batch = max(seconds, replay)
            each = driver / batch + many / replay
            lines.append(
                f"| {events:,} | {replay * 1e3:,.1f} ms | {seconds} | {1000 / replay:,.0f} | {1000 * each:.0%} | {1 / each:,.0f} |"
            )
    lines += [
        "",
        "Beyond 100% the driver is the limit: longer batches (`Cluster(seconds=10)`) help where batches are, and nothing",
        "where rows are: short traces, for which a space is done in seconds anyway. What this leaves out: Ray's own limits,",
        "the way of the trace to a thousand processors' nodes (once for each node, from node to node), and the last batch.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path("bench/results"))
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    lines = [
        "# The Python package",
        "",
        f"Written by `cargo xtask python --bench`. {os.cpu_count()} processors, {platform.system()}, Python "
        f"{platform.python_version()}, Ray {ray.__version__}; load at the beginning {os.getloadavg()[0]:.1f}.",
        "",
    ]
    replay_overhead(lines)
    cost = scaling(lines, arguments.rounds)
    projection(lines, cost)
    text = "\n".join(lines)
    (arguments.out / "python.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
