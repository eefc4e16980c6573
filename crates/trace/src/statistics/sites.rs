//! Which call sites ask for how much, hold how much at the peak, and never free how much.
//!
//! The bytes at the peak are found in one pass: a site's live bytes are written down only when
//! they are about to change and a peak was reached since the last time, so a new peak costs nothing.
//!
//! Cost: a hash look-up an event with a site, and one more for a free; memory for each site, and for
//! each live block where there are sites.

use std::collections::HashMap;

use crate::{Action, Bytes, Event};

/// A call site and what it asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteShare {
    /// Its name.
    pub name: String,
    /// How many requests it made.
    pub requests: u64,
    /// How many of them were allocations; the others are reallocations.
    pub allocations: u64,
    /// How many bytes it asked for in all.
    pub requested: Bytes,
    /// The bytes in its blocks when most was live: of a block that was reallocated, those of who did it last.
    pub live_at_peak: Bytes,
    /// The bytes in its blocks that were never freed.
    pub live_at_end: Bytes,
    /// How many those are.
    pub blocks_at_end: u64,
    /// Its share of all requests, 0 to 1, those without a site included.
    pub share: f64,
}

/// What is counted of one site.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    requests: u64,
    allocations: u64,
    bytes: u64,
    live: u64,
    blocks: u64,
    at_peak: u64,
    /// Peaks that `at_peak` knows of.
    peaks: u64,
}

impl Count {
    /// Writes down what was live at the last peak, before that changes.
    fn settle(&mut self, peaks: u64) {
        if self.peaks < peaks {
            (self.at_peak, self.peaks) = (self.live, peaks);
        }
    }

    fn add(&mut self, other: &Count) {
        self.requests += other.requests;
        self.allocations += other.allocations;
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.at_peak = self.at_peak.saturating_add(other.at_peak);
        self.live = self.live.saturating_add(other.live);
        self.blocks += other.blocks;
    }
}

/// Counts while a trace is walked.
#[derive(Debug, Default)]
pub(super) struct Counts {
    names: Vec<String>,
    sites: HashMap<u32, Count>,
    /// Site and size of the live blocks that have a site, by their ids.
    live: HashMap<u64, (u32, u64)>,
    peaks: u64,
    requests: u64,
}

impl Counts {
    pub fn name(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    /// Counts an event that the heap could serve.
    pub fn count(&mut self, event: &Event) {
        match event.action {
            Action::Allocate { id, size, .. } => self.request(event.site, id, size, 1),
            Action::Reallocate { id, size } => self.request(event.site, id, size, 0),
            Action::Free { id } => self.gone(id),
            Action::Mark { .. } => {}
        }
    }

    /// More is live than ever before.
    pub fn peak(&mut self) {
        self.peaks += 1;
    }

    fn request(&mut self, site: Option<u32>, id: u64, size: Bytes, allocations: u64) {
        self.requests += 1;
        // A reallocation of which nothing is known leaves the block with whom it has.
        let holder = site.or_else(|| self.live.get(&id).map(|(site, _)| *site));
        self.gone(id);
        let Some(holder) = holder else { return };
        let count = self.sites.entry(holder).or_default();
        count.settle(self.peaks);
        count.live = count.live.saturating_add(size.0);
        count.blocks += 1;
        if site.is_some() {
            count.requests += 1;
            count.allocations += allocations;
            count.bytes = count.bytes.saturating_add(size.0);
        }
        self.live.insert(id, (holder, size.0));
    }

    fn gone(&mut self, id: u64) {
        if self.live.is_empty() {
            return;
        }
        if let Some((site, size)) = self.live.remove(&id)
            && let Some(count) = self.sites.get_mut(&site)
        {
            count.settle(self.peaks);
            count.live = count.live.saturating_sub(size);
            count.blocks -= 1;
        }
    }

    /// The sites by the bytes that they asked for; equal names are one site.
    pub fn ranked(self) -> Vec<SiteShare> {
        let mut named: HashMap<String, Count> = HashMap::new();
        for (site, mut count) in self.sites {
            count.settle(self.peaks);
            let name = self.names.get(site as usize).cloned().unwrap_or_else(|| format!("site {site}"));
            named.entry(name).or_default().add(&count);
        }
        let total = self.requests.max(1) as f64;
        let share = |(name, count): (String, Count)| SiteShare {
            name,
            requests: count.requests,
            allocations: count.allocations,
            requested: Bytes(count.bytes),
            live_at_peak: Bytes(count.at_peak),
            live_at_end: Bytes(count.live),
            blocks_at_end: count.blocks,
            share: count.requests as f64 / total,
        };
        let mut ranked: Vec<SiteShare> = named.into_iter().map(share).collect();
        ranked.sort_by(|a, b| (b.requested, b.requests, &a.name).cmp(&(a.requested, a.requests, &b.name)));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use crate::{Action, Bytes, Event, Profiler, Sink};

    #[test]
    fn a_site_holds_at_the_peak_what_it_held_then() {
        let mut profiler = Profiler::new(1);
        ["a", "b"].into_iter().for_each(|name| profiler.name_site(name));
        let allocate = |id, size| Action::Allocate { id, size: Bytes(size), alignment: 0 };
        let events = [
            (Some(0), allocate(1, 100)),
            (Some(1), allocate(2, 50)),
            (None, Action::Free { id: 1 }),
            (Some(1), allocate(3, 40)),
            // The peak: 90 of b, 200 of a, as the block of no site became a's.
            (None, allocate(4, 10)),
            (Some(0), Action::Reallocate { id: 4, size: Bytes(200) }),
            (None, Action::Free { id: 2 }),
            (None, Action::Free { id: 4 }),
            (Some(1), allocate(5, 7)),
        ];
        for (site, action) in events {
            profiler.take(Event { site, ..Event::at(0, action) }).expect("a heap can serve it");
        }
        let sites = profiler.finish().sites;
        let told: Vec<_> = sites
            .iter()
            .map(|site| (&*site.name, site.requested.0, site.requests, site.allocations, site.live_at_peak.0))
            .collect();
        assert_eq!(told, [("a", 300, 2, 1, 200), ("b", 97, 3, 3, 90)]);
        let left: Vec<_> = sites.iter().map(|site| (site.live_at_end.0, site.blocks_at_end)).collect();
        assert_eq!(left, [(0, 0), (47, 2)]);
    }

    #[test]
    fn the_largest_leak_comes_first_however_little_it_asks_for() {
        let mut profiler = Profiler::new(1);
        ["busy", "some", "most"].into_iter().for_each(|name| profiler.name_site(name));
        let allocate = |id, size| Action::Allocate { id, size: Bytes(size), alignment: 0 };
        let events = [(0, allocate(1, 900)), (0, Action::Free { id: 1 }), (1, allocate(2, 10)), (2, allocate(3, 20))];
        for (site, action) in events {
            profiler.take(Event { site: Some(site), ..Event::at(0, action) }).expect("a heap can serve it");
        }
        let profile = profiler.finish();
        let unfreed: Vec<_> = profile.unfreed().iter().map(|site| (&*site.name, site.live_at_end.0)).collect();
        assert_eq!(unfreed, [("most", 20), ("some", 10)]);
    }
}
