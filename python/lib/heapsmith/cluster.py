"""An exploration on a Ray cluster.

::

    driver                                   object store of each node          workers
    ──────                                   ─────────────────────────          ───────
    traces, packed ──put once──────────────▶ 16 bytes an event ──mapped──▶ replay, in place
    designs ──batches of a second or so────────────────────────────────▶ measure
    results.sqlite ◀──rows of integers, as they come───────────────────────────┘

Ray schedules, retries and moves the trace between nodes; nothing of that is done here. What is done here:

- a batch is as many designs as take ``seconds`` by what was measured so far, and fewer towards the end, so that no
  worker is left alone with a long one;
- a batch is kept the moment that it comes, in the store of the command: a driver that is killed, or stopped, is
  started again with the same ``out`` and resumes;
- a batch of a worker or a node that is lost is run again by Ray, elsewhere; the rows are integers that do not depend
  on where, so the answer is that of one machine, row for row.

Each worker needs this package in the version of the driver.
"""

from __future__ import annotations

import math
import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

from heapsmith import _native
from heapsmith._native import PackedTrace
from heapsmith.errors import ClusterError, HeapsmithError, UsageError

_Design = tuple[int, str]


class Cluster:
    """Where and how to replay.

    Parameters
    ----------
    address
        ``"auto"``: the cluster that this machine is in; ``"HOST:PORT"``; ``"ray://HOST:10001"`` for one that it is
        not in; ``"local"``: one that is started here and ends with it. A Ray that is connected already is used as it
        is.
    seconds
        How long a batch should take. What a batch costs besides its replays is some milliseconds; what a lost worker
        costs is this.
    retries
        How often Ray runs a batch again whose worker or node was lost.
    runtime_env
        Handed to Ray: how workers get this package where it is not installed, as in ``{"pip": ["heapsmith"]}``.
    """

    def __init__(
        self,
        address: str = "auto",
        *,
        seconds: float = 1.0,
        retries: int = 5,
        runtime_env: dict[str, Any] | None = None,
    ) -> None:
        if not 0 < seconds < math.inf:
            raise UsageError("a batch takes some time: give seconds above 0")
        if retries < 0:
            raise UsageError("retries are counted: give 0 or more")
        self.address = address
        self.seconds = seconds
        self.retries = retries
        self.runtime_env = runtime_env
        self.figures: dict[str, float] = {}
        """What the last exploration took: ``seconds``, ``first`` (seconds until the first batch came: workers
        start), ``designs`` replayed, ``batches``, ``busy`` (seconds of workers in replays), ``store`` (seconds of the
        driver in its store), ``rows_per_second`` of the store."""

    def answers(self, designs: list[_Design], traces: list[PackedTrace], limit: float) -> Iterator[list[bytes]]:
        """Replay designs on the cluster: their answers, some at a time, as they come.

        A design that takes more than ``limit`` accesses an operation is stopped.
        """
        begun = time.perf_counter()
        figures = {"designs": float(len(designs)), "batches": 0.0, "busy": 0.0, "store": 0.0, "first": 0.0}
        for answers, busy in self._answers(designs, traces, limit):
            figures["first"] = figures["first"] or time.perf_counter() - begun
            figures["batches"] += len(answers)
            figures["busy"] += busy
            handed = time.perf_counter()
            yield answers
            figures["store"] += time.perf_counter() - handed
        figures["seconds"] = time.perf_counter() - begun
        figures["rows_per_second"] = figures["designs"] * len(traces) / max(figures["store"], 1e-9)
        self.figures = figures

    def _answers(
        self, designs: list[_Design], traces: list[PackedTrace], limit: float
    ) -> Iterator[tuple[list[bytes], float]]:
        """The answers as they come, some at a time, and the seconds that their workers took."""
        ray = _ray()
        disconnect = _connect(ray, self.address, self.runtime_env)
        try:
            references = [ray.put(trace) for trace in traces]
            options = {"runtime_env": self.runtime_env} if self.runtime_env else {}
            task = ray.remote(_measure).options(
                name="heapsmith batch", num_cpus=1, max_retries=self.retries, retry_exceptions=False, **options
            )
            yield from self._drive(ray, task, _Designs(designs, self.seconds), references, limit)
        except ray.exceptions.RayTaskError as error:
            raise _cause(error) from error
        except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError) as error:
            what = f"a batch was lost {self.retries + 1} times"
            raise ClusterError(f"{what} ({type(error).__name__}): {_first_line(error)}") from error
        except (ray.exceptions.RayError, ConnectionError) as error:
            raise ClusterError(f"the cluster failed ({type(error).__name__}): {_first_line(error)}") from error
        finally:
            disconnect()

    def _drive(
        self, ray: Any, task: Any, designs: _Designs, references: list[Any], limit: float
    ) -> Iterator[tuple[list[bytes], float]]:
        # Where this ends early, batches that run are left to end: they are at most two for each slot, of ``seconds``, and
        # shutting down ends them at once. Ray's `cancel` aborts the driver's process where a task ends at the same time
        # (ray-project/ray#54527; seen with 2.60).
        running: set[Any] = set()
        looked, slots = 0.0, 1
        failed: Exception | None = None
        # After a batch failed none is handed out any more, and those that run are waited for.
        while running or (designs and failed is None):
            if time.perf_counter() - looked > 2:
                looked, slots = time.perf_counter(), _slots(ray)
            # One batch more than there are slots for each slot: a worker finds the next one waiting.
            while designs and failed is None and len(running) < 2 * slots:
                running.add(task.remote(references, designs.take(slots), limit, _native.__version__))
            ready, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
            if not ready:
                continue
            # Whatever else is there goes into the store with it: one transaction for all.
            ready, _ = ray.wait(list(running), num_returns=len(running), timeout=0)
            running.difference_update(ready)
            answers, busy = [], 0.0
            for outcome in _outcomes(ray, ready):
                if isinstance(outcome, Exception):
                    failed = failed or outcome
                    continue
                answer, count, seconds = outcome
                designs.took(count, seconds)
                answers.append(answer)
                busy += seconds
            if answers:
                yield answers, busy
        if failed is not None:
            raise failed


def _outcomes(ray: Any, ready: list[Any]) -> list[Any]:
    """What batches came to: their answers, and the exceptions of those that failed."""
    try:
        return list(ray.get(ready))
    except ray.exceptions.RayError as error:
        if len(ready) == 1:
            return [error]
    return [outcome for reference in ready for outcome in _outcomes(ray, [reference])]


class _Designs:
    """Designs that are still to be handed out, in an order that mixes cheap and dear ones."""

    def __init__(self, designs: list[_Design], seconds: float) -> None:
        self._left = list(designs)
        # The same on every run; which design goes where does not matter to the answer.
        random.Random(20060101).shuffle(self._left)
        self._seconds = seconds
        self._cost: float | None = None

    def __bool__(self) -> bool:
        return bool(self._left)

    def took(self, designs: int, seconds: float) -> None:
        """This many designs took so long: what was measured before counts less with every batch."""
        cost = seconds / max(designs, 1)
        self._cost = cost if self._cost is None else 0.7 * self._cost + 0.3 * cost

    def take(self, slots: int) -> list[_Design]:
        """The next batch. Before anything was measured it is small; at the end all slots share what is left."""
        count = 2 if self._cost is None else max(1, int(self._seconds / max(self._cost, 1e-6)))
        count = min(count, max(1, math.ceil(len(self._left) / (3 * slots))))
        batch, self._left = self._left[-count:], self._left[:-count]
        return batch


def _measure(references: list[Any], designs: list[_Design], limit: float, version: str) -> tuple[bytes, int, float]:
    """On a worker: the answer of a batch, its designs, and the seconds that it took.

    A trace is mapped from the node's object store, and kept mapped for the batches to come.
    """
    if _native.__version__ != version:
        raise ClusterError(f"a worker has heapsmith {_native.__version__}, the driver {version}: install the same")
    traces = _mapped(references)
    # What it takes until a node has the trace is no cost of designs.
    begun = time.perf_counter()
    answer = _native.measure_batch(traces, designs, limit)
    return answer, len(designs), time.perf_counter() - begun


# Of the batch before: batches of one exploration have the same traces.
_MAPPED: dict[str, PackedTrace] = {}


def _mapped(references: list[Any]) -> list[PackedTrace]:
    import ray

    keys = [reference.hex() for reference in references]
    for gone in _MAPPED.keys() - set(keys):
        del _MAPPED[gone]
    for key, reference in zip(keys, references):
        if key not in _MAPPED:
            _MAPPED[key] = ray.get(reference)
    return [_MAPPED[key] for key in keys]


def _slots(ray: Any) -> int:
    """Processors of the cluster as it is now."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ClusterError("a cluster needs Ray: pip install 'heapsmith[cluster]'") from error
    return ray


def _connect(ray: Any, address: str, runtime_env: dict[str, Any] | None) -> Callable[[], None]:
    """Connects, unless that was done before; gives what undoes it."""
    if ray.is_initialized():
        return lambda: None
    try:
        _answers_at(address)
        _init(ray, address, runtime_env, attempts=3 if address.startswith("ray://") else 1)
    except Exception as error:
        hint = ""
        if address.startswith("ray://") and "RAY_AUTH_MODE" not in os.environ:
            hint = "; where it wants a token, set RAY_AUTH_MODE=token"
        raise ClusterError(f"there is no Ray cluster at {address}: {_first_line(error)}{hint}") from error
    return ray.shutdown  # type: ignore[no-any-return]


def _init(ray: Any, address: str, runtime_env: dict[str, Any] | None, attempts: int) -> None:
    """Connects. Ray starts a process for each client of ``ray://``, which now and then does not come up."""
    for left in reversed(range(attempts)):
        try:
            ray.init(address=address, runtime_env=runtime_env, log_to_driver=False, logging_level="ERROR")
            return
        except ConnectionError:
            ray.shutdown()
            if not left:
                raise


def _answers_at(address: str) -> None:
    """Whether somebody listens at an address: Ray itself waits for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()


def _cause(error: Any) -> BaseException:
    """What a worker raised: our own exceptions as they were, everything else as one of the cluster."""
    cause = error.cause
    if isinstance(cause, HeapsmithError):
        return type(cause)(*cause.args)
    if isinstance(cause, ModuleNotFoundError) or "ModuleNotFoundError" in str(error):
        return ClusterError("heapsmith is not installed on a worker: install it on every node, or give runtime_env")
    return ClusterError(f"a batch failed: {_first_line(cause or error)}")


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__).strip()
