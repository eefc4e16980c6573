//! What an experiment is, and the papers.

use crate::error::ExperimentError;
use crate::outcome::Outcome;
use crate::setting::Setting;

/// A paper.
#[derive(Debug, PartialEq, Eq)]
pub struct Paper {
    /// Its number here; names of experiments begin with it.
    pub number: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Authors, place and year.
    pub citation: &'static str,
}

/// A table or figure of a paper, done again.
#[derive(Debug)]
pub struct Experiment {
    /// Its name: `000-table-3`.
    pub name: &'static str,
    /// The paper.
    pub paper: &'static Paper,
    /// Its place in the paper: `Table 3`.
    pub place: &'static str,
    /// What it is about, in a line.
    pub title: &'static str,
    /// What the paper found, cited.
    pub claim: &'static str,
    /// How the set-up here differs from the paper's.
    pub differs: &'static str,
    /// Samples that it reads.
    pub samples: &'static [&'static str],
    /// Does it.
    pub run: fn(&mut Setting<'_>) -> Result<Outcome, ExperimentError>,
}

/// The experiment that reads the folder of public captures.
pub(crate) const PUBLIC_CAPTURES: &str = "000-public-captures";

impl Experiment {
    /// Whether it reads the folder of public captures ([`Setting::inputs`]).
    pub fn reads_inputs(&self) -> bool {
        self.name == PUBLIC_CAPTURES
    }
}

/// Mamagkakis et al. 2006.
pub(crate) const NETWORK: Paper = Paper {
    number: "000",
    title: "Reducing memory fragmentation in network applications with dynamic memory allocators optimized for \
            performance",
    citation: "S. Mamagkakis, C. Baloukas, D. Atienza, F. Catthoor, D. Soudris, A. Thanailakis: Computer \
               Communications 29, 2006",
};

/// Diamantstein et al. 2018.
pub(crate) const LOOKING_GLASS: Paper = Paper {
    number: "001",
    title: "malloc(): Through the Looking Glass",
    citation: "S. Diamantstein, Z. Stroud-Taylor, A. Trostanovsky: Carleton University, 2018",
};

/// Donahue et al. 2001.
pub(crate) const REAL_TIME: Paper = Paper {
    number: "002",
    title: "Storage allocation for real-time, embedded systems",
    citation: "S. M. Donahue, M. P. Hampton, M. Deters, J. M. Nye, R. K. Cytron, K. M. Kavi: EMSOFT 2001",
};

/// Li, Mohanty and Kavi.
pub(crate) const HYBRID: Paper = Paper {
    number: "003",
    title: "A page-based hybrid (software-hardware) dynamic memory allocator",
    citation: "W. Li, S. P. Mohanty, K. Kavi: IEEE Computer Architecture Letters 5, 2006",
};

/// Peintner, Bukhatwa and Patel.
pub(crate) const MODEMS: Paper = Paper {
    number: "004",
    title: "Analysing dynamic memory allocation in embedded systems for multi-channel modems",
    citation: "M. Peintner, F. Bukhatwa, A. Patel: University College Dublin",
};

/// The papers, in order.
pub fn papers() -> [&'static Paper; 5] {
    [&NETWORK, &LOOKING_GLASS, &REAL_TIME, &HYBRID, &MODEMS]
}
