//! What a frame's headers say: between whom, which ports, how much payload.
//!
//! Frames may be cut off anywhere: what their headers still show is used, and lengths come
//! from the headers' own fields and the frame's original length, never from how much was
//! captured. Source: Ethernet, VLAN and IP headers through the `etherparse` crate.

use std::net::IpAddr;

use etherparse::{EtherType, IpNumber, LaxNetSlice, LaxSlicedPacket};

use super::wireless;

/// What a frame begins with: the link types that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// A 4-byte protocol family before an IP packet.
    Loopback,
    Ethernet,
    /// An IP packet.
    Raw,
    Wireless,
    WirelessWithRadiotap,
    LinuxCooked,
    LinuxCooked2,
}

impl Link {
    /// What [`Link::of`] knows, for messages.
    pub const KNOWN: &str = "1 (Ethernet), 101, 12, 14, 228, 229 (raw IP), 105 (802.11), \
                             127 (802.11 with radiotap), 113, 276 (Linux cooked), \
                             0, 108 (loopback)";

    /// The link type of a number of the pcap registry.
    pub fn of(number: i32) -> Option<Link> {
        match number {
            0 | 108 => Some(Link::Loopback),
            1 => Some(Link::Ethernet),
            12 | 14 | 101 | 228 | 229 => Some(Link::Raw),
            105 => Some(Link::Wireless),
            127 => Some(Link::WirelessWithRadiotap),
            113 => Some(Link::LinuxCooked),
            276 => Some(Link::LinuxCooked2),
            _ => None,
        }
    }
}

/// Between whom a frame travels; frames with equal ends are of one flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Endpoints {
    /// The 5-tuple; ports are 0 where the protocol or the fragment has none.
    Internet { source: IpAddr, destination: IpAddr, protocol: u8, source_port: u16, destination_port: u16 },
    /// Link-layer addresses, where there is no IP; all zero where a frame has none.
    Link { source: [u8; 6], destination: [u8; 6] },
}

impl Endpoints {
    /// The ends of the other direction.
    pub fn reversed(self) -> Endpoints {
        match self {
            Endpoints::Internet { source, destination, protocol, source_port, destination_port } => {
                Endpoints::Internet {
                    source: destination,
                    destination: source,
                    protocol,
                    source_port: destination_port,
                    destination_port: source_port,
                }
            }
            Endpoints::Link { source, destination } => Endpoints::Link { source: destination, destination: source },
        }
    }
}

/// A frame taken apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a> {
    pub ends: Endpoints,
    /// Bytes after the transport header, or after the link header where there is no IP.
    pub payload: u32,
    /// As much of the payload as was captured.
    pub captured: &'a [u8],
}

/// What a link header says: the addresses, its length, and what follows it.
pub(super) struct LinkHeader {
    pub source: [u8; 6],
    pub destination: [u8; 6],
    pub length: usize,
    pub ether_type: Option<u16>,
}

/// Takes a frame apart.
pub(super) fn take_apart(link: Link, original: u32, data: &[u8]) -> Frame<'_> {
    let header = link_header(link, data);
    let packet = data.get(header.length..).unwrap_or_default();
    let rest = original.saturating_sub(header.length as u32);
    let internet = match header.ether_type {
        Some(ether_type) => {
            let sliced = LaxSlicedPacket::from_ether_type(EtherType(ether_type), packet);
            sliced.net.as_ref().and_then(|net| internet(net, packet, rest))
        }
        None => None,
    };
    internet.unwrap_or(Frame {
        ends: Endpoints::Link { source: header.source, destination: header.destination },
        payload: rest,
        captured: packet,
    })
}

fn link_header(link: Link, data: &[u8]) -> LinkHeader {
    match link {
        Link::Ethernet => LinkHeader {
            source: address(data, 6),
            destination: address(data, 0),
            length: 14,
            // Numbers below are the lengths of 802.3 frames.
            ether_type: word(data, 12).filter(|&ether_type| ether_type >= 0x600),
        },
        Link::LinuxCooked => {
            LinkHeader { source: address(data, 6), destination: [0; 6], length: 16, ether_type: word(data, 14) }
        }
        Link::LinuxCooked2 => {
            LinkHeader { source: address(data, 12), destination: [0; 6], length: 20, ether_type: word(data, 0) }
        }
        Link::Raw => bare(0, data),
        Link::Loopback => bare(4, data),
        Link::Wireless => wireless::header(data, 0),
        Link::WirelessWithRadiotap => {
            let radiotap = data.get(2..4).map_or(0, |length| usize::from(u16::from_le_bytes([length[0], length[1]])));
            wireless::header(data, radiotap)
        }
    }
}

/// A header of `length` bytes without addresses, before an IP packet of either version.
fn bare(length: usize, data: &[u8]) -> LinkHeader {
    let version = data.get(length).map(|byte| byte >> 4);
    LinkHeader {
        source: [0; 6],
        destination: [0; 6],
        length,
        ether_type: match version {
            Some(4) => Some(EtherType::IPV4.0),
            Some(6) => Some(EtherType::IPV6.0),
            _ => None,
        },
    }
}

/// Takes an IP packet apart. `packet` begins at or before the IP header (VLAN tags may come
/// before it), and is `rest` bytes long on the wire.
fn internet<'a>(net: &LaxNetSlice<'a>, packet: &'a [u8], rest: u32) -> Option<Frame<'a>> {
    let (source, destination, start, stated, body): (IpAddr, IpAddr, u32, u32, _) = match net {
        LaxNetSlice::Ipv4(ip) => {
            let header = ip.header();
            let start = offset(packet, header.slice());
            let stated = u32::from(header.total_len());
            let (source, destination) = (header.source_addr(), header.destination_addr());
            (source.into(), destination.into(), start, stated, ip.payload())
        }
        LaxNetSlice::Ipv6(ip) => {
            let header = ip.header();
            let start = offset(packet, header.slice());
            let stated = match u32::from(header.payload_length()) {
                0 => 0,
                length => length + header.slice().len() as u32,
            };
            let (source, destination) = (header.source_addr(), header.destination_addr());
            (source.into(), destination.into(), start, stated, ip.payload())
        }
        LaxNetSlice::Arp(_) => return None,
    };
    // A length of 0 marks a segment that the network card was still to cut up.
    let length = match stated {
        0 => rest.saturating_sub(start),
        stated => stated,
    };
    let headers = offset(packet, body.payload).saturating_sub(start);
    // Only the first fragment has ports; none is looked at, so that all are of one flow.
    let transport = if body.fragmented { Transport::default() } else { Transport::of(body.ip_number, body.payload) };
    Some(Frame {
        ends: Endpoints::Internet {
            source,
            destination,
            protocol: body.ip_number.0,
            source_port: transport.source_port,
            destination_port: transport.destination_port,
        },
        payload: length.saturating_sub(headers + transport.header),
        captured: body.payload.get(transport.header as usize..).unwrap_or_default(),
    })
}

/// How far into `outer` its part `inner` begins.
fn offset(outer: &[u8], inner: &[u8]) -> u32 {
    let distance = (inner.as_ptr() as usize).saturating_sub(outer.as_ptr() as usize);
    distance.min(outer.len()) as u32
}

/// What a transport header says.
#[derive(Default)]
struct Transport {
    source_port: u16,
    destination_port: u16,
    header: u32,
}

impl Transport {
    fn of(protocol: IpNumber, data: &[u8]) -> Transport {
        let (has_ports, header) = match protocol {
            IpNumber::TCP => (true, tcp_header(data)),
            IpNumber::UDP => (true, 8),
            IpNumber::SCTP => (true, 12),
            IpNumber::ICMP | IpNumber::IPV6_ICMP => (false, 8),
            _ => (false, 0),
        };
        let port = |at| word(data, at).filter(|_| has_ports).unwrap_or(0);
        Transport { source_port: port(0), destination_port: port(2), header }
    }
}

/// The length of a TCP header; without options if the byte with the length was not captured.
fn tcp_header(data: &[u8]) -> u32 {
    match data.get(12) {
        Some(byte) if byte >> 4 >= 5 => u32::from(byte >> 4) * 4,
        _ => 20,
    }
}

/// The 16-bit number in network order at `at`.
pub(super) fn word(data: &[u8], at: usize) -> Option<u16> {
    let bytes = data.get(at..)?.first_chunk()?;
    Some(u16::from_be_bytes(*bytes))
}

/// The link-layer address at `at`, all zero where it was not captured.
pub(super) fn address(data: &[u8], at: usize) -> [u8; 6] {
    let bytes = data.get(at..).and_then(|rest| rest.first_chunk());
    bytes.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
