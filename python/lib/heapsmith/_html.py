"""Small pictures and tables for notebooks. Nothing is loaded from elsewhere, no script runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from heapsmith import _native
from heapsmith._native import Heap, Trace

if TYPE_CHECKING:
    from heapsmith._explore import Exploration
    from heapsmith._traces import Inspection

_WIDTH, _HEIGHT = 520, 120
_SHOWN = 12


def trace(trace: Trace) -> str:
    """What a trace is, with its live bytes."""
    facts = [
        ("events", f"{len(trace):,}"),
        ("live at most", f"{_bytes(trace.requested_peak)} in {trace.blocks_peak:,} blocks"),
        *((name, value) for name, value in trace.settings),
    ]
    live = _native.Inspected(trace, 200).live()
    return f"<div><b>{escape(trace.name)}</b>{_facts(facts)}{_curve(live)}</div>"


def inspection(found: Inspection) -> str:
    """Remarkable facts of a trace, with its live bytes."""
    items = "".join(f"<li>{escape(finding)}</li>" for finding in found.findings)
    return f"<div><b>{escape(found.trace.name)}</b><ul>{items}</ul>{_curve(found.live)}</div>"


def heap(heap: Heap) -> str:
    """A spec, layer by layer."""
    names = {row["heap"]: row["name"] for row in _rows(_native.heaps())}
    name = names.get(heap.spec)
    known = f" <small>{escape(name)}</small>" if name else ""
    return f"<code style='white-space:pre-wrap'>{escape(heap.spec)}</code>{known}"


def exploration(found: Exploration) -> str:
    """The front as a picture and a table, with the pick."""
    front = found.front.to_pylist()
    head = f"<b>{escape(', '.join(found.traces))}</b>: {found.designs.num_rows:,} designs, {len(front)} on the front"
    if not front:
        return f"<div>{head}</div>"
    pick = found.pick_row()
    columns = ["", "design", "fragmentation", "accesses/op", "p99", "max", "heap"]
    step = max(1, len(front) // _SHOWN)
    shown = [row for place, row in enumerate(front) if place % step == 0 or row["number"] == pick["number"]]
    if pick["number"] not in [row["number"] for row in shown]:
        shown.append(pick)
    lines = [
        [
            "▶ pick" if row["number"] == pick["number"] else "",
            f"{row['number']:,}",
            f"{row['fragmentation']:.1%}",
            f"{row['accesses_per_op']:.2f}",
            f"{row['accesses_p99']:.0f}",
            f"{row['accesses_max']:.0f}",
            row["heap"],
        ]
        for row in shown
    ]
    return f"<div>{head}{_dots(front, pick)}{_table(columns, lines)}</div>"


def _rows(table: Any) -> list[dict[str, Any]]:
    import pyarrow as pa

    rows: list[dict[str, Any]] = pa.table(table).to_pylist()
    return rows


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in facts)
    return f"<table>{cells}</table>"


def _table(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _curve(live: Any) -> str:
    """Live bytes over events."""
    points = _rows(live)
    peak = max((point["live"] for point in points), default=0) or 1
    last = max((point["event"] for point in points), default=0) or 1
    line = " ".join(
        f"{point['event'] / last * _WIDTH:.1f},{(1 - point['live'] / peak) * _HEIGHT:.1f}" for point in points
    )
    area = f"<polygon points='0,{_HEIGHT} {line} {_WIDTH},{_HEIGHT}' fill='#7aa6da' stroke='none'/>"
    return _picture(area, f"live bytes over events, at most {_bytes(peak)}")


def _dots(front: Sequence[dict[str, Any]], pick: dict[str, Any]) -> str:
    """The front over fragmentation and accesses."""
    names = ("fragmentation", "accesses_per_op")
    ends = [(min(row[name] for row in front), max(row[name] for row in front)) for name in names]

    def dot(row: dict[str, Any], size: int, colour: str) -> str:
        x, y = ((row[name] - low) / ((high - low) or 1) for name, (low, high) in zip(names, ends))
        place = f"cx='{10 + x * (_WIDTH - 20):.1f}' cy='{10 + (1 - y) * (_HEIGHT - 20):.1f}'"
        return f"<circle {place} r='{size}' fill='{colour}'/>"

    dots = "".join(dot(row, 3, "#7aa6da") for row in front) + dot(pick, 6, "#d75f00")
    return _picture(dots, "the front: fragmentation to the right, accesses upwards; the pick is large")


def _picture(shapes: str, title: str) -> str:
    size = f"width='{_WIDTH}' height='{_HEIGHT}' viewBox='0 0 {_WIDTH} {_HEIGHT}'"
    return f"<svg {size} role='img'><title>{escape(title)}</title>{shapes}</svg><div><small>{escape(title)}</small></div>"


def _bytes(number: float) -> str:
    for unit in ("B", "KB", "MB", "GB"):
        if number < 1024 or unit == "GB":
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number}"
