//! Who asks for memory, and who never gives it back.

use std::collections::BTreeSet;

use heapsmith_recording::Symbols;
use heapsmith_trace::{Origin, Profile, SiteShare, plural};

use super::{LISTED, SAMPLED, sampled};
use crate::console::{self, say};
use crate::table::{Item, Table, bytes, integer, percent, text};

/// Call sites of each kind in a summary.
const SITES: usize = 5;
/// Frames of each.
const FRAMES: usize = 5;

/// Finds functions and lines for the sites with most bytes in all, and for those with most never freed; what then has one
/// name is one site only within them.
pub fn name(origin: &Origin, profile: &mut Profile, count: usize) {
    let mut symbols = Symbols::new(&origin.modules);
    let unfreed: BTreeSet<String> = profile.unfreed().iter().take(count).map(|site| site.name.clone()).collect();
    for (rank, site) in profile.sites.iter_mut().enumerate() {
        if rank < count || unfreed.contains(&site.name) {
            site.name = symbols.name(&site.name);
        }
    }
}

/// The sites that ask for most, and those that leave most, each with its innermost frames.
pub fn summary(profile: &Profile) {
    for SiteShare { requested, requests, share, live_at_peak, name, .. } in profile.sites.iter().take(SITES) {
        let name = innermost(name);
        let (requests, share) = (plural(*requests, "request", "requests"), share * 100.0);
        say!("  {requested:>9} in {requests} ({share:.1}%), {live_at_peak} of the peak, by {name}");
    }
    let unfreed = profile.unfreed();
    for SiteShare { live_at_end, blocks_at_end, name, .. } in unfreed.iter().take(SITES) {
        say!("  {live_at_end:>9} in {} never freed, by {}", plural(*blocks_at_end, "block", "blocks"), innermost(name));
    }
    if !profile.sites.is_empty() {
        say!("  --sites shows the others, and all frames");
    }
}

/// The innermost frames of a site.
fn innermost(name: &str) -> String {
    let frames: Vec<&str> = name.split(" < ").collect();
    let more = if frames.len() > FRAMES { " < …" } else { "" };
    console::name(&frames[..frames.len().min(FRAMES)].join(" < ")).into_owned() + more
}

/// All sites, those with most bytes never freed first.
fn ranked(profile: &Profile) -> impl Iterator<Item = &SiteShare> {
    profile.unfreed().into_iter().chain(profile.sites.iter().filter(|site| site.blocks_at_end == 0))
}

/// The first of them with all their frames, for people.
pub fn show(profile: &Profile) {
    for (number, site) in ranked(profile).take(LISTED).enumerate() {
        let SiteShare { requested, requests, live_at_peak, live_at_end, blocks_at_end, name, .. } = site;
        say!(
            "\n{}. {live_at_end} in {} never freed, of {requested} in {}; {live_at_peak} of the peak",
            number + 1,
            plural(*blocks_at_end, "block", "blocks"),
            plural(*requests, "request", "requests")
        );
        name.split(" < ").for_each(|frame| say!("     {}", console::name(frame)));
    }
    say!();
}

/// The table for programs.
pub fn table(names_traces: bool) -> Table {
    let trace: &[&str] = if names_traces { &["trace"] } else { &[] };
    let columns =
        ["requested", "requests", "allocations", "share", "live_at_peak", "never_freed", "blocks_never_freed", "site"];
    Table::new(&[trace, &columns].concat()).hiding(&[SAMPLED])
}

/// Its rows.
pub fn add(table: &mut Table, trace: Option<&str>, profile: &Profile) {
    for site in ranked(profile) {
        let figures: [Item; 9] = [
            bytes(site.requested),
            integer(site.requests),
            integer(site.allocations),
            percent(site.share),
            bytes(site.live_at_peak),
            bytes(site.live_at_end),
            integer(site.blocks_at_end),
            text(&site.name),
            sampled(profile),
        ];
        table.row(trace.map(text).into_iter().chain(figures));
    }
}
