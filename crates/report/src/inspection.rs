//! The page of a trace: what a program asks of its heap, before any heap is tried.
//!
//! ```text
//!   Profile ──▶ findings (text)          ──▶ terminal, page
//!          └──▶ live, sizes, heat, turnover, sites ──▶ page: one HTML file, no network
//! ```

mod findings;
mod heat;
mod live;
mod turnover;

pub use findings::findings;

use heapsmith_trace::{Origin, Profile, SizeShare};

use crate::document::Page;
use crate::html::{Cell, Section, Table, code, escape, section};
use crate::number::{percent, thousands};
use crate::sections::sizes;

/// Popular sizes that are listed.
const POPULAR: usize = 24;
/// Call sites that are listed.
const SITES: usize = 24;

/// The page of a trace, as the text of an HTML file.
pub fn inspection(origin: &Origin, profile: &Profile) -> String {
    let mut sections = vec![live::section(profile)];
    if !profile.statistics.sizes.is_empty() {
        sections.push(section("sizes", "Request sizes", &(sizes::figure(&profile.statistics, 0) + &popular(profile))));
        sections.push(heat::section(profile));
        sections.push(turnover::section(profile));
    }
    if !profile.sites.is_empty() {
        sections.push(section("sites", "Call sites", &(sites(profile) + &unfreed(profile))));
    }
    let page = Page {
        title: &origin.name(),
        header: header(origin),
        answer: totals(origin, profile).html(),
        sections: &sections,
    };
    page.html()
}

fn header(origin: &Origin) -> String {
    let settings: String = origin.settings.iter().map(|(name, value)| code(&format!("{name}={value}")) + " ").collect();
    let settings = if settings.is_empty() { settings } else { format!("<p class=\"note\">Made with {settings}</p>\n") };
    let sampled = origin.sample().map(|every| {
        format!(
            "<p class=\"note\">One block in {every} was recorded: counts and bytes are estimates, of that many times as \
             much.</p>\n"
        )
    });
    let sampled = sampled.unwrap_or_default();
    format!("<p class=\"kicker\">heapsmith inspection</p>\n<h1>{}</h1>\n{sampled}{settings}", escape(&origin.name()))
}

fn totals(origin: &Origin, profile: &Profile) -> Section {
    let statistics = &profile.statistics;
    let lives = &statistics.lifetimes;
    let calls = [statistics.frees, statistics.reallocations].map(thousands);
    let left = format!("{} in {} blocks never freed", statistics.bytes_left, thousands(statistics.blocks_left));
    let cards = [
        ("allocations", thousands(statistics.allocations), format!("{} frees, {} reallocations", calls[0], calls[1])),
        (
            "live at most",
            statistics.requested_peak.to_string(),
            format!("in up to {} blocks", thousands(statistics.blocks_peak)),
        ),
        ("requested in all", statistics.requested_total.to_string(), left),
        ("half live at most", lives.time.p50.to_string(), format!("{} events", thousands(lives.events.p50))),
        ("99% live at most", lives.time.p99.to_string(), format!("{} events", thousands(lives.events.p99))),
        ("duration", statistics.duration.to_string(), format!("threads: {}", statistics.threads)),
    ];
    let card = |(name, value, remark): (&str, String, String)| {
        format!("<div><dt>{name}</dt><dd>{value}<small>{remark}</small></dd></div>\n")
    };
    let cards: String = cards.into_iter().map(card).collect();
    let facts: String = findings(origin, profile).iter().map(|fact| format!("<li>{}</li>\n", escape(fact))).collect();
    let body = format!("<dl class=\"cards\">\n{cards}</dl>\n<ul>\n{facts}</ul>\n");
    section("totals", "What it asks of its heap", &body)
}

/// The most popular sizes with their cumulated share.
fn popular(profile: &Profile) -> String {
    let statistics = &profile.statistics;
    let columns = ["size", "requests", "share", "cumulated", "births", "deaths"];
    let caption = format!(
        "The {} most popular of {} sizes. A birth is an allocation of this size, a death the free of a block that has it then.",
        POPULAR.min(statistics.sizes.len()),
        thousands(statistics.distinct_sizes() as u64)
    );
    let mut table = Table::new(caption, &columns).sortable();
    for size in statistics.sizes.iter().take(POPULAR) {
        let SizeShare { size, count, share, cumulated, births, deaths } = *size;
        let number = |value: u64| Cell::number(thousands(value), value as f64);
        let shares = [share, cumulated].map(|share| Cell::bar(&percent(share), share));
        let [share, cumulated] = shares;
        table.row("", vec![number(size.0), number(count), share, cumulated, number(births), number(deaths)]);
    }
    table.render()
}

fn sites(profile: &Profile) -> String {
    let caption = format!(
        "The {} of {} call sites that asked for most bytes.",
        SITES.min(profile.sites.len()),
        thousands(profile.sites.len() as u64)
    );
    let mut table =
        Table::new(caption, &["requested", "live at peak", "never freed", "requests", "share", "site"]).sortable();
    for site in profile.sites.iter().take(SITES) {
        table.row(
            "",
            vec![
                Cell::number(site.requested.to_string(), site.requested.0 as f64),
                Cell::number(site.live_at_peak.to_string(), site.live_at_peak.0 as f64),
                Cell::number(site.live_at_end.to_string(), site.live_at_end.0 as f64),
                Cell::number(thousands(site.requests), site.requests as f64),
                Cell::bar(&percent(site.share), site.share),
                Cell::wide(code(&site.name)),
            ],
        );
    }
    table.render()
}

/// The call sites whose blocks were never freed; nothing where all were.
fn unfreed(profile: &Profile) -> String {
    let unfreed = profile.unfreed();
    if unfreed.is_empty() {
        return String::new();
    }
    let which = match unfreed.len() {
        1 => "The call site".to_owned(),
        count @ ..=SITES => format!("The {count} call sites"),
        count => format!("The {SITES} of {} call sites with most bytes, of those", thousands(count as u64)),
    };
    let caption =
        format!("{which} with blocks that were never freed: what leaks, and what a program keeps to its end.");
    let mut table = Table::new(caption, &["never freed", "blocks", "requests", "site"]).sortable();
    for site in unfreed.into_iter().take(SITES) {
        table.row(
            "",
            vec![
                Cell::number(site.live_at_end.to_string(), site.live_at_end.0 as f64),
                Cell::number(thousands(site.blocks_at_end), site.blocks_at_end as f64),
                Cell::number(thousands(site.requests), site.requests as f64),
                Cell::wide(code(&site.name)),
            ],
        );
    }
    table.render()
}
