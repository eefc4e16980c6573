"""Measures heaps on traces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Union

import pyarrow as pa

from heapsmith import _native
from heapsmith._native import Heap, PackedTrace, Trace
from heapsmith._progress import Bar
from heapsmith.errors import UsageError

AnyTrace = Union[Trace, PackedTrace]
AnyHeap = Union[Heap, str]


def traces_of(traces: AnyTrace | Iterable[AnyTrace]) -> list[AnyTrace]:
    """One trace or several, as a list."""
    return [traces] if isinstance(traces, (Trace, PackedTrace)) else list(traces)


def replay(
    traces: AnyTrace | Iterable[AnyTrace],
    heaps: AnyHeap | Sequence[AnyHeap],
    *,
    verify: bool = False,
    check: int | None = None,
    region: int | None = None,
    min_region: bool = False,
    time: bool = False,
    rounds: int = 9,
    progress: bool | None = None,
) -> pa.Table:
    """Replay traces through heaps, and measure.

    Parameters
    ----------
    traces
        One trace or several.
    heaps
        Specs, names of the catalogue, or :class:`Heap`. With ``time``, also ``peer:NAME``: a reference
        allocator, of which only the time is known.
    verify
        Fill every block with a pattern, and verify it when it is freed.
    check
        Verify every invariant of the heap after every N operations.
    region
        Replay in a region of this many bytes. By default there is room for any design that is not absurd.
    min_region
        Find the smallest region in which the trace completes (about 15 replays more).
    time
        Measure time, in turns with the null allocator, in ``rounds`` rounds.
    progress
        Show a bar of tqdm: yes, no, or where somebody can see it.

    Returns
    -------
    pyarrow.Table
        A row for each heap on each trace, traces first: ``trace``, ``heap``; ``fragmentation`` and its internal and
        external part (shares of the requested peak: 0.1 is 10 % more memory than was asked for); ``accesses_per_op``
        and the integers behind it (metadata words read and written: total, p50, p99, p999, max; ``visits`` alike);
        ``requested_peak``, ``footprint_peak`` and what the bytes are at the peak (``peak_headers``, ``peak_free``, …),
        in bytes; ``failed``, requests refused; with ``min_region`` that many bytes, or null, and
        ``max_in_region``, the most accesses of an operation there; with ``time``
        ``ns_per_op`` (median round) and ``null_ns_per_op`` (the null allocator).

    Raises
    ------
    UsageError
        There are no rounds to time, or accesses of a peer are asked for.
    SpecError
        A text is no heap.
    TraceError
        A trace has no allocations.
    ReplayError
        With ``verify`` or ``check``: the heap is wrong.
    SystemFailure
        The system does not grant the region.

    Counts are the same on every machine; times are not.

    >>> import heapsmith as hs
    >>> trace = hs.Trace.read("workload:sizes")
    >>> hs.replay(trace, "tlsf", min_region=True).column("failed").to_pylist()
    [0]
    """
    if time and rounds < 1:
        raise UsageError(f"rounds={rounds} measures no time: give 1 or more, or leave out time")
    traces = traces_of(traces)
    heaps = [heaps] if isinstance(heaps, (Heap, str)) else list(heaps)
    wanted = (traces, [str(heap) for heap in heaps], verify, check, region, min_region, rounds if time else 0)
    total = len(traces) * len(heaps)
    if total == 1:
        return _taken(_native.replay(*wanted, None), (min_region, time))
    with Bar(total, "replay", progress) as bar:
        return _taken(_native.replay(*wanted, bar.reach), (min_region, time))


# Schemas of results: taking one over costs as much as taking over what it describes.
_SCHEMAS: dict[tuple[bool, bool], pa.Schema] = {}


def _taken(table: _native.Table, kind: tuple[bool, bool]) -> pa.Table:
    schema = _SCHEMAS.get(kind)
    if schema is None:
        taken = pa.table(table)
        _SCHEMAS[kind] = taken.schema
        return taken
    # The capsule frees what was not taken.
    _capsule, address = table.columns()
    return pa.Table.from_batches([pa.RecordBatch._import_from_c(address, schema)])


def heaps() -> pa.Table:
    """The allocators that have a name: ``name``, ``heap`` (the spec), ``source`` (the literature)."""
    return pa.table(_native.heaps())


def workloads() -> pa.Table:
    """What makes a trace of a capture, a log or nothing, a row for each parameter: ``name``, ``about``, ``input``,
    ``source``, ``parameter``, ``default``, ``meaning``. See :meth:`Trace.read`, ``format`` and ``settings``."""
    return pa.table(_native.workload_parameters())
