//! The three applications and their inputs.
//!
//! The paper's captures are of a campus's wireless network (CRAWDAD dartmouth/campus, behind an account) and of a
//! backbone (NLANR, gone); the samples of this project are in their place, and `--inputs` takes public captures of
//! their kinds. An average counts every capture once. What is no further capture is in no average: the same traffic over a
//! slower or a faster link. An overloaded link gives the ramp that the paper's busiest building shows.

use crate::input::Input;

/// An application.
#[derive(Debug)]
pub(crate) struct Application {
    /// Its name, that of the workload.
    pub name: &'static str,
    /// Its inputs, over which averages are taken.
    pub inputs: &'static [Input],
    /// Inputs that are the same captures under another setting, and in no average.
    pub beside: &'static [Input],
    /// How many free lists the paper proposes for it.
    pub lists: usize,
    /// The line of the catalogue with the sizes that the paper proposes.
    pub proposed: &'static str,
}

impl Application {
    /// Every input.
    pub fn all(&self) -> impl Iterator<Item = Input> {
        self.inputs.iter().chain(self.beside).copied()
    }
}

/// The captures.
pub(crate) const CAPTURES: &[&str] = &["ftp.pcap.xz", "web.pcap.xz", "mixed.pcapng.xz"];

/// The log.
pub(crate) const LOG: &[&str] = &["web.log.xz"];

/// Captures and log.
pub(crate) const ALL: &[&str] = &["ftp.pcap.xz", "web.pcap.xz", "mixed.pcapng.xz", "web.log.xz"];

/// The paper adds 16 bytes to an object for data of the application such as the quantum, and names no other size: the object
/// of a queue has these alone. With the 64 bytes of the workload's default it would be one of the two dominant sizes.
pub(crate) const QUEUE: &[(&str, &str)] = &[("queue-bytes", "16")];

/// Deficit round robin.
pub(crate) static DRR: Application = Application {
    name: "drr",
    inputs: &[
        Input::new("ftp", "drr", "ftp.pcap.xz").with(QUEUE),
        Input::new("web", "drr", "web.pcap.xz").with(QUEUE),
        Input::new("mixed", "drr", "mixed.pcapng.xz").with(QUEUE),
    ],
    beside: &[
        Input::new("web, slow link", "drr", "web.pcap.xz").with(&[("queue-bytes", "16"), ("backlog", "30%")]),
        Input::new("ftp, fast link", "drr", "ftp.pcap.xz").with(&[("queue-bytes", "16"), ("rate", "100M")]),
    ],
    lists: 2,
    proposed: "network-drr",
};

/// Frames buffered whole.
pub(crate) static EASYPORT: Application = Application {
    name: "easyport",
    inputs: &[
        Input::new("ftp", "easyport", "ftp.pcap.xz"),
        Input::new("web", "easyport", "web.pcap.xz"),
        Input::new("mixed", "easyport", "mixed.pcapng.xz"),
    ],
    beside: &[],
    lists: 2,
    proposed: "network-easyport",
};

const PARTS: Input = Input::new("log", "url", "web.log.xz");

/// Switching by URL.
pub(crate) static URL: Application = Application {
    name: "url",
    inputs: &[
        Input { name: "log 1", ..PARTS.part(0, 4) },
        Input { name: "log 2", ..PARTS.part(1, 4) },
        Input { name: "log 3", ..PARTS.part(2, 4) },
        Input { name: "log 4", ..PARTS.part(3, 4) },
    ],
    beside: &[],
    lists: 3,
    proposed: "network-url",
};

/// All three.
pub(crate) static APPLICATIONS: [&Application; 3] = [&DRR, &EASYPORT, &URL];
