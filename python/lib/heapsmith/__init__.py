"""Which memory allocator suits a program, and why.

Real input becomes a trace of allocations; the trace is replayed through allocator designs, each real code over
real memory; the designs that no other beats are shown, and one is picked.

>>> import heapsmith as hs
>>> trace = hs.Trace.read("workload:treeadd", settings={"depth": 8})
>>> table = hs.replay(trace, ["tlsf", "list(fit=best)"])
>>> table.column("heap").to_pylist()[0]
'tlsf(second-level=5)'

Sizes are bytes, times nanoseconds unless a name says otherwise. Results are tables of Arrow (``pyarrow.Table``),
which pandas and polars take as they are. Long work runs without Python's lock; Ctrl-C ends it and keeps what it has.
"""

from heapsmith import errors
from heapsmith._native import Heap, PackedTrace, Trace, __version__
from heapsmith._replay import heaps, replay, workloads
from heapsmith._traces import inspect, Inspection
from heapsmith._emit import emit
from heapsmith._explore import Exploration, explore, open_exploration, pareto
from heapsmith.errors import (
    ClusterError,
    EmitError,
    HeapsmithError,
    ReplayError,
    SpecError,
    StoreError,
    SystemFailure,
    TraceError,
    UsageError,
)

__all__ = [
    "ClusterError",
    "EmitError",
    "Exploration",
    "Heap",
    "HeapsmithError",
    "Inspection",
    "PackedTrace",
    "ReplayError",
    "SpecError",
    "StoreError",
    "SystemFailure",
    "Trace",
    "TraceError",
    "UsageError",
    "__version__",
    "emit",
    "errors",
    "explore",
    "heaps",
    "inspect",
    "open_exploration",
    "pareto",
    "replay",
    "workloads",
]
