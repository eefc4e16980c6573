use etherparse::PacketBuilder;

use super::*;

const ME: [u8; 6] = [2, 0, 0, 0, 0, 1];
const YOU: [u8; 6] = [2, 0, 0, 0, 0, 2];

fn ethernet(payload: usize) -> Vec<u8> {
    let builder = PacketBuilder::ethernet2(ME, YOU).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).tcp(1234, 80, 1, 1024);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![7; payload]).unwrap();
    bytes
}

fn ports(frame: &Frame<'_>) -> (u8, u16, u16) {
    match frame.ends {
        Endpoints::Internet { protocol, source_port, destination_port, .. } => {
            (protocol, source_port, destination_port)
        }
        Endpoints::Link { .. } => (0, 0, 0),
    }
}

#[test]
fn a_cut_off_frame_tells_as_much_as_a_whole_one() {
    let bytes = ethernet(1460);
    let whole = take_apart(Link::Ethernet, 1514, &bytes);
    assert_eq!((whole.payload, whole.captured.len()), (1460, 1460));
    assert_eq!(ports(&whole), (6, 1234, 80));
    for snap in [38, 42, 48, 54, 100] {
        let cut = take_apart(Link::Ethernet, 1514, &bytes[..snap]);
        assert_eq!((cut.payload, cut.ends), (1460, whole.ends), "cut at {snap}");
    }
}

#[test]
fn padding_of_short_frames_is_no_payload() {
    let mut bytes = ethernet(0);
    bytes.resize(60, 0);
    assert_eq!(take_apart(Link::Ethernet, 60, &bytes).payload, 0);
}

#[test]
fn a_length_of_zero_stands_for_all_there_is() {
    let mut bytes = ethernet(3000);
    bytes[16..18].copy_from_slice(&[0, 0]);
    assert_eq!(take_apart(Link::Ethernet, 3054, &bytes).payload, 3000);
}

#[test]
fn tags_and_version_6_and_datagrams() {
    let builder =
        PacketBuilder::ethernet2(ME, YOU).single_vlan(5.try_into().unwrap()).ipv6([1; 16], [2; 16], 64).udp(53, 5353);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &[0; 100]).unwrap();
    let frame = take_apart(Link::Ethernet, bytes.len() as u32, &bytes);
    assert_eq!((frame.payload, ports(&frame)), (100, (17, 53, 5353)));
}

#[test]
fn the_other_link_types_lead_to_the_same_packet() {
    let bytes = ethernet(10);
    let whole = take_apart(Link::Ethernet, 64, &bytes);
    let packet = &bytes[14..];
    let before = |header: &[u8]| [header, packet].concat();
    let radiotap = [&[0, 0, 10, 0][..], &[0; 6]].concat();
    let qos_data = [&[0x88, 0x01][..], &[0; 24], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0]].concat();
    let cooked = [&[0; 14][..], &[8, 0]].concat();
    let cooked_2 = [&[8, 0][..], &[0; 18]].concat();
    for (link, bytes) in [
        (Link::Raw, before(&[])),
        (Link::Loopback, before(&[2, 0, 0, 0])),
        (Link::LinuxCooked, before(&cooked)),
        (Link::LinuxCooked2, before(&cooked_2)),
        (Link::Wireless, before(&qos_data)),
        (Link::WirelessWithRadiotap, before(&[radiotap, qos_data].concat())),
    ] {
        let frame = take_apart(link, bytes.len() as u32, &bytes);
        assert_eq!((frame.ends, frame.payload), (whole.ends, whole.payload), "{link:?}");
    }
}

#[test]
fn frames_without_ip_are_of_the_flow_of_their_addresses() {
    let arp = [&YOU[..], &ME[..], &[8, 6], &[0; 28]].concat();
    let link = Endpoints::Link { source: ME, destination: YOU };
    let frame = take_apart(Link::Ethernet, 60, &arp);
    assert_eq!((frame.ends, frame.payload), (link, 46));
    // An 802.11 acknowledgement has a receiver only, and is all header.
    let acknowledgement = [&[0xd4, 0, 0, 0][..], &YOU].concat();
    let frame = take_apart(Link::Wireless, 10, &acknowledgement);
    let link = Endpoints::Link { source: [0; 6], destination: YOU };
    assert_eq!((frame.ends, frame.payload), (link, 0));
    // An encrypted data frame shows its addresses, not what it carries.
    let protected = [&[0x08, 0x41, 0, 0][..], &YOU, &ME, &[0; 40]].concat();
    let frame = take_apart(Link::Wireless, 100, &protected);
    assert_eq!(frame.payload, 76);
}

#[test]
fn fragments_are_of_one_flow() {
    let mut first = ethernet(100);
    first[20] |= 0x20;
    let mut second = ethernet(100);
    second[21] = 10;
    let first = take_apart(Link::Ethernet, 154, &first);
    let second = take_apart(Link::Ethernet, 154, &second);
    assert_eq!(first.ends, second.ends);
    assert_eq!(ports(&first), (6, 0, 0));
}

#[test]
fn no_bytes_panic() {
    let bytes = ethernet(20);
    let links = [
        Link::Loopback,
        Link::Ethernet,
        Link::Raw,
        Link::Wireless,
        Link::WirelessWithRadiotap,
        Link::LinuxCooked,
        Link::LinuxCooked2,
    ];
    for link in links {
        for start in 0..bytes.len() {
            for original in [0, 1, 60, u32::MAX] {
                take_apart(link, original, &bytes[start..]);
                take_apart(link, original, &vec![start as u8; start]);
            }
        }
    }
}
