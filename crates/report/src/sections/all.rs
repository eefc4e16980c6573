//! Every design as data for the page's script: under the pointer, pinned, and in a table that sorts and searches.
//!
//! ```text
//!   rows    [number, family, levels, fragmentation %, footprint, accesses, p99, max, tokens of the spec, note]
//!   tokens  words of specs, each once          words   levels of each factor of each family, in words
//! ```
//!
//! A page holds at most [`MAX`] designs, those nearest to the front by the product of footprint and accesses; the allocators
//! of the catalogue have rows too, with a name in place of a number.

use std::collections::{BTreeSet, HashMap};

use heapsmith_explore::{Objective, Objectives};
use serde_json::{Value, json};

use crate::figure::inert;
use crate::html::{Section, section as wrap};
use crate::number::{plural, rounded, thousands};
use crate::spec_text::level_words;
use crate::study::{Study, accesses, footprint, fragmentation};

/// Designs of a page.
const MAX: usize = 3_000;

/// The section.
pub fn section(study: &Study<'_>) -> Section {
    let shown = shown(study);
    let unique = study.unique_designs();
    let left_out = match unique.saturating_sub(shown.len()) {
        0 => String::new(),
        some => format!(
            " {} far from the front {} left out; results.csv has every design.",
            plural(some as u64, "design", "designs"),
            if some == 1 { "is" } else { "are" }
        ),
    };
    let body = format!(
        "<p>{} unique designs and the allocators of the catalogue.{left_out} A heading sorts; a number shows the design with its \
         commands.</p>\n\
         <noscript><p class=\"note\">This table needs JavaScript; results.csv in the folder of the exploration has the same \
         rows.</p></noscript>\n<div id=\"all-table\" hidden>\n\
         <p><label>Filter <input id=\"all-filter\" type=\"search\" placeholder=\"best fit, 16 free lists, tlsf, 673\"></label> \
         <span id=\"all-count\" class=\"note\" role=\"status\"></span></p>\n\
         <div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"All designs\"><table><thead><tr>{}</tr></thead>\
         <tbody id=\"all-rows\"></tbody></table></div>\n\
         <p><button type=\"button\" id=\"all-more\">more rows</button></p>\n</div>\n\
         <script type=\"application/json\" id=\"designs-data\">{}</script>\n",
        thousands(shown.len() as u64),
        headings(),
        inert(&data(study, &shown).to_string()),
    );
    wrap("all", "All designs", &body)
}

fn headings() -> String {
    let columns = [
        ("title", "design"),
        ("fragmentation", "fragmentation"),
        ("footprint", "footprint (bytes)"),
        ("accesses", "accesses"),
        ("p99", "p99"),
        ("max", "max"),
        ("words", "what"),
    ];
    let heading = |(key, text): (&str, &str)| {
        let class = if matches!(key, "title" | "words") { "" } else { " class=\"n\"" };
        format!("<th scope=\"col\" data-key=\"{key}\"{class}><button type=\"button\">{text}</button></th>")
    };
    columns.map(heading).concat()
}

/// The designs that have a row: the pick, the fronts, and of the others those nearest to the front.
fn shown(study: &Study<'_>) -> BTreeSet<usize> {
    let exploration = study.exploration;
    let recommended = study.finding.recommended.iter().map(|design| design.index);
    let must = [study.pick].into_iter().chain(exploration.front_2d.iter().copied()).chain(recommended);
    let mut shown: BTreeSet<usize> = must.collect();
    let product = |index: usize| (1.0 + fragmentation(study.point(index))) * accesses(study.point(index));
    let is_first = |index: &usize| {
        let design = &exploration.rows[*index].design;
        design.number == design.same_as && study.point(*index).failed == 0
    };
    let mut others: Vec<usize> = (0..exploration.rows.len()).filter(is_first).collect();
    others.sort_by(|&a, &b| product(a).total_cmp(&product(b)));
    for index in others {
        if shown.len() >= MAX {
            break;
        }
        shown.insert(index);
    }
    shown
}

/// Words of specs by their place in a list.
#[derive(Default)]
struct Tokens {
    words: Vec<String>,
    places: HashMap<String, usize>,
}

impl Tokens {
    fn of(&mut self, spec: &str) -> Vec<usize> {
        spec.split(' ').map(|word| self.place(word)).collect()
    }

    fn place(&mut self, word: &str) -> usize {
        let next = self.words.len();
        let place = *self.places.entry(word.to_owned()).or_insert(next);
        if place == next {
            self.words.push(word.to_owned());
        }
        place
    }
}

fn data(study: &Study<'_>, shown: &BTreeSet<usize>) -> Value {
    let exploration = study.exploration;
    let mut tokens = Tokens::default();
    let values = |point: &Objectives, bytes: u64| {
        let [p99, max] = [Objective::P99, Objective::MaxOp].map(|objective| point.get(objective));
        (rounded(fragmentation(point) * 100.0), bytes, rounded(accesses(point)), rounded(p99), rounded(max))
    };
    let mut rows: Vec<Value> = Vec::new();
    for &index in shown {
        let row = &exploration.rows[index];
        let design = &row.design;
        let (share, bytes, work, p99, max) = values(study.point(index), footprint(exploration.measures_of(index)).0);
        let note = match index {
            _ if index == study.pick => "pick",
            _ if exploration.front_2d.contains(&index) => "front",
            _ => "",
        };
        let tokens = tokens.of(&design.spec.to_string());
        rows.push(json!([design.number, design.family, design.levels, share, bytes, work, p99, max, tokens, note]));
    }
    for entry in exploration.compared_catalogue() {
        let (share, bytes, work, p99, max) = values(&entry.objectives, footprint(&entry.measures).0);
        let tokens = tokens.of(&entry.spec);
        rows.push(json!([entry.name, 0, [], share, bytes, work, p99, max, tokens, "catalogue"]));
    }
    json!({
        "pick": exploration.rows[study.pick].design.number,
        "malloc": exploration.target.malloc,
        "families": exploration.families.0.iter().map(|family| family.name.as_str()).collect::<Vec<_>>(),
        "words": level_words(&exploration.families),
        "tokens": tokens.words,
        "rows": rows,
    })
}
