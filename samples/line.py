"""Long lines: joins pairs of network interfaces and makes frames take their time.

    line.py --seconds N NEAR:FAR:DELAY_MS:LOSS ...

A frame that enters at NEAR leaves at FAR, DELAY_MS milliseconds later, and the
other way round; LOSS is the share of frames that get lost. Frames never overtake
each other. The kernel's netem does the same where it is built in; this needs
nothing but raw sockets.
"""

import argparse
import collections
import random
import select
import socket
import time

ETH_P_ALL = 3
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
SO_RCVBUFFORCE = 33
BATCH = 64  # frames taken from one socket before the others get a turn


class Direction:
    """One way along a line: frames come in, wait, go out in order."""

    def __init__(self, source, sink, delay, loss, rng):
        self.source, self.sink = source, sink
        self.delay, self.loss, self.rng = delay, loss, rng
        self.waiting = collections.deque()
        self.last_due = 0.0

    def take_in(self, now):
        for _ in range(BATCH):
            try:
                frame = self.source.recv(2048)
            except BlockingIOError:
                return
            if self.rng.random() < self.loss:
                continue
            jitter = self.rng.expovariate(20 / self.delay) if self.delay else 0.0
            self.last_due = max(self.last_due, now + self.delay + jitter)
            self.waiting.append((self.last_due, frame))

    def let_out(self, now):
        while self.waiting and self.waiting[0][0] <= now:
            try:
                self.sink.send(self.waiting.popleft()[1])
            except OSError:
                pass  # the link is full or gone: the frame is lost, as on any link


def tap(interface):
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    tap.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
    tap.setblocking(False)
    tap.bind((interface, ETH_P_ALL))
    return tap


def lines(specs):
    """Both directions of every line, by the socket they read from."""
    by_source = {}
    for number, spec in enumerate(specs):
        near, far, delay_ms, loss = spec.split(":")
        ends = tap(near), tap(far)
        for source, sink in (ends, ends[::-1]):
            by_source[source] = Direction(source, sink, float(delay_ms) / 1000,
                                          float(loss), random.Random(number))
    return by_source


def carry(by_source, until):
    while (now := time.monotonic()) < until:
        for way in by_source.values():
            way.let_out(now)
        due = min((w.waiting[0][0] for w in by_source.values() if w.waiting), default=now + 1)
        ready, _, _ = select.select(list(by_source), [], [], max(0.0, due - time.monotonic()))
        now = time.monotonic()
        for source in ready:
            by_source[source].take_in(now)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("line", nargs="+")
    options = parser.parse_args()
    carry(lines(options.line), time.monotonic() + options.seconds)


if __name__ == "__main__":
    main()
