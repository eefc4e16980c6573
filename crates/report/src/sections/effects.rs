//! What each factor does (Table 2, computed).

use heapsmith_explore::{Objective, Strategy};

use crate::figure::{Axis, Hover, Mark, Plot, Series, Symbol, colour, embed};
use crate::html::{Cell, Section, Table, paragraph, section as wrap};
use crate::number::{percent, points, relative, thousands};
use crate::span::Span;
use crate::spec_text::{capitalized, factor_name};
use crate::study::Study;

/// Below this share of the variance, a factor has no effect to speak of.
const NONE: f64 = 0.01;

/// What is drawn: name, objective, colour.
const SHARES: [(&str, Objective, &str); 3] = [
    ("fragmentation", Objective::Fragmentation, colour::VERMILION),
    ("internal", Objective::Internal, colour::PURPLE),
    ("external", Objective::External, colour::GREEN),
];

/// The signs of the paper's Table 2 for using a factor, by the factor's name: internal and external fragmentation
/// (+ is more), and performance (+ is faster).
const PAPER: [(&str, [&str; 3]); 4] = [
    ("freelists", ["− −", "+ +", "+"]),
    ("fit", ["− −", "none", "− −"]),
    ("split", ["− −", "none", "− −"]),
    ("coalesce", ["none", "− −", "+"]),
];

/// The section.
pub fn section(study: &Study<'_>) -> Section {
    if study.effects.is_empty() {
        let why = match study.exploration.search {
            Strategy::Exhaustive => "were cut short, as they can reach no front (<code>--prune</code>)",
            Strategy::Halving => "were left out by the search (<code>--search exhaustive</code> replays all)",
        };
        let told = format!(
            "{} of the designs {why}. What a factor does is a mean over all designs, so it is not known without them.",
            thousands(study.exploration.pruned as u64)
        );
        return wrap("effects", "What each factor does", &paragraph(&told));
    }
    let mut body = sentence(study);
    let ranges = Ranges::of(study);
    body.push_str(&key());
    body.push_str("<div class=\"grid\">\n");
    (0..study.factors().len()).for_each(|factor| body.push_str(&figure(study, factor, &ranges)));
    body.push_str("</div>\n");
    body.push_str(&changes(study));
    body.push_str(&shares(study));
    body.push_str(&together(study));
    wrap("effects", "What each factor does", &body)
}

fn sentence(study: &Study<'_>) -> String {
    let family = &study.exploration.families.0[study.family];
    let leader = |objective: Objective| {
        let own = || study.effects.iter().filter(move |effect| effect.objective == objective);
        let Some(max) = own().max_by(|a, b| a.share.total_cmp(&b.share)) else { return String::new() };
        let (factor, share) = (max.factor, max.share);
        let rest = 1.0 - own().map(|effect| effect.share).sum::<f64>();
        let direction = if max.change() < 0.0 { "lowers" } else { "raises" };
        format!(
            "<strong>{}</strong>, which {direction} it, explains {} of the variance of {{}}; {} is left to how factors \
             act together",
            capitalized(factor_name(&study.factors()[factor].name)),
            percent(share),
            percent(rest.max(0.0)),
        )
    };
    let fragmentation = leader(Objective::Fragmentation).replace("{}", "fragmentation");
    let accesses = leader(Objective::Accesses).replace("{}", "accesses");
    paragraph(&format!("{fragmentation}. {accesses}."))
        + &paragraph(&format!(
            "Each chart is the mean over all {} designs{} at a level of one factor, the others at every level. The \
                 charts share their scales.",
            thousands(family.designs() as u64),
            if study.exploration.families.0.len() > 1 {
                format!(" of the family {}", family.name)
            } else {
                String::new()
            },
        ))
}

/// The key to the figures.
fn key() -> String {
    let line = |name: &str, colour: &str| format!("<span><i style=\"background:var(--{colour})\"></i>{name}</span>");
    let shares: String = SHARES.map(|(name, _, colour)| line(name, colour)).concat();
    format!("<p class=\"key\">{shares}{}</p>\n", line("accesses per operation", colour::BLUE))
}

/// The vertical axes that the figures share.
struct Ranges {
    shares: Axis,
    accesses: Axis,
}

impl Ranges {
    fn of(study: &Study<'_>) -> Ranges {
        let max = |objective: Objective| {
            let effects = study.effects.iter().filter(|effect| effect.objective == objective);
            effects.flat_map(|effect| effect.means.clone()).fold(0.0, f64::max)
        };
        // Internal and external make up the fragmentation, so neither is larger.
        Ranges {
            shares: Axis::of("mean (%)", Span::from_zero(max(Objective::Fragmentation) * 100.0)).in_unit("%"),
            accesses: Axis::of("mean accesses per operation", Span::from_zero(max(Objective::Accesses))),
        }
    }
}

fn figure(study: &Study<'_>, factor: usize, ranges: &Ranges) -> String {
    let own = &study.factors()[factor];
    let name = factor_name(&own.name);
    let shares = SHARES.map(|(name, objective, colour)| line(study, objective, factor, 100.0, name, colour));
    let accesses = line(study, Objective::Accesses, factor, 1.0, "accesses per operation", colour::BLUE);
    let one = |id: String, height: usize, unit: &str, y: &Axis, lines: Vec<[Series; 2]>, what: &str| {
        let x = Axis::named(unit, own.levels.clone());
        let series = lines.into_iter().flatten().collect();
        let plot = Plot { series, hover: Hover::Column, legend: false, ..Plot::new(id, height, x, y.clone()) };
        embed(&plot, &format!("Line chart of {what} against the level of {name}"), "")
    };
    format!(
        "<div><h3>{}</h3>\n{}{}</div>\n",
        capitalized(name),
        one(format!("plot-effect-{factor}"), 230, "", &ranges.shares, shares.into(), "mean fragmentation"),
        one(format!("plot-work-{factor}"), 200, own.unit(), &ranges.accesses, vec![accesses], "mean accesses"),
    )
}

/// The mean at each level: a line, and a dot for each.
fn line(
    study: &Study<'_>,
    objective: Objective,
    factor: usize,
    scale: f64,
    name: &str,
    colour: &'static str,
) -> [Series; 2] {
    let means = study.effect(objective, factor).map_or_else(Vec::new, |effect| effect.means.clone());
    let points = || means.iter().enumerate().map(|(level, mean)| (level as f64, mean * scale));
    [
        Series::new(name, colour, Mark::Line, points()),
        Series::new("", colour, Mark::Symbols(Symbol::Circle, 5.0), points()),
    ]
}

/// How an objective changes from no use of a factor to full use, compared with the paper's sign.
fn changes(study: &Study<'_>) -> String {
    if study.exploration.classic() != Some(study.family) {
        return String::new();
    }
    let of_a_network = study.is_of_a_network();
    let compared = match of_a_network {
        true => {
            "; in grey the sign in Table 2 of Mamagkakis et al. 2006 (their performance, + for faster, is compared with \
             accesses), and whether it is the same here. An effect that explains under 1% of the variance counts as none"
        }
        false => "",
    };
    let caption = format!("What full use changes, compared with none, on average over all designs{compared}.");
    let mut table = Table::new(caption, &columns("factor"));
    for (factor, own) in study.factors().iter().enumerate() {
        // A space that a user edited may lack a factor of the paper, or have others.
        let paper = PAPER.iter().find(|(name, _)| *name == own.name && of_a_network);
        let [internal, external, performance] = paper.map_or([None; 3], |(_, signs)| signs.map(Some));
        let change = |objective: Objective, paper: Option<&str>, more_is: f64| {
            let Some(effect) = study.effect(objective, factor) else { return Cell::text("–") };
            let text = match objective.is_share() {
                true => points(effect.change()),
                false => relative(effect.first(), effect.last()),
            };
            let sign = if effect.share < NONE { 0.0 } else { effect.change().signum() * more_is };
            Cell::html(format!("{text}{}", paper.map_or(String::new(), |paper| compared_sign(paper, sign))))
        };
        table.row(
            "",
            vec![
                Cell::text(&capitalized(factor_name(&own.name))),
                change(Objective::Fragmentation, None, 1.0),
                change(Objective::Internal, internal, 1.0),
                change(Objective::External, external, 1.0),
                change(Objective::Accesses, performance, -1.0),
                change(Objective::P99, None, 1.0),
                change(Objective::MaxOp, None, 1.0),
                change(Objective::FootprintMean, None, 1.0),
                change(Objective::Retained, None, 1.0),
                change(Objective::FootprintOverTime, None, 1.0),
                change(Objective::RetainedOverTime, None, 1.0),
            ],
        );
    }
    table.render()
}

/// The paper's sign, and whether ours (−1, 0, 1) is the same.
fn compared_sign(paper: &str, sign: f64) -> String {
    let theirs = match paper.chars().next() {
        Some('+') => 1.0,
        Some('−') => -1.0,
        _ => 0.0,
    };
    let verdict = if theirs == sign {
        "<span class=\"yes\">same</span>"
    } else if sign == 0.0 {
        "<span class=\"no\">none here</span>"
    } else {
        "<span class=\"no\">differs</span>"
    };
    format!("<br><span class=\"paper\">paper {paper}</span> {verdict}")
}

/// The first column, and one for each counted objective.
fn columns(first: &'static str) -> Vec<&'static str> {
    std::iter::once(first).chain(Objective::COUNTED.map(Objective::words)).collect()
}

fn shares(study: &Study<'_>) -> String {
    let mut table = Table::new(
        "Share of the variance over these designs that each factor explains by itself (η²). They are a full factorial, \
         so what is left over is the factors' interactions.",
        &columns("factor"),
    );
    let share = |objective, factor| study.effect(objective, factor).map_or(0.0, |effect| effect.share);
    let bar = |share: f64| Cell::bar(&percent(share), share);
    for factor in 0..study.factors().len() {
        let mut row = vec![Cell::text(&capitalized(factor_name(&study.factors()[factor].name)))];
        row.extend(Objective::COUNTED.map(|objective| bar(share(objective, factor))));
        table.row("", row);
    }
    let mut row = vec![Cell::text("Interactions")];
    row.extend(Objective::COUNTED.map(|objective| {
        let explained: f64 = (0..study.factors().len()).map(|factor| share(objective, factor)).sum();
        // Where nothing varies there is nothing to explain.
        bar(if explained > 0.0 { (1.0 - explained).max(0.0) } else { 0.0 })
    }));
    table.row("", row);
    table.render()
}

/// The pairs of factors that explain most by what they do together.
fn together(study: &Study<'_>) -> String {
    const SHOWN: usize = 6;
    let mut table = Table::new(
        "The share that two factors explain together beyond what each explains alone, for the pairs that explain most \
         of fragmentation or of accesses.",
        &columns("factors"),
    );
    let share = |factors, objective| {
        let own = study.interactions.iter().find(|pair| pair.factors == factors && pair.objective == objective);
        own.map_or(0.0, |pair| pair.share)
    };
    let max = |factors| share(factors, Objective::Fragmentation).max(share(factors, Objective::Accesses));
    let first = study.interactions.first().map(|pair| pair.objective);
    let mut pairs: Vec<(usize, usize)> =
        study.interactions.iter().filter(|pair| Some(pair.objective) == first).map(|pair| pair.factors).collect();
    pairs.sort_by(|&a, &b| max(b).total_cmp(&max(a)));
    for pair in pairs.into_iter().take(SHOWN) {
        let [a, b] = [pair.0, pair.1].map(|factor| factor_name(&study.factors()[factor].name));
        let mut row = vec![Cell::text(&capitalized(&format!("{a} with {b}")))];
        row.extend(Objective::COUNTED.map(|objective| {
            let share = share(pair, objective);
            Cell::bar(&percent(share), share)
        }));
        table.row("", row);
    }
    table.render()
}
