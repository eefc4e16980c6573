//! Which call sites ask for how much.

use std::collections::HashMap;

use crate::Bytes;

/// A call site and what it asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SiteShare {
    /// Its name.
    pub name: String,
    /// How many requests it made.
    pub requests: u64,
    /// How many bytes it asked for in all.
    pub requested: Bytes,
    /// Its share of all requests, 0 to 1, those without a site included.
    pub share: f64,
}

/// Counts while a trace is walked.
#[derive(Debug, Default)]
pub(super) struct Counts {
    names: Vec<String>,
    sites: HashMap<u32, (u64, u64)>,
    requests: u64,
}

impl Counts {
    pub fn name(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    pub fn count(&mut self, site: Option<u32>, size: Bytes) {
        self.requests += 1;
        let Some(site) = site else { return };
        let (requests, bytes) = self.sites.entry(site).or_default();
        *requests += 1;
        *bytes = bytes.saturating_add(size.0);
    }

    /// The sites by the bytes that they asked for; equal names are one site.
    pub fn ranked(self) -> Vec<SiteShare> {
        let mut named: HashMap<String, (u64, u64)> = HashMap::new();
        for (site, (requests, bytes)) in self.sites {
            let name = self.names.get(site as usize).cloned().unwrap_or_else(|| format!("site {site}"));
            let sum = named.entry(name).or_default();
            *sum = (sum.0 + requests, sum.1.saturating_add(bytes));
        }
        let total = self.requests.max(1) as f64;
        let share = |(name, (requests, bytes))| SiteShare {
            name,
            requests,
            requested: Bytes(bytes),
            share: requests as f64 / total,
        };
        let mut ranked: Vec<SiteShare> = named.into_iter().map(share).collect();
        ranked.sort_by(|a, b| (b.requested, b.requests, &a.name).cmp(&(a.requested, a.requests, &b.name)));
        ranked
    }
}
