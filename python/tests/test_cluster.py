"""An exploration on real Ray clusters of several nodes, with what can be lost lost in the middle."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
import ray
from ray.cluster_utils import Cluster as Nodes
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

import heapsmith as hs
import heapsmith.cluster
from heapsmith import _native
from heapsmith.cluster import Cluster

from conftest import events, replayed

STORE = 80 << 20


@pytest.fixture(scope="module")
def nodes():
    """A head without processors, where the driver is, and two nodes of one each. The last test loses one of them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # gRPC's handlers of forks are at odds with the process that Ray forks for each client of ray://.
    os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"
    head = {"num_cpus": 0, "object_store_memory": STORE, "ray_client_server_port": port}
    cluster = Nodes(initialize_head=True, head_node_args=head)
    cluster.client = f"ray://{cluster.address.rpartition(':')[0]}:{port}"
    cluster.workers = [cluster.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(2)]
    cluster.wait_for_nodes()
    yield cluster
    cluster.shutdown()


@pytest.fixture(autouse=True)
def disconnected():
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def long() -> hs.Trace:
    """A trace whose exploration takes long enough for something to happen in the middle."""
    return hs.Trace.from_arrow(events(4_000, seed=11), name="long")


@pytest.fixture(scope="module")
def single(long: hs.Trace, tmp_path_factory: pytest.TempPathFactory) -> hs.Exploration:
    return hs.explore(long, out=tmp_path_factory.mktemp("single") / "long")


def same(found: hs.Exploration, single: hs.Exploration) -> None:
    """Row for row, and the files to the byte."""
    assert found.measures.equals(single.measures)
    assert found.designs.equals(single.designs)
    for file in ("results.parquet", "results.csv"):
        assert (found.out / file).read_bytes() == (single.out / file).read_bytes()


def workers() -> list[psutil.Process]:
    """Processes that replay now."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = " ".join(process.info["cmdline"] or [])
        if words.startswith("ray::heapsmith"):
            found.append(process)
    return found


def when_batches_came(cluster: Cluster, sweep_done: list[int], minimum: int, action) -> threading.Thread:
    """Does something in another thread once this many batches came."""

    def wait() -> None:
        while len(sweep_done) < minimum:
            time.sleep(0.02)
        action()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


class Watched(Cluster):
    """Notes every batch that comes, with its designs."""

    def __init__(self, address: str, **settings) -> None:
        super().__init__(address, **settings)
        self.came: list[int] = []

    def _answers(self, designs, traces, limit):
        for answers, busy in super()._answers(designs, traces, limit):
            self.came.extend(len(answer) for answer in answers)
            yield answers, busy


def driving(events_file: Path, out: Path, address: str) -> str:
    """The program of a driver."""
    return textwrap.dedent(
        f"""
        import heapsmith as hs
        from heapsmith.cluster import Cluster
        trace = hs.Trace.read({str(events_file)!r})
        hs.explore(trace, out={str(out)!r}, cluster=Cluster({address!r}, seconds=0.2))
        """
    )


def test_a_killed_driver_goes_on(nodes, long, single, tmp_path):
    """The driver is killed as a process; the next one replays only what is not in the store."""
    out, events_file = tmp_path / "found", tmp_path / "long.parquet"
    long.write(events_file)
    driver = subprocess.Popen([sys.executable, "-c", driving(events_file, out, nodes.address)])
    total = len(_unique(long))
    while driver.poll() is None and replayed(out) < total // 8:
        time.sleep(0.05)
    driver.send_signal(signal.SIGKILL)
    assert driver.wait() == -signal.SIGKILL, "it was killed in the middle"
    kept = replayed(out)
    assert 0 < kept < total
    cluster = Cluster(nodes.address, seconds=0.3)
    found = hs.explore(hs.Trace.read(events_file), out=out, cluster=cluster)
    assert cluster.figures["designs"] == total - kept
    assert found.measures.drop_columns("trace").equals(single.measures.drop_columns("trace"))


def test_drivers_and_workers_that_die_at_random_lose_nothing(nodes, long, tmp_path):
    """Four drivers, each killed at a moment of its own, and their workers meanwhile; the fifth ends with the same bytes."""
    draw = random.Random(1)
    out, events_file = tmp_path / "found", tmp_path / "long.parquet"
    long.write(events_file)
    whole = hs.explore(hs.Trace.read(events_file), out=tmp_path / "whole")
    total, killed = len(_unique(long)), {"driver": 0, "worker": 0}
    for _ in range(4):
        driver = subprocess.Popen([sys.executable, "-c", driving(events_file, out, nodes.address)])
        goal = replayed(out) + (total - replayed(out)) * draw.uniform(0.05, 0.4)
        while driver.poll() is None and replayed(out) < goal:
            time.sleep(draw.uniform(0.05, 0.4))
            if draw.random() < 0.3 and (running := workers()):
                draw.choice(running).send_signal(signal.SIGKILL)
                killed["worker"] += 1
        if driver.poll() is None:
            driver.send_signal(signal.SIGKILL)
            killed["driver"] += 1
        driver.wait()
    found = hs.explore(hs.Trace.read(events_file), out=out, cluster=Cluster(nodes.address, seconds=0.3))
    assert killed["driver"] > 1 and killed["worker"] > 0, killed
    same(found, whole)


def _unique(trace: hs.Trace) -> list[tuple[int, str, int]]:
    return _native.unique_designs([trace], "standard")


def test_workers_of_a_node_map_the_same_memory(nodes, trace):
    ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
    reference = ray.put(trace.packed)

    @ray.remote(num_cpus=0.5)
    class Worker:
        def __init__(self, reference) -> None:
            self.packed = ray.get(reference[0])

        def look(self) -> tuple[str, str, int]:
            """Which mapping of the process the events lie in, where in its file, and who this is."""
            address = pa.py_buffer(self.packed).address
            for line in open("/proc/self/maps"):
                span, _, offset, _, _, *name = line.split(maxsplit=5)
                start, end = (int(part, 16) for part in span.split("-"))
                if start <= address < end:
                    return "".join(name).strip(), hex(address - start + int(offset, 16)), os.getpid()
            raise AssertionError("the events lie nowhere")

        def measure(self) -> bytes:
            return bytes(_native.measure_batch([self.packed], [(0, "tlsf")]))

    here = NodeAffinitySchedulingStrategy(node_id=nodes.workers[0].node_id, soft=False)
    both = [Worker.options(scheduling_strategy=here).remote([reference]) for _ in range(2)]
    (file, place, one), (other_file, other_place, two) = ray.get([worker.look.remote() for worker in both])
    assert one != two, "two processes"
    assert "/dev/shm/" in file or "plasma" in file, file
    assert (file, place) == (other_file, other_place)
    assert ray.get(both[0].measure.remote()) == _native.measure_batch([trace], [(0, "tlsf")])


def test_an_interrupt_keeps_what_was_done_and_names_the_folder(nodes, long, single, tmp_path):
    # Short batches, so that many are still to come when the second has, on any machine.
    cluster = Watched(nodes.address, seconds=0.02)
    when_batches_came(cluster, cluster.came, 2, lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt, match="found keeps the results so far"):
        hs.explore(long, out=tmp_path / "found", cluster=cluster)
    again = Cluster(nodes.address)
    same(hs.explore(long, out=tmp_path / "found", cluster=again), single)
    assert 0 < again.figures["designs"] < len(_unique(long))


@pytest.mark.parametrize("way", ["from a machine of the cluster", "from another machine, by ray://"])
def test_the_command_of_the_shell(nodes, small, explored, tmp_path, way):
    small.write(tmp_path / "small.parquet")
    address = nodes.client if "ray://" in way else nodes.address
    words = [tmp_path / "small.parquet", "--address", address, "-o", tmp_path / "found"]
    # Ray's own client hands on the token of this machine only if configured to.
    environment = {"RAY_AUTH_MODE": "token", **os.environ} if "ray://" in way else None
    done = subprocess.run(["heapsmith-ray", *map(str, words)], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert explored.pick().spec in done.stdout
    found = hs.open_exploration(tmp_path / "found")
    assert found.measures.drop_columns("trace").equals(explored.measures.drop_columns("trace"))


def test_errors_say_what_to_do(small, tmp_path, monkeypatch):
    with pytest.raises(hs.ClusterError, match="there is no Ray cluster at 127.0.0.1:1"):
        hs.explore(small, out=tmp_path / "found", cluster="127.0.0.1:1")
    with pytest.raises(hs.UsageError, match="leave out cluster, or prune"):
        hs.explore(small, cluster="auto", prune=True)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(hs.ClusterError, match="pip install"):
        hs.explore(small, out=tmp_path / "found", cluster="auto")


def test_a_worker_of_another_version_is_refused(nodes, small, tmp_path, monkeypatch):
    monkeypatch.setattr(heapsmith.cluster._native, "__version__", "9.9.9")
    with pytest.raises(hs.ClusterError, match=r"a worker has heapsmith .*, the driver 9\.9\.9: install the same"):
        hs.explore(small, out=tmp_path / "found", cluster=nodes.address)


def test_a_batch_that_no_worker_survives_is_told_and_the_rest_is_kept(nodes, small, tmp_path, monkeypatch):
    measure = heapsmith.cluster._measure
    doomed = _unique(small)[0][0]

    def _measure(references, designs, version):
        if any(number == doomed for number, _ in designs):
            os._exit(1)
        return measure(references, designs, version)

    monkeypatch.setattr(heapsmith.cluster, "_measure", _measure)
    with pytest.raises(hs.ClusterError, match="a batch was lost 2 times .*: .*; .*found keeps the results so far, and"):
        hs.explore(small, out=tmp_path / "found", cluster=Cluster(nodes.address, retries=1))
    monkeypatch.setattr(heapsmith.cluster, "_measure", measure)
    ray.shutdown()
    assert _native.replayed(tmp_path / "found") > 0, "the other batches are kept"
    assert hs.explore(small, out=tmp_path / "found", cluster=nodes.address).designs.num_rows == 10_013


def test_batches_that_came_with_a_lost_one_are_kept():
    class Lost(Exception):
        pass

    class Ray:
        class exceptions:
            RayError = Lost

        @staticmethod
        def get(references):
            if "lost" in references:
                raise Lost
            return references

    found = heapsmith.cluster._outcomes(Ray, ["a", "lost", "b"])
    assert [found[0], type(found[1]), found[2]] == ["a", Lost, "b"]


def test_a_cluster_that_is_not_there_leaves_no_folder(small, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(hs.ClusterError, match="there is no Ray cluster at 127.0.0.1:1: "):
        hs.explore(small, cluster="127.0.0.1:1")
    assert not list(tmp_path.glob("heapsmith-explore-*"))


def test_a_batch_is_as_many_designs_as_take_its_time():
    from heapsmith.cluster import _Designs

    designs = _Designs([(number, "tlsf") for number in range(1000)], seconds=1.0)
    assert len(designs.take(2)) == 2, "nothing is known yet"
    designs.took(2, 0.02)
    assert len(designs.take(2)) == 100
    designs.took(100, 100.0)
    assert len(designs.take(2)) == 3, "they became dear: 0.7 of 0.01 s and 0.3 of 1 s each"
    designs.took(1, 0.0)
    while designs:
        last = designs.take(2)
        designs.took(len(last), 0.0)
    assert len(last) == 1, "the end is shared"


def test_a_lost_worker_and_a_lost_node_cost_their_batches_and_nothing_else(
    nodes, long, single, tmp_path, monkeypatch
):
    begun = tmp_path / "begun"
    begun.touch()
    monkeypatch.setattr(heapsmith.cluster, "_measure", counted(begun))
    cluster = Watched(nodes.address, seconds=0.2)
    lost: list[str] = []

    def lose() -> None:
        while not (running := workers()):
            time.sleep(0.02)
        running[0].send_signal(signal.SIGKILL)
        lost.append("worker")
        minimum = len(cluster.came) + 4
        while len(cluster.came) < minimum:
            time.sleep(0.02)
        nodes.remove_node(nodes.workers[1], allow_graceful=False)
        lost.append("node")

    thread = when_batches_came(cluster, cluster.came, 3, lose)
    found = hs.explore(long, out=tmp_path / "found", cluster=cluster)
    thread.join()
    assert lost == ["worker", "node"]
    same(found, single)
    row = len(_native.measure_batch([long], [(0, "tlsf")]))
    assert sum(cluster.came) // row == cluster.figures["designs"], "every design came once"
    begins = len(begun.read_text().split())
    assert len(cluster.came) <= begins <= len(cluster.came) + 2, "a batch of the worker and one of the node began twice"


def counted(begun: Path):
    """What a worker does, with a line in a file for each batch that it begins."""
    measure, path = heapsmith.cluster._measure, str(begun)

    def _measure(*arguments):
        with open(path, "a") as file:
            file.write("begun\n")
        return measure(*arguments)

    return _measure
