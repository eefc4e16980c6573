//! The units of the modem software and the memory that each needs.
//!
//! The paper names units and prints no sizes of theirs. What each holds is what such software
//! holds (filters, echo cancellers, windows of frames, dictionaries); the bytes are ours, in
//! words of 4, so that five busy instances reach the paper's peak (Table 1: 29,788 bytes in
//! blocks under 532 bytes of one-word headers, so 133 blocks).

/// The place of a unit in an instance. Each place holds one unit at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The line: waiting, answering, training, and then a modulation.
    Line,
    /// How bytes become frames.
    Framing,
    /// Error correction.
    Correction,
    /// Compression.
    Compression,
}

/// Every unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Waits for a call.
    Control,
    /// Answers it, and agrees on a modulation.
    Answer,
    /// Learns the line.
    Training,
    V22bis,
    V32bis,
    V34,
    V90,
    /// Rate adaption on an ISDN line.
    V110,
    Hdlc,
    Async,
    Lapm,
    Mnp4,
    V42bis,
    Mnp5,
}

impl Unit {
    /// What can be established on a line.
    pub const MODULATIONS: [Unit; 5] = [Unit::V90, Unit::V34, Unit::V32bis, Unit::V22bis, Unit::V110];
    /// What frames bytes.
    pub const FRAMINGS: [Unit; 2] = [Unit::Hdlc, Unit::Async];
    /// What corrects errors.
    pub const CORRECTIONS: [Unit; 2] = [Unit::Lapm, Unit::Mnp4];
    /// What compresses.
    pub const COMPRESSIONS: [Unit; 2] = [Unit::V42bis, Unit::Mnp5];

    /// Its place.
    pub fn kind(self) -> Kind {
        match self {
            Unit::Hdlc | Unit::Async => Kind::Framing,
            Unit::Lapm | Unit::Mnp4 => Kind::Correction,
            Unit::V42bis | Unit::Mnp5 => Kind::Compression,
            _ => Kind::Line,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Control => "instance control",
            Unit::Answer => "answer",
            Unit::Training => "training",
            Unit::V22bis => "V.22bis",
            Unit::V32bis => "V.32bis",
            Unit::V34 => "V.34",
            Unit::V90 => "V.90",
            Unit::V110 => "V.110",
            Unit::Hdlc => "HDLC",
            Unit::Async => "async",
            Unit::Lapm => "LAPM",
            Unit::Mnp4 => "MNP4",
            Unit::V42bis => "V.42bis",
            Unit::Mnp5 => "MNP5",
        }
    }

    /// The buffers for frames on their way, which belong to what frames bytes where nothing else allocates them.
    pub fn buffers(self) -> &'static [u64] {
        match self {
            Unit::Hdlc => &[176, 176, 176],
            Unit::Async | Unit::V110 => &[176, 180],
            _ => &[],
        }
    }

    /// Its blocks, in the order in which it asks for them.
    pub fn needs(self) -> &'static [u64] {
        match self {
            // State, timers, signal detector.
            Unit::Control => &[64, 24, 96],
            // State, tone generator, detectors, capabilities of both sides, answer being built.
            Unit::Answer => &[88, 48, 64, 64, 120, 120, 32],
            // State, probing signal, spectrum, echo canceller, equaliser, timing, scratch.
            Unit::Training => &[104, 256, 512, 480, 640, 48, 320, 128],
            // State, equaliser, timing, scrambler, samples in and out.
            Unit::V22bis => &[112, 224, 40, 20, 192],
            // Also two echo cancellers and the trellis.
            Unit::V32bis => &[136, 384, 288, 288, 192, 48, 20, 256],
            // Also precoder, shell mapper and its tables.
            Unit::V34 => &[192, 512, 416, 416, 320, 64, 72, 288, 24, 384],
            // Also the levels of the digital side, and slots robbed by signalling.
            Unit::V90 => &[208, 592, 416, 416, 320, 64, 72, 384, 48, 24, 448],
            // State, frame being built, frame being read, bytes in and out.
            Unit::V110 => &[56, 80, 80, 64, 64],
            // State, frame being built, frame being read, check sums.
            Unit::Hdlc => &[40, 264, 264, 16],
            Unit::Async => &[32, 48, 48],
            // State, timers and parameters, and a window of frames that are not acknowledged.
            Unit::Lapm => &[120, 56, 136, 136, 136, 136],
            Unit::Mnp4 => &[96, 56, 72, 72, 72, 72],
            // State, and a dictionary for each direction.
            Unit::V42bis => &[72, 696, 696],
            // State, and a table of frequencies for each direction.
            Unit::Mnp5 => &[48, 512, 512],
        }
    }
}
