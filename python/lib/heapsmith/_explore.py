"""Every design of a space on some traces: the front, the pick and the main effects."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from heapsmith import _native
from heapsmith._native import Heap, Trace
from heapsmith._progress import Bar
from heapsmith._replay import traces_of
from heapsmith._traces import write_page
from heapsmith.errors import ClusterError, UsageError

if TYPE_CHECKING:
    from heapsmith.cluster import Cluster

Prefer = Literal["balanced", "speed", "memory", "bounded"]


class Exploration:
    """What an exploration found. Less is better in every objective. Tables are ``pyarrow.Table``."""

    def __init__(self, out: str | os.PathLike[str]) -> None:
        self.out = Path(out)
        """The folder: ``results.sqlite``, ``results.csv``, ``results.parquet`` and the traces. The command's
        ``report``, ``emit`` and ``run`` take it."""
        self._explored = _native.Explored(self.out)

    @property
    def traces(self) -> list[str]:
        """Names of the traces."""
        return self._explored.traces

    @cached_property
    def designs(self) -> pa.Table:
        """Every design, a row each, over all traces: ``number``; the levels of the factors ``freelists``, ``fit``,
        ``split``, ``coalesce``; the objectives ``fragmentation``, ``internal_fragmentation``,
        ``external_fragmentation`` (shares of the requested peak), ``accesses_per_op``, ``accesses_p99``,
        ``accesses_max`` (metadata words); ``failed``; ``on_front``: no design beats it in fragmentation, accesses, p99
        and worst; ``on_front_2d``: nor in fragmentation and accesses alone, one design for each place; ``heap``."""
        return pa.table(self._explored.designs())

    @cached_property
    def measures(self) -> pa.Table:
        """Every design on every trace, with all integers that were counted: the columns of :func:`replay`."""
        return pa.table(self._explored.measures())

    @cached_property
    def front(self) -> pa.Table:
        """The designs that no other beats in both fragmentation and accesses, ascending in fragmentation: rows of
        :attr:`designs`."""
        return self.designs.filter(pc.field("on_front_2d")).sort_by("fragmentation")

    @cached_property
    def catalogue(self) -> pa.Table:
        """Allocators of the literature on the same traces: ``name``, the objectives, ``heap``."""
        return pa.table(self._explored.catalogue())

    @cached_property
    def effects(self) -> pa.Table:
        """Main effects: ``factor``, ``objective``, ``share`` of the objective's variance that the factor explains
        (0 to 1), and ``mean`` of the objective at each ``level`` (in ``unit``). No rows where designs were cut short."""
        return pa.table(self._explored.effects())

    def pick(self, prefer: Prefer | None = None) -> Heap:
        """The preferred design: the least product of footprint and accesses (``balanced``), the best in ``speed`` or
        ``memory``, or the smallest proven worst case of an operation (``bounded``); by default as the exploration was asked."""
        return self._explored.pick(prefer)[1]

    def pick_row(self, prefer: Prefer | None = None) -> dict[str, Any]:
        """The pick as a row of :attr:`designs`."""
        row: dict[str, Any] = self.designs.slice(self._explored.pick(prefer)[0], 1).to_pylist()[0]
        return row

    def report(self, path: str | os.PathLike[str] | None = None, *, prefer: Prefer | None = None) -> Path:
        """Write the page of the exploration, which needs no network (by default ``report.html`` in its folder)."""
        return write_page(path or self.out / "report.html", self._explored.page(prefer))

    def __repr__(self) -> str:
        return f"<Exploration of {', '.join(self.traces)}: {self.designs.num_rows} designs, front of {self.front.num_rows}>"

    def _repr_html_(self) -> str:
        from heapsmith import _html

        return _html.exploration(self)


Target = Literal["host", "cortex-m", "riscv32", "avr", "network-2006"]
Objective = Literal[
    "fragmentation",
    "internal",
    "external",
    "accesses",
    "p99",
    "max",
    "footprint_mean",
    "retained",
    "footprint_over_time",
    "retained_over_time",
    "cost",
    "min_region",
    "ns",
    "code_size",
    "instructions",
    "instructions_max",
]


def explore(
    traces: Trace | Iterable[Trace],
    *,
    out: str | os.PathLike[str] | None = None,
    space: str | os.PathLike[str] | None = None,
    objectives: Sequence[Objective] = ("fragmentation", "accesses", "p99", "max"),
    limits: Mapping[Objective, float] | None = None,
    prefer: Prefer = "balanced",
    target: Target | None = None,
    baseline: str | Heap | None = None,
    robust: bool = True,
    search: Literal["exhaustive", "halving", "auto"] = "exhaustive",
    compare_search: bool = False,
    prune: bool = False,
    rounds: int = 0,
    peers: bool = False,
    holdout: Iterable[Trace] | Literal["each"] = (),
    perturb: int = 0,
    jobs: int | None = None,
    wait: bool = False,
    cluster: str | Cluster | None = None,
    progress: bool | None = None,
) -> Exploration:
    """Replay traces through every design of a space, and find the ones that suit.

    The course is that of the command ``heapsmith explore``, and so are the results: the same bytes.

    Parameters
    ----------
    traces
        One trace or several, which every design replays.
    out
        The folder for the results. An unfinished exploration in it resumes. Without a folder, results live as long as
        the returned exploration.
    space
        ``"classic"`` (10,000 designs), ``"standard"`` (the allocators of the catalogue, too), ``"programs"`` (lists for
        every size, and spans, too), ``"wide"`` (over 100,000), or a file in the form that ``heapsmith explore --print-space
        wide`` prints. By default programs for the target host, standard for others.
    objectives
        The front is over these. ``cost``, ``min_region``, ``ns`` and ``code_size`` are measured of the 64 designs nearest
        to the front over the others. ``code_size`` compiles their C, for the Cortex-M3 if its compiler is installed, else for this
        machine.
    limits
        No design of the front has more of an objective: ``{"fragmentation": 0.2, "min_region": 64 << 10}``.
    prefer
        What the pick should be good at. The folder keeps it with the objectives and limits: ``pick``, ``report`` and the
        command's ``emit``, ``run`` and ``report`` answer as it was asked.
    target
        Where the heap will live: ``"host"``, ``"cortex-m"``, ``"riscv32"``, ``"avr"`` or ``"network-2006"``. It fixes the
        alignment of every design and the largest region; by default ``"host"`` for what was recorded of a program, else
        ``"network-2006"``.
    baseline
        What there is today, to compare the pick with: a spec, a name of the catalogue, or ``"peer:libc"``; by default what
        is usual on the target.
    robust
        Judge the candidates for the pick on changed copies of the traces too: other sizes, lifetimes and orders. Without
        it, the pick is the best on the traces alone.
    search
        Which designs are replayed whole: all; those near the front on slices of the traces; with ``"auto"``, as the command
        does, all where that takes a minute or two.
    compare_search
        After a search replay every design too.
    prune
        Cut short what can no longer reach the front: the front stays, the pick is one of what is left, and effects are not
        computed.
    rounds
        Rounds of timing the front at the end; 0 leaves times out, unless ``ns`` is an objective.
    peers
        Time the reference allocators too.
    holdout
        Evaluate the pick on these traces, which the exploration does not see; ``"each"``: explore without each of the
        traces in turn, and evaluate on that one.
    perturb
        Evaluate the pick on this many perturbed copies of each trace.
    jobs
        Threads to replay on; by default all cores.
    wait
        Where another exploration is at work in ``out``, wait until it ends.
    cluster
        Replay on a Ray cluster: ``"auto"``, an address, ``"ray://HOST:10001"``, or a :class:`heapsmith.cluster.Cluster`
        with settings. The answer is the same, row for row.
    progress
        Show a bar of tqdm: yes, no, or where somebody can see it.

    Raises
    ------
    TraceError, StoreError, SystemFailure
        A trace without allocations; a folder of another exploration, or one that another process explores in; a folder that
        cannot be written.
    ClusterError
        The cluster cannot do it.
    KeyboardInterrupt
        Ctrl-C.

    After a ClusterError or a KeyboardInterrupt what was done is kept, in ``out`` or in the folder that the message names,
    and the same call with that folder goes on from it. Whatever else ends the process loses a batch.
    """
    if jobs is not None and jobs < 1:
        raise UsageError(f"jobs={jobs} replays nothing: give 1 or more")
    given = traces_of(traces)
    chosen = [trace for trace in given if isinstance(trace, Trace)]
    if not chosen or len(chosen) != len(given):
        raise UsageError("explore keeps its traces next to the results: give a Trace, or several")
    if prune and cluster is not None:
        raise UsageError("prune compares designs as they end, on one machine: leave out cluster, or prune")
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="heapsmith-explore-"))
    each = isinstance(holdout, str)
    if each and holdout != "each":
        raise UsageError(f'holdout={holdout!r} is no trace: give traces, or "each"')
    wanted = {
        "space": None if space is None else str(space),
        "objectives": list(objectives),
        "limits": list((limits or {}).items()),
        "prefer": prefer,
        "target": target,
        "baseline": None if baseline is None else str(baseline),
        "robust": robust,
        "search": None if search == "auto" else search,
        "compare_search": compare_search,
        "prune": prune,
        "jobs": jobs or os.cpu_count() or 1,
        "rounds": rounds,
        "peers": peers,
        "holdout": [] if isinstance(holdout, str) else traces_of(holdout),
        "holdout_each": each,
        "perturb": perturb,
        "wait": wait,
        "command": _command(folder),
    }
    try:
        _run(chosen, folder, wanted, cluster, progress)
        found = Exploration(folder)
    except (KeyboardInterrupt, ClusterError) as error:
        if _native.replayed(folder):
            kept = f"{folder} keeps the results so far, and the same call with out={folder} resumes from it"
            raise type(error)(f"{str(error) or 'interrupted'}; {kept}") from error.__cause__
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise type(error)(str(error) or "interrupted before anything was replayed") from error.__cause__
    except BaseException:
        if out is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    if out is None:
        weakref.finalize(found, shutil.rmtree, folder, True)
    return found


def _run(
    traces: list[Trace],
    folder: Path,
    wanted: dict[str, Any],
    cluster: str | Cluster | None,
    progress: bool | None,
) -> None:
    answers = None
    if cluster is not None:
        from heapsmith.cluster import Cluster

        answers = (cluster if isinstance(cluster, Cluster) else Cluster(cluster)).answers
    with Bar(0, "designs", progress) as bar:
        _native.explore(
            traces, folder, wanted, lambda done, total, front: bar.reach(done, f"front {front}", total), answers
        )


def open_exploration(out: str | os.PathLike[str]) -> Exploration:
    """What :func:`explore`, or the command ``heapsmith explore``, left in a folder.

    Raises StoreError where there is none.
    """
    return Exploration(out)


def pareto(table: Any, over: str | Sequence[str] = ("fragmentation", "accesses_per_op")) -> pa.Table:
    """The rows of a table that no other row beats in everything: the Pareto front, in the order of the table.

    Parameters
    ----------
    table
        Any Arrow table (pyarrow, pandas, polars): results of :func:`replay`, :attr:`Exploration.designs`, your own.
    over
        Columns of numbers; less is better. For a column in which more is better, negate it. A row with a null in one
        of them is not compared; nor is one whose column ``failed``, if there is one, is not 0.

    Equal rows are all on the front.

    Raises
    ------
    UsageError
        It is no table; a column is not there, or twice, or does not hold numbers.
    """
    rows = _table(table)
    names = [over] if isinstance(over, str) else list(over)
    if not names:
        raise UsageError("name at least one column to compare by")
    columns = [_numbers(rows, name) for name in names]
    known = pc.is_valid(columns[0])
    for column in columns[1:]:
        known = pc.and_(known, pc.is_valid(column))
    if "failed" in rows.column_names:
        known = pc.and_(known, pc.fill_null(pc.equal(_numbers(rows, "failed"), 0), True))
    points = zip(*(column.filter(known).to_pylist() for column in columns))
    front = _native.undominated([list(point) for point in points])
    return rows.filter(known).take(pa.array(front, pa.int64()))


def _table(table: Any) -> pa.Table:
    """What gives columns, as a table."""
    if not (isinstance(table, pa.Table) or hasattr(table, "__arrow_c_stream__") or hasattr(table, "__dataframe__")):
        kind = type(table).__name__
        raise UsageError(f"a {kind} is no table: give one of pyarrow, pandas or polars (collect() what is lazy)")
    return pa.table(table)


def _numbers(rows: pa.Table, name: str) -> pa.ChunkedArray:
    """A column as floats."""
    there = rows.column_names.count(name)
    if there != 1:
        known = ", ".join(rows.column_names)
        raise UsageError(
            f"there is no column {name!r}; there are {known}" if there == 0 else f"there are {there} columns {name!r}: {known}"
        )
    column = rows.column(name)
    try:
        # Integers above 2^53 are compared by the nearest float. A flag is 0 or 1.
        return pc.cast(pc.cast(column, pa.int8()) if pa.types.is_boolean(column.type) else column, pa.float64(), safe=False)
    except pa.ArrowException as error:
        raise UsageError(f"column {name!r} holds {column.type}, not numbers") from error


def _command(folder: Path) -> str:
    """What is kept as the command: what Python was started with."""
    return f"python: heapsmith.explore(out={str(folder)!r}) in {Path(sys.argv[0] or 'python').name}"
