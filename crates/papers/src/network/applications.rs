//! The three applications and their inputs.
//!
//! The paper's captures are not public any more; the samples of this project replace them. The deficit round robin has
//! five inputs as there, two of them the same traffic over a slower and a faster link: an overloaded link gives the
//! ramp that the paper's busiest building shows, a fast one thin spikes. The log of the web server is cut into four
//! parts, as many as the paper's inputs.

use crate::input::Input;

/// An application.
#[derive(Debug)]
pub(crate) struct Application {
    /// Its name, that of the workload.
    pub name: &'static str,
    /// Its inputs.
    pub inputs: &'static [Input],
    /// How many free lists the paper proposes for it.
    pub lists: usize,
    /// The line of the catalogue with the sizes that the paper proposes.
    pub proposed: &'static str,
}

/// The captures.
pub(crate) const CAPTURES: &[&str] = &["ftp.pcap.xz", "web.pcap.xz", "mixed.pcapng.xz"];

/// The log.
pub(crate) const LOG: &[&str] = &["web.log.xz"];

/// Captures and log.
pub(crate) const ALL: &[&str] = &["ftp.pcap.xz", "web.pcap.xz", "mixed.pcapng.xz", "web.log.xz"];

/// Deficit round robin.
pub(crate) static DRR: Application = Application {
    name: "drr",
    inputs: &[
        Input::new("ftp", "drr", "ftp.pcap.xz"),
        Input::new("web", "drr", "web.pcap.xz"),
        Input::new("mixed", "drr", "mixed.pcapng.xz"),
        Input::new("web, slow link", "drr", "web.pcap.xz").with(&[("backlog", "30%")]),
        Input::new("ftp, fast link", "drr", "ftp.pcap.xz").with(&[("rate", "100M")]),
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
    lists: 3,
    proposed: "network-url",
};

/// All three.
pub(crate) static APPLICATIONS: [&Application; 3] = [&DRR, &EASYPORT, &URL];
