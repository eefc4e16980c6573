"""What is in a trace."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from heapsmith import _native
from heapsmith._native import Trace


class Inspection:
    """What :func:`inspect` found. Tables are ``pyarrow.Table``."""

    def __init__(self, trace: Trace, points: int) -> None:
        self.trace = trace
        self._inspected = _native.Inspected(trace, points)

    @cached_property
    def totals(self) -> dict[str, Any]:
        """Counts of events and blocks; bytes (``requested_peak``, ``requested_total``, ``bytes_left``);
        ``duration_ns``; ``form``, the phase behaviour: thin spikes, fat spikes, plateau or ramp."""
        return self._inspected.totals()

    @cached_property
    def sizes(self) -> pa.Table:
        """Every requested size in bytes, the most popular first: ``size``, ``requests``, ``share`` of all requests,
        ``cumulated``, ``births``, ``deaths``."""
        return pa.table(self._inspected.sizes())

    def classes(self, count: int, *, align: int = 8) -> pa.Table:
        """Pools of fixed blocks, ``count`` or as many as there are sizes: the block sizes, multiples of ``align`` bytes, in
        which live requests waste the fewest bytes, averaged over the operations.

        A row for each pool: ``block`` and ``smallest``, the largest and the smallest request in bytes; ``requests``;
        ``mean_live``, the mean of its live blocks over the operations; ``blocks``, the peak of them, which the pool needs;
        ``bytes`` of these; ``internal``, what live blocks have beyond their requests as a share of the requested bytes.
        :class:`UsageError` where ``count`` is not 1 to 1024 or ``align`` no power of two up to 4096.
        """
        return pa.table(_native.Inspected.classes(self.trace, count, align))

    @cached_property
    def live(self) -> pa.Table:
        """Live bytes over the trace, the highest of each stretch: ``event`` (from 0), ``time`` (ns), ``live`` (bytes),
        ``blocks``."""
        return pa.table(self._inspected.live())

    @cached_property
    def lifetimes(self) -> pa.Table:
        """Quantiles of the lifetimes of freed blocks: ``quantile``, ``events``, ``time`` (ns)."""
        return pa.table(self._inspected.lifetimes())

    @cached_property
    def sites(self) -> pa.Table:
        """The call sites that asked for most bytes first; no rows where none was recorded."""
        return pa.table(self._inspected.sites())

    @cached_property
    def findings(self) -> list[str]:
        """Remarkable facts, in words."""
        return self._inspected.findings()

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with figures, which needs no network; gives its path."""
        return write_page(path, self._inspected.page())

    def __repr__(self) -> str:
        return f"<Inspection of {self.trace.name}: {'; '.join(self.findings)}>"

    def _repr_html_(self) -> str:
        from heapsmith import _html

        return _html.inspection(self)


def inspect(trace: Trace, *, points: int = 600) -> Inspection:
    """Show what is in a trace: sizes, lifetimes, live bytes, call sites, the phase behaviour.

    ``points`` is the number of points of the live bytes, at least, where the trace has this many events.
    """
    return Inspection(trace, points)


def write_page(path: str | os.PathLike[str], text: str) -> Path:
    """Write a page, or say why not."""
    _native.write_text(path, text)
    return Path(path)
