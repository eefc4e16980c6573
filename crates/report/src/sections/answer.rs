//! The first screen: what there is today, what the pick is and saves, bytes to reserve, the most expensive operation, and
//! the commands that give the pick.

use heapsmith_explore::{Advice, Objective, Objectives, Preference, Verdict};
use heapsmith_trace::Bytes;

use crate::html::{code, copied, escape};
use crate::number::{count, percent, thousands};
use crate::spec_text::shortened;
use crate::study::{Study, accesses, footprint, fragmentation};

/// The title of the page, as HTML.
pub fn header(study: &Study<'_>) -> String {
    format!("<p class=\"kicker\">heapsmith exploration</p>\n<h1>{}</h1>\n", escape(&study.title()))
}

/// The answer.
pub fn section(study: &Study<'_>) -> String {
    let verdict = study.exploration.verdict(study.pick, study.input.preference);
    let tiles: String = [today(study, &verdict), pick(study, &verdict), reserve(study), max_operation(study)].concat();
    format!(
        "<section id=\"pick\" class=\"answer\" aria-labelledby=\"verdict\">\n<h2 id=\"verdict\">{}</h2>\n{}\
         <dl class=\"tiles\">\n{tiles}</dl>\n{}{}</section>\n",
        escape(&advice(study, &verdict)),
        overfitted(study),
        commands(study),
        warning(study),
    )
}

/// The recommendation as one sentence.
fn advice(study: &Study<'_>, verdict: &Verdict) -> String {
    let reserve = study.exploration.reserve(study.pick);
    let reserve = reserve.map_or_else(String::new, |bytes| format!(" Reserve {} bytes.", thousands(bytes.0)));
    let words = verdict.words().replace(&verdict.baseline.to_string(), &shortened(verdict.baseline.name()));
    match verdict.advice {
        Advice::Keep => format!("{words}."),
        _ => format!("{words}.{reserve}"),
    }
}

fn tile(class: &str, term: &str, value: &str, remarks: &[String]) -> String {
    let remarks: String = remarks.iter().map(|remark| format!("<small>{remark}</small>")).collect();
    format!("<div class=\"{class}\"><dt>{term}</dt><dd>{value}{remarks}</dd></div>\n")
}

/// What the baseline costs.
fn today(study: &Study<'_>, verdict: &Verdict) -> String {
    let exploration = study.exploration;
    let name = verdict.baseline.name();
    let term = format!("Today: <code>{}</code>", escape(&shortened(name.trim_start_matches("peer:"))));
    let assumed = match exploration.question.baseline {
        Some(_) => Vec::new(),
        None => vec![format!("the usual one of {}; <code>--baseline NAME</code> names yours", exploration.target)],
    };
    let (value, mut remarks) = match (exploration.reserved(study.pick), exploration.baseline_objectives()) {
        (Some([_, (bytes, point)]), _) => in_ram(bytes, &point),
        (None, Some(point)) => {
            let memory = peak(study).map(|peak| Bytes(((1.0 + fragmentation(point)) * peak).round() as u64));
            let value = memory.map_or_else(
                || format!("{} beyond the peak", percent(fragmentation(point))),
                |bytes| bytes.to_string(),
            );
            (value, vec![work(accesses(point), point.get(Objective::MaxOp))])
        }
        (None, None) => {
            let pages = exploration.pages_of(name);
            let value =
                pages.map_or_else(|| "not measured".to_owned(), |pages| format!("{} of pages touched", pages.touched));
            let time = exploration.timing_of(name).map(|timing| match timing.ns.reliable() {
                Some(time) => format!("{time:.1} ns per operation"),
                None => format!("time per operation {}", timing.ns),
            });
            (value, time.into_iter().collect())
        }
    };
    remarks.extend(assumed);
    tile("today", &term, &value, &remarks)
}

/// What a heap needs and does in the region that is promised.
fn in_ram(bytes: Bytes, point: &Objectives) -> (String, Vec<String>) {
    (format!("{} bytes", thousands(bytes.0)), vec![work(accesses(point), point.get(Objective::MaxOp))])
}

/// Peak live bytes, where there is one trace: with several, shares are means.
fn peak(study: &Study<'_>) -> Option<f64> {
    match study.exploration.rows[study.pick].measures.as_slice() {
        [one] => Some(one.requested_peak.0 as f64),
        _ => None,
    }
}

fn work(mean: f64, max: f64) -> String {
    format!("{} metadata accesses per operation, at most {}", count(mean), count(max))
}

/// What work is.
fn worked(by: Objective) -> &'static str {
    match by {
        Objective::Accesses => "accesses",
        Objective::Cost => "model cycles",
        _ => "time in replay",
    }
}

/// The pick, and what it costs.
fn pick(study: &Study<'_>, verdict: &Verdict) -> String {
    let row = &study.exploration.rows[study.pick];
    let point = study.point(study.pick);
    let term = format!("The pick: design {}", row.design.number);
    let pages = if verdict.counted { None } else { study.exploration.pages_of(&study.exploration.name(study.pick)) };
    let (value, mut remarks) = match (study.exploration.reserved(study.pick), pages) {
        (Some([(bytes, point), _]), _) => in_ram(bytes, &point),
        (None, Some(pages)) => {
            (format!("{} of pages touched", pages.touched), vec![work(accesses(point), point.get(Objective::MaxOp))])
        }
        (None, None) => (
            footprint(study.exploration.measures_of(study.pick)).to_string(),
            vec![work(accesses(point), point.get(Objective::MaxOp))],
        ),
    };
    let saved = [("memory", verdict.memory_saved()), (worked(verdict.by), verdict.work_saved())];
    let saved: Vec<String> = saved.into_iter().filter_map(|(what, saved)| Some(saves(what, saved?))).collect();
    if !saved.is_empty() {
        remarks.push(format!("<strong>{}</strong>", saved.join(", ")));
    }
    tile("picked", &term, &value, &remarks)
}

fn saves(what: &str, share: f64) -> String {
    match share {
        _ if share.abs() < 0.0005 => format!("as much {what}"),
        _ if share > 0.0 => format!("saves {} {what}", percent(share)),
        _ => format!("{} more {what}", percent(-share)),
    }
}

fn reserve(study: &Study<'_>) -> String {
    match study.exploration.reserve(study.pick) {
        Some(bytes) => tile(
            "",
            "Reserve",
            &format!("{} bytes", thousands(bytes.0)),
            &["the region in which the pick does what is shown here".to_owned()],
        ),
        None => tile("", "Reserve", "not measured", &[format!("{} measures it", code(&study.command("pick", "")))]),
    }
}

/// The most expensive operation in the region that is promised, and whether anything is proven of it.
fn max_operation(study: &Study<'_>) -> String {
    let exploration = study.exploration;
    let (value, place) = match exploration.in_region(study.pick) {
        Some((bytes, point)) => (point.get(Objective::MaxOp), format!("measured in {} bytes", thousands(bytes.0))),
        None => (study.point(study.pick).get(Objective::MaxOp), "measured in a large region".to_owned()),
    };
    let guarantee = match exploration.proven(study.pick) {
        Some(proven) => format!(
            "proven for every program with this peak and these sizes: never refused in {} bytes, at most {} accesses",
            thousands(proven.region),
            thousands(proven.accesses)
        ),
        None => match exploration.proven_region(study.pick) {
            Some(bytes) => {
                format!("never refused in {} bytes; time is not proven. {}", thousands(bytes), bounded(study))
            }
            None => match exploration.nearest_with_region(study.pick) {
                Some(near) => {
                    let (heap, price, region) = (near.heap, near.price, thousands(near.region));
                    let spec = format!("<code class=\"s\">{}</code>", escape(&shortened(&near.spec.to_string())));
                    let emit = code("emit --guaranteed");
                    format!(
                        "no guarantee; {heap}, {spec}, has one for {price}: {region} bytes ({emit}). {}",
                        bounded(study)
                    )
                }
                None => format!("no guarantee. {}", bounded(study)),
            },
        },
    };
    tile("", "Most expensive operation", &format!("{} accesses", count(value)), &[place, guarantee])
}

/// The option that gives a proven worst case.
fn bounded(study: &Study<'_>) -> String {
    let exploration = study.exploration;
    let bounded = exploration.pick(Preference::Bounded).and_then(|index| exploration.proven(index));
    match bounded {
        Some(proven) => format!(
            "<code>--prefer bounded</code> picks a design with a bound: at most {} accesses, in {} bytes",
            thousands(proven.accesses),
            thousands(proven.region)
        ),
        None => match exploration.room() {
            Some(room) => format!("No design of this space has a bound for this program in {} bytes", thousands(room)),
            None => "No design of this space has a bound for this program".to_owned(),
        },
    }
}

/// A pick that does not hold is announced before anything is made of it.
fn overfitted(study: &Study<'_>) -> String {
    let Some(words) = study.exploration.holds_words(study.pick) else { return String::new() };
    match study.exploration.holds(study.pick).is_some_and(|holds| holds.is_overfitted()) {
        true => {
            format!("<p id=\"overfitted\"><strong>{}.</strong></p>\n", escape(&crate::spec_text::capitalized(&words)))
        }
        false => String::new(),
    }
}

fn warning(study: &Study<'_>) -> String {
    let target = study.exploration.target;
    let warnings = target.untranslated().into_iter().chain(target.lowered());
    warnings.map(|warning| format!("<p class=\"note\">Warning: {}.</p>\n", escape(&warning))).collect()
}

/// The commands that give the pick, and its spec.
fn commands(study: &Study<'_>) -> String {
    let mut commands = vec![
        ("C11", "get-c", study.command("emit", "--lang c -o OUT")),
        ("Rust", "get-rust", study.command("emit", "--lang rust -o OUT")),
    ];
    if study.exploration.target.malloc {
        commands.push(("Run a program on it", "get-run", study.command("run --heap", "-- PROGRAM")));
    }
    let row = |(name, id, command): (&str, &str, String)| {
        format!("<div><dt>{name}</dt><dd>{}</dd></div>\n", copied(id, &command))
    };
    let commands: String = commands.into_iter().map(row).collect();
    format!("<dl class=\"commands\">\n{commands}{}</dl>\n", row(("Spec", "pick-spec", study.spec(study.pick))),)
}
