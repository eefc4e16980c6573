"""``heapsmith-ray``: the command ``heapsmith explore``, on a Ray cluster."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import heapsmith as hs
from heapsmith.cluster import Cluster


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="heapsmith-ray",
        description="Replay traces through 10,000 designs on a Ray cluster, and find the ones that suit.",
        epilog="Run the same command again to resume an interrupted run; it ends with the same answer. "
        "`heapsmith report DIR` writes the page. Exit codes: 0 done; 1 the job failed; 2 wrong use; 3 bad input file; "
        "4 the environment; 130 interrupted, results kept.",
    )
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="a trace file, anything importable, or workload:NAME")
    parser.add_argument("--address", default="auto", help="auto, HOST:PORT, ray://HOST:10001 or local [auto]")
    parser.add_argument("--as", dest="format", metavar="NAME", help="the importer or workload that makes a trace of the input")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of it; may be repeated")
    parser.add_argument("--slice", metavar="FROM..TO", help="use only a stretch: events from 0, or times")
    parser.add_argument("--limit", type=_count, metavar="EVENTS", help="use only the first EVENTS events")
    parser.add_argument("-o", "--out", metavar="DIR", help="folder for the results [explore-TRACE]")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long a batch should take [1]")
    parser.add_argument("--prefer", choices=["balanced", "speed", "memory", "bounded"], default="balanced")
    return parser.parse_args(words)


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of events")
    return int(text)


def _run(arguments: argparse.Namespace) -> None:
    settings = dict(word.partition("=")[::2] for word in arguments.set)
    traces = [
        hs.Trace.read(path, format=arguments.format, settings=settings, slice=arguments.slice, limit=arguments.limit)
        for path in arguments.traces
    ]
    for trace in traces:
        print(trace.name, f"{len(trace)} events", sep=": ", file=sys.stderr)
    first = Path(arguments.traces[0]).name.removeprefix("workload:").split(".")[0]
    out = Path(arguments.out or f"explore-{first}" + (f"-{arguments.format}" if arguments.format else ""))
    cluster = Cluster(arguments.address, seconds=arguments.seconds)
    found = hs.explore(traces, out=out, cluster=cluster)
    figures, pick = cluster.figures, found.pick_row(arguments.prefer)
    print(
        f"{figures.get('designs', 0):.0f} unique designs replayed in {figures.get('batches', 0):.0f} batches, "
        f"{figures.get('seconds', 0):.1f} s",
        file=sys.stderr,
    )
    print("fragmentation  accesses/op  heap")
    for row in found.front.to_pylist():
        print(f"{row['fragmentation']:>12.1%}  {row['accesses_per_op']:>11.2f}  {row['heap']}")
    print(f"\nThe pick\n  {pick['heap']}\n  fragmentation {pick['fragmentation']:.1%}, ", end="")
    print(f"{pick['accesses_per_op']:.2f} accesses an operation\n\n{out}: heapsmith report {out} writes the page")


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command; gives its exit code."""
    arguments = _arguments(words)
    try:
        _run(arguments)
    except hs.HeapsmithError as error:
        print(f"heapsmith-ray: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as interrupt:
        print(f"heapsmith-ray: {interrupt}", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
