//! Headers of 802.11 frames: management, control and data.
//!
//! ```text
//!   0       2       4          10         16         22     24
//!   ├ kind ─┼ time ─┼ receiver ┼ sender ──┼ network ─┼ seq ─┼ [4th address] [QoS] [HT] …
//! ```
//!
//! Control frames end after the receiver (acknowledgements) or the sender. Data frames go
//! on with LLC/SNAP, whose last two bytes are the ether type; encrypted ones do not show
//! it. Source: IEEE 802.11-2020, section 9.2.4.

use super::frame::{LinkHeader, address, word};

const MANAGEMENT: u8 = 0;
const CONTROL: u8 = 1;
const DATA: u8 = 2;

const ACKNOWLEDGEMENT: u8 = 13;
const CLEAR_TO_SEND: u8 = 12;

const TO_DISTRIBUTION: u8 = 0x01;
const FROM_DISTRIBUTION: u8 = 0x02;
const PROTECTED: u8 = 0x40;
const HT_CONTROL: u8 = 0x80;

/// Logical link control with a subnetwork protocol of no organisation.
const SNAP: [u8; 6] = [0xaa, 0xaa, 3, 0, 0, 0];

/// The header of an 802.11 frame that begins at `start`.
pub(super) fn header(data: &[u8], start: usize) -> LinkHeader {
    let frame = data.get(start..).unwrap_or_default();
    let control = frame.first().copied().unwrap_or(0);
    let flags = frame.get(1).copied().unwrap_or(0);
    let (kind, subtype) = ((control >> 2) & 3, control >> 4);
    let length = match kind {
        MANAGEMENT => 24 + ht_control(flags),
        CONTROL if matches!(subtype, ACKNOWLEDGEMENT | CLEAR_TO_SEND) => 10,
        CONTROL => 16,
        _ => data_header(subtype, flags),
    };
    let mut header = LinkHeader {
        source: address(frame, 10),
        destination: address(frame, 4),
        length: start + length,
        ether_type: None,
    };
    if length == 10 {
        header.source = [0; 6];
    }
    let body = frame.get(length..).unwrap_or_default();
    if kind == DATA && flags & PROTECTED == 0 && body.starts_with(&SNAP) {
        header.ether_type = word(body, SNAP.len());
        header.length += SNAP.len() + 2;
    }
    header
}

fn data_header(subtype: u8, flags: u8) -> usize {
    let both = TO_DISTRIBUTION | FROM_DISTRIBUTION;
    let fourth_address = if flags & both == both { 6 } else { 0 };
    let quality_of_service = if subtype & 8 != 0 { 2 + ht_control(flags) } else { 0 };
    24 + fourth_address + quality_of_service
}

fn ht_control(flags: u8) -> usize {
    if flags & HT_CONTROL != 0 { 4 } else { 0 }
}
