//! The table of patterns, learnt from requests.

use std::collections::HashMap;

use super::tokens::{Kind, tokens};
use crate::input::Request;

/// A text that a token may equal, and where requests go that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub kind: Kind,
    pub text: String,
    pub server: usize,
}

/// The patterns, the most common first.
#[derive(Debug)]
pub(super) struct Table {
    pub patterns: Vec<Pattern>,
    pub servers: usize,
    /// The place of every pattern, for a look-up by token.
    places: HashMap<(Kind, String), usize>,
}

impl Table {
    /// Takes the most common first folders, endings and hosts of `requests`, `max` of them
    /// in all, and deals them out to the servers in turn.
    pub fn learn(requests: &[Request], max: usize, servers: usize) -> Table {
        let mut counts: HashMap<(Kind, &str), u64> = HashMap::new();
        for request in requests {
            let telling = tokens(request).into_iter().filter(|&(kind, _)| is_telling(kind));
            for token in telling {
                *counts.entry(token).or_default() += 1;
            }
        }
        let mut ranked: Vec<((Kind, &str), u64)> = counts.into_iter().collect();
        ranked.sort_by_key(|&(token, count)| (std::cmp::Reverse(count), token));
        ranked.truncate(max);
        let pattern = |(place, ((kind, text), _)): (usize, ((Kind, &str), u64))| Pattern {
            kind,
            text: text.to_owned(),
            server: place % servers,
        };
        let patterns: Vec<Pattern> = ranked.into_iter().enumerate().map(pattern).collect();
        let places = patterns.iter().enumerate();
        let places = places.map(|(place, p)| ((p.kind, p.text.clone()), place));
        Table { places: places.collect(), patterns, servers }
    }

    /// The server for a request with these tokens: that of the longest pattern that a token
    /// equals, the first in the table among equally long ones; the first server if none.
    pub fn route(&self, tokens: &[(Kind, &str)]) -> usize {
        let matched = tokens
            .iter()
            .filter(|&&(kind, _)| is_telling(kind))
            .filter_map(|&(kind, text)| self.places.get(&(kind, text.to_owned())).copied());
        matched
            .max_by_key(|&place| (self.patterns[place].text.len(), std::cmp::Reverse(place)))
            .map_or(0, |place| self.patterns[place].server)
    }
}

/// Whether tokens of this kind say which server a request belongs to.
fn is_telling(kind: Kind) -> bool {
    matches!(kind, Kind::Host | Kind::Folder(0) | Kind::Ending)
}
