"""Figures with matplotlib, for papers: every function draws on axes and returns them.

>>> import heapsmith as hs
>>> from heapsmith import plots
>>> axes = plots.live_bytes(hs.Trace.read("workload:sizes"))
>>> axes.get_ylabel()
'live bytes'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from heapsmith import _native
from heapsmith._explore import Exploration
from heapsmith._native import Heap, PackedTrace, Trace
from heapsmith._traces import inspect
from heapsmith.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STATES = {"used": "#4477aa", "kept": "#ccbb44", "free": "#ee6677"}


def front(
    exploration: Exploration,
    *,
    others: Any = None,
    names: str = "name",
    catalogue: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Every design by fragmentation (share of the requested peak) and accesses an operation, the front and the pick.

    ``others`` is a table of your own (pyarrow, pandas, polars) with ``fragmentation`` and ``accesses_per_op`` and, in the
    column ``names``, the text next to each point. ``catalogue`` shows the allocators of the literature too.
    """
    ax = _axes(ax)
    designs, front = exploration.designs, exploration.front
    x, y = "fragmentation", "accesses_per_op"
    every = f"{designs.num_rows:,} designs"
    ax.scatter(_list(designs, x), _list(designs, y), s=4, color="#bbbbbb", label=every, rasterized=True)
    ax.step(_list(front, x), _list(front, y), where="post", color="#4477aa", linewidth=1)
    ax.scatter(_list(front, x), _list(front, y), s=14, color="#4477aa", label="front", zorder=3)
    pick = exploration.pick_row()
    ax.scatter([pick[x]], [pick[y]], s=60, color="#ee6677", label="pick", zorder=4)
    for table, marker, label in ((exploration.catalogue if catalogue else None, "^", "catalogue"), (others, "D", "others")):
        if table is None:
            continue
        table = pa.table(table)
        _columns(table, [x, y])
        ax.scatter(_list(table, x), _list(table, y), s=26, marker=marker, label=label, zorder=4)
        written = "name" if marker == "^" else names
        if written in table.column_names:
            for row in table.to_pylist():
                ax.annotate(str(row[written]), (row[x], row[y]), xytext=(4, 4), textcoords="offset points", fontsize=8)
    ax.set_yscale("log")
    _percent(ax.xaxis)
    ax.set_xlabel("fragmentation")
    ax.set_ylabel("accesses an operation")
    ax.set_title(", ".join(exploration.traces))
    ax.legend()
    return ax


def live_bytes(trace: Trace, *, points: int = 1000, over: str = "event", ax: Axes | None = None) -> Axes:
    """Live bytes ``over`` events (``"event"``) or nanoseconds (``"time"``): the highest of each of ``points`` stretches."""
    if over not in ("event", "time"):
        raise UsageError(f"live bytes can be drawn over event or time, not {over!r}")
    ax = _axes(ax)
    live = inspect(trace, points=points).live
    ax.plot(_list(live, over), _list(live, "live"), linewidth=1, color="#4477aa")
    ax.fill_between(_list(live, over), _list(live, "live"), color="#4477aa", alpha=0.2)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("event" if over == "event" else "time (ns)")
    ax.set_ylabel("live bytes")
    ax.set_title(trace.name)
    return ax


def histogram(trace: Trace, *, bins: int | Sequence[float] = 60, ax: Axes | None = None) -> Axes:
    """Requested sizes in bytes, by how many requests ask for them."""
    ax = _axes(ax)
    sizes = inspect(trace, points=1).sizes
    ax.hist(_list(sizes, "size"), bins=bins, weights=_list(sizes, "requests"), color="#4477aa")
    ax.set_xlabel("requested bytes")
    ax.set_ylabel("requests")
    ax.set_title(trace.name)
    return ax


def heap_map(
    trace: Trace | PackedTrace,
    heap: Heap | str,
    *,
    event: int | None = None,
    width: int = 128,
    ax: Axes | None = None,
) -> Axes:
    """The heap's region after ``event`` events (by default at the peak) as rows of ``width`` bytes: used, kept by a layer,
    free, and white where the heap has its own words.

    Large footprints are drawn with wider rows, so that there are no more than 256.
    """
    from matplotlib.patches import Patch

    if event is not None and event < 0:
        raise UsageError(f"event={event} is before the first: give a number of events from 0")
    ax = _axes(ax)
    blocks, at, footprint = _native.blocks(trace, str(heap), event)
    width = max(width, -(-footprint // 256 // 8) * 8)
    for state, colour in _STATES.items():
        rows = pa.table(blocks).filter(pc.field("state") == state)
        spans: dict[int, list[tuple[int, int]]] = {}
        for offset, size in zip(_list(rows, "offset"), _list(rows, "size")):
            for line, start, length in _lines(offset, size, width):
                spans.setdefault(line, []).append((start, length))
        for line, parts in spans.items():
            ax.broken_barh(parts, (line * width, width), facecolors=colour, edgecolors="white", linewidth=0.2)
    ax.set_xlim(0, width)
    ax.set_ylim(max(footprint, width), 0)
    ax.set_xlabel(f"byte of {width}")
    ax.set_ylabel("offset in the region (bytes)")
    ax.set_title(f"{heap}\nafter {at:,} events, {footprint:,} bytes", fontsize=9)
    ax.legend(handles=[Patch(color=colour, label=state) for state, colour in _STATES.items()], loc="lower right")
    return ax


def main_effects(exploration: Exploration, objective: str = "fragmentation", *, ax: Axes | None = None) -> Axes:
    """The mean of an objective at every level of each factor, with the share of its variance that each explains."""
    ax = _axes(ax)
    effects = exploration.effects
    if effects.num_rows == 0:
        raise UsageError("effects are of every design, and some were cut short (prune) or are not replayed yet")
    rows = effects.filter(pc.field("objective") == objective)
    if rows.num_rows == 0:
        known = ", ".join(dict.fromkeys(_list(effects, "objective")))
        raise UsageError(f"there is no objective {objective!r}; there are {known}")
    for factor in dict.fromkeys(_list(rows, "factor")):
        each = rows.filter(pc.field("factor") == factor)
        share = each.column("share")[0].as_py()
        ax.plot(range(each.num_rows), _list(each, "mean"), marker="o", markersize=3, label=f"{factor}: {share:.1%}")
    ax.set_xlabel("level, from none to full use")
    ax.set_ylabel(objective)
    if "fragmentation" in objective:
        _percent(ax.yaxis)
    ax.set_title(f"main effects on {objective}")
    ax.legend(title="share of the variance")
    return ax


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise UsageError("figures need matplotlib: pip install 'heapsmith[plots]'") from error
    return plt.subplots()[1]


def _percent(axis: Any) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0))


def _list(table: pa.Table, name: str) -> list[Any]:
    values: list[Any] = table.column(name).to_pylist()
    return values


def _columns(table: pa.Table, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.column_names:
            raise UsageError(f"there is no column {name!r}; there are {', '.join(table.column_names)}")


def _lines(offset: int, size: int, width: int) -> list[tuple[int, int, int]]:
    """The rows that a block lies in: row, first byte in it, bytes in it."""
    lines, end = [], offset + size
    while offset < end:
        line, start = divmod(offset, width)
        length = min(width - start, end - offset)
        lines.append((line, start, length))
        offset += length
    return lines
