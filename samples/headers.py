"""Packet captures without their contents.

Reads what tcpdump wrote, cuts every packet behind its last header, keeps time and
original length, and writes pcap or pcapng, compressed with xz. Also counts what a
capture holds, for the table in README.md.
"""

import collections
import lzma
import struct
from pathlib import Path
from typing import Iterator, NamedTuple

SNAPLEN = 96  # Ethernet 14 + IPv4 20 + TCP up to 60, and a little
ETHERNET = 1
IPV4, ARP = 0x0800, 0x0806
ICMP, TCP, UDP = 1, 6, 17


class Packet(NamedTuple):
    time: int  # microseconds
    length: int  # on the wire
    data: bytes  # what was captured of it


def read(path: Path) -> Iterator[Packet]:
    """The packets of a pcap or pcapng file of this project, compressed or not."""
    raw = path.read_bytes()
    if path.suffix == ".xz":
        raw = lzma.decompress(raw)
    return read_pcapng(raw) if raw[:4] == b"\x0a\x0d\x0d\x0a" else read_pcap(raw)


def read_pcap(raw: bytes) -> Iterator[Packet]:
    magic, _, _, _, _, _, link = struct.unpack_from("<IHHiIII", raw)
    if magic != 0xA1B2C3D4 or link != ETHERNET:
        raise ValueError("not a little-endian Ethernet capture with microseconds")
    at = 24
    while at < len(raw):
        seconds, micros, captured, length = struct.unpack_from("<IIII", raw, at)
        yield Packet(seconds * 1_000_000 + micros, length, raw[at + 16 : at + 16 + captured])
        at += 16 + captured


def read_pcapng(raw: bytes) -> Iterator[Packet]:
    at = 0
    while at < len(raw):
        kind, size = struct.unpack_from("<II", raw, at)
        if kind == 6:
            _, high, low, captured, length = struct.unpack_from("<5I", raw, at + 8)
            yield Packet(high << 32 | low, length, raw[at + 28 : at + 28 + captured])
        at += size


def header_bytes(data: bytes) -> int:
    """How many bytes of an Ethernet frame are headers."""
    kind = int.from_bytes(data[12:14], "big")
    if kind == ARP:
        return 42
    if kind != IPV4:
        return 14
    transport = 14 + (data[14] & 15) * 4
    protocol = data[23]
    if int.from_bytes(data[20:22], "big") & 0x1FFF:
        return transport  # a later part of a datagram: what follows is content
    if protocol == TCP:
        return transport + (data[transport + 12] >> 4) * 4
    return transport + (8 if protocol in (UDP, ICMP) else 0)


def strip(packets: Iterator[Packet]) -> list[Packet]:
    """Cuts the contents and puts the packets in order of time."""
    cut = [p._replace(data=p.data[: header_bytes(p.data)]) for p in packets]
    return sorted(cut, key=lambda p: p.time)


def write(packets: list[Packet], path: Path) -> None:
    """Writes `name.pcap.xz` or `name.pcapng.xz`."""
    raw = as_pcapng(packets) if ".pcapng" in path.name else as_pcap(packets)
    path.write_bytes(lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME))


def as_pcap(packets: list[Packet]) -> bytes:
    parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, SNAPLEN, ETHERNET)]
    for p in packets:
        parts += struct.pack("<IIII", *divmod(p.time, 1_000_000), len(p.data), p.length), p.data
    return b"".join(parts)


def as_pcapng(packets: list[Packet]) -> bytes:
    """Section header, one interface, enhanced packet blocks; no options, so no names."""
    parts = [
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)),
        block(1, struct.pack("<HHI", ETHERNET, 0, SNAPLEN)),
    ]
    for p in packets:
        head = struct.pack("<5I", 0, p.time >> 32, p.time & 0xFFFFFFFF, len(p.data), p.length)
        parts.append(block(6, head + p.data))
    return b"".join(parts)


def block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


class Summary(NamedTuple):
    packets: int
    bytes: int
    seconds: float
    sizes: collections.Counter
    flows: int
    peak_flows: int  # most flows at once: between a flow's first and last packet
    in_order: bool


def summary(packets: list[Packet]) -> Summary:
    sizes = collections.Counter(p.length for p in packets)
    spans: dict[tuple, list[int]] = {}
    for p in packets:
        if key := flow(p.data):
            spans.setdefault(key, [p.time, p.time])[1] = p.time
    edges = sorted([(first, 1) for first, _ in spans.values()]
                   + [(last, -1) for _, last in spans.values()])
    now = peak = 0
    for _, step in edges:
        now += step
        peak = max(peak, now)
    times = [p.time for p in packets]
    return Summary(len(packets), sum(p.length for p in packets), (times[-1] - times[0]) / 1e6,
                   sizes, len(spans), peak, times == sorted(times))


def flow(data: bytes) -> tuple | None:
    """Both ends of a TCP or UDP conversation, the same for either direction."""
    if int.from_bytes(data[12:14], "big") != IPV4 or data[23] not in (TCP, UDP):
        return None
    at = 14 + (data[14] & 15) * 4
    ends = (data[26:30] + data[at : at + 2], data[30:34] + data[at + 2 : at + 4])
    return (data[23], *sorted(ends))
