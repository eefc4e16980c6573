//! What an exploration tells on the terminal.

use std::path::Path;

use heapsmith_explore::{
    Agreement, CLOSE, Effect, Exploration, FINALISTS, Finding, Judged, NEAR, Objective, Objectives, Preference, Search,
    Space, Store, interactions,
};
use heapsmith_limits::Lines;
use heapsmith_peers::peers;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::args::Format;
use crate::commands::report;
use crate::failure::Failure;
use crate::table::{self, Item, Table, integer, none, number, percent, text, word};

/// Rows of the front that are shown to people; programs get all.
const SHOWN: usize = 12;

/// How fast the sweep was.
pub fn speed(space: &Space, traces: &[PackedTrace], search: Search, replayed: usize, elapsed: f64) {
    let distinct = space.distinct().count();
    let events: usize = traces.iter().map(|trace| trace.events.len()).sum();
    if replayed == 0 {
        eprintln!(
            "{} designs, {distinct} distinct heaps: all that is asked for was replayed before",
            space.designs.len()
        );
        return;
    }
    if search == Search::Halving {
        eprintln!(
            "{} designs, {distinct} distinct heaps, of which {replayed} were replayed whole, the others on slices of the \
             traces; all in {elapsed:.1} s: {:.0} designs/s",
            space.designs.len(),
            space.designs.len() as f64 / elapsed.max(1e-9),
        );
        return;
    }
    eprintln!(
        "{} designs, {distinct} distinct heaps, {replayed} replayed now in {elapsed:.1} s: {:.0} designs/s, \
         {:.1} ns an event",
        space.designs.len(),
        (space.designs.len() * replayed) as f64 / distinct.max(1) as f64 / elapsed.max(1e-9),
        elapsed * 1e9 / (replayed * events).max(1) as f64
    );
}

/// What is told.
pub struct Answer<'a> {
    pub exploration: &'a Exploration,
    /// The reference lines of each trace.
    pub lines: &'a [Lines],
    pub preference: Preference,
    /// Index of the pick.
    pub pick: usize,
    /// The family whose effects are told.
    pub family: usize,
}

impl Answer<'_> {
    /// Prints the front, the catalogue, the effects and the finding; to programs, the first two.
    pub fn print(&self, effects: &[Effect], finding: &Finding, format: Format) -> Result<(), Failure> {
        let Answer { exploration, preference, pick, family, .. } = *self;
        let people = format == Format::Table;
        if people {
            println!("\nThe front: designs that no other beats in both fragmentation and accesses");
            if exploration.search == Search::Halving {
                println!(
                    "{} of {} designs were replayed whole; of the others it is known that they are behind on slices of the \
                 traces, and not what the whole would say",
                    exploration.rows.len(),
                    exploration.designs
                );
            }
            goal(exploration);
        }
        self.front(finding, people).print(format)?;
        if people && let Some(timing) = exploration.timings.first() {
            println!(
                "ns/op: measured alone, median of {} rounds; a heap that does nothing: {:.1}",
                timing.rounds, timing.floor
            );
        }
        if people && !exploration.pages.is_empty() {
            println!(
                "page fragmentation: most bytes in pages that a child process touched with payloads written, over the \
             bytes requested; ours and peers alike"
            );
        }
        if people {
            if effects.is_empty() {
                println!("\n{}", without_effects(exploration));
            } else {
                println!(
                    "\nWhat explains the differences: share of the variance, and the mean from no use to full use"
                );
                effects_table(exploration, family, effects).print(format)?;
                together(exploration, family);
            }
            if !finding.recommended.is_empty() {
                println!(
                    "\nMamagkakis et al. 2006 recommend two or three free lists, first fit, full splitting, full coalescing:"
                );
                recommended(exploration, finding);
            }
            if !exploration.judged.is_empty() {
                println!("\nOn traces that the choice was not made for: what it has beyond the pick in hindsight");
                judged_table(&exploration.judged).print(format)?;
                warnings(&exploration.judged);
            }
            println!("\nThe pick\n  {}", exploration.rows[pick].design.spec);
            reason(exploration, pick);
            beside_classic(exploration, preference, pick);
            self.reference_lines();
        }
        Ok(())
    }

    /// Floor, achieved, bound.
    fn reference_lines(&self) {
        let row = &self.exploration.rows[self.pick];
        for (lines, measures) in self.lines.iter().zip(&row.measures) {
            let floor = &lines.floor;
            let beyond = |bytes: Bytes| (bytes.0 as f64 / floor.live.0.max(1) as f64 - 1.0) * 100.0;
            let found = if floor.is_least { "no placement needs less" } else { "as far as was found" };
            println!("\nThree lines of {}", lines.trace);
            println!("  floor     {:>10}  most bytes live at once", floor.live.to_string());
            println!(
                "            {:>10}  +{:.2}%, with every lifetime known and no block moved: {found}",
                floor.placed.to_string(),
                beyond(floor.placed)
            );
            let achieved = measures.footprint_peak;
            println!("  achieved  {:>10}  +{:.2}%, the pick", achieved.to_string(), beyond(achieved));
            let bound = lines.bound(&row.design.spec);
            match (bound.footprint, &lines.program) {
                (Some(bytes), Ok(program)) => println!(
                    "  bound     {:>10}  +{:.0}%, for any program with as many live bytes in requests of {} to {} bytes\n\
                     {:24}{}\n{:24}{}",
                    Bytes(bytes).to_string(),
                    beyond(Bytes(bytes)),
                    program.least,
                    program.largest,
                    "",
                    bound.formula,
                    "",
                    bound.source
                ),
                _ => println!("  bound           none  {}", bound.why_none),
            }
        }
    }
}

/// What a search had found of the true front.
pub fn agreement(found: &Exploration, whole: &Exploration) {
    let agreement = Agreement::of(found, whole);
    let share = |part: usize, of: usize| format!("{part} of {of} ({:.1}%)", part as f64 * 100.0 / of.max(1) as f64);
    println!(
        "\nThe search beside replaying every design: {} of {} designs were replayed whole",
        found.rows.len(),
        whole.rows.len()
    );
    println!(
        "  over fragmentation and accesses: recall {}, within {:.0}% {}, hypervolume ratio {:.4}",
        share(agreement.found, agreement.places),
        CLOSE * 100.0,
        share(agreement.close, agreement.places),
        agreement.hypervolume
    );
    println!(
        "  over all chosen objectives: recall {}, within {:.0}% {}",
        share(agreement.found_all, agreement.places_all),
        CLOSE * 100.0,
        share(agreement.close_all, agreement.places_all)
    );
}

/// What was asked for, where it is not the usual.
fn goal(exploration: &Exploration) {
    let goal = &exploration.goal;
    if goal.objectives != Objective::FRONT {
        let names: Vec<&str> = goal.objectives.iter().map(|objective| objective.words()).collect();
        println!("The pick is of the front over {}: {} designs", names.join(", "), exploration.front.len());
    }
    for constraint in &goal.constraints {
        let kept =
            exploration.points.iter().filter(|p| p.failed == 0 && p.get(constraint.objective) <= constraint.most);
        let of = if constraint.objective.is_counted() { exploration.rows.len() } else { FINALISTS };
        println!(
            "{} of at most {}: {} of {of} designs keep it",
            constraint.objective.words(),
            constraint.objective.shown(constraint.most),
            kept.count()
        );
    }
}

/// Why there is no pick.
pub fn nothing(exploration: &Exploration) -> Failure {
    let served = exploration.points.iter().filter(|point| point.failed == 0).count();
    if served == 0 {
        return Failure::job("every design refused a request of these traces: there is nothing to pick");
    }
    let best = |objective| {
        let all = exploration.points.iter().filter(|point| point.failed == 0).map(|point| point.get(objective));
        objective.shown(all.fold(f64::INFINITY, f64::min))
    };
    let each = exploration.goal.constraints.iter().map(|constraint| {
        format!(
            "{} of at most {} (the least of any design is {})",
            constraint.objective.words(),
            constraint.objective.shown(constraint.most),
            best(constraint.objective)
        )
    });
    Failure::job(format!(
        "no design keeps every constraint: {}; loosen one, or try --space wide",
        each.collect::<Vec<_>>().join(", ")
    ))
}

/// The pairs of techniques that explain most by what they do together.
fn together(exploration: &Exploration, family: usize) {
    const SHOWN: usize = 3;
    let factors = &exploration.families.0[family].factors;
    let pairs = interactions(exploration, family);
    for objective in [Objective::Fragmentation, Objective::Accesses] {
        let mut own: Vec<_> = pairs.iter().filter(|pair| pair.objective == objective).collect();
        own.sort_by(|a, b| b.share.total_cmp(&a.share));
        let shown = own.iter().take(SHOWN).map(|pair| {
            let (a, b) = pair.factors;
            format!("{} with {} {:.1}%", factors[a].name, factors[b].name, pair.share * 100.0)
        });
        println!("  together, of {}: {}", objective.words(), shown.collect::<Vec<_>>().join(", "));
    }
}

fn judged_table(judged: &[Judged]) -> Table {
    let columns = [
        "trace",
        "heap_of",
        "fragmentation",
        "accesses_per_op",
        "from_front",
        "footprint_regret",
        "accesses_regret",
        "heap",
    ];
    let mut table = Table::new(&columns);
    for row in judged {
        let name = if row.failed > 0 { format!("{} (refuses)", row.name) } else { row.name.clone() };
        table.row([
            text(&row.trace),
            text(&name),
            percent(row.fragmentation),
            number(row.accesses, 2),
            percent(row.shortfall),
            percent(rounded(row.footprint_regret)),
            percent(rounded(row.accesses_regret)),
            table::heap(&row.heap),
        ]);
    }
    table
}

/// A share that reads as 0 is 0, and not one below.
fn rounded(share: f64) -> f64 {
    if share.abs() < 0.0005 { 0.0 } else { share }
}

/// Where the pick is overfitted, and why.
fn warnings(judged: &[Judged]) {
    for row in judged {
        if let Some(reason) = &row.warning {
            println!(
                "  warning: on {} the pick is {:.1}% from the front, so it is overfitted: {reason}",
                row.trace,
                row.shortfall * 100.0
            );
        }
    }
}

/// The pick of the classic space, where a wider one was explored.
fn beside_classic(exploration: &Exploration, preference: Preference, pick: usize) {
    let Some(classic) = exploration.classic_pick(preference) else { return };
    let all = |index: usize| {
        let shown = exploration.goal.objectives.iter().map(|&objective| {
            format!("{} {}", objective.words(), objective.shown(exploration.points[index].get(objective)))
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    println!("  it has {}", all(pick));
    println!("  the classic space would give {}", exploration.rows[classic].design.spec);
    println!("    with {}: the pick is nowhere worse", all(classic));
    let far = |a: usize, b: usize| {
        let at = |index: usize, objective| exploration.points[index].get(objective);
        exploration.goal.objectives.iter().any(|&one| at(a, one) < at(b, one) * (1.0 - CLOSE))
    };
    if let Some(trading) = exploration.trading_pick(preference).filter(|&trading| far(trading, pick)) {
        println!("  if one may be traded for another, {}", exploration.rows[trading].design.spec);
        println!("    with {}", all(trading));
    }
}

fn without_effects(exploration: &Exploration) -> String {
    if exploration.search == Search::Halving {
        return "What each technique does is not told: it is a mean over all designs, and not all were replayed whole \
                (--search exhaustive)"
            .to_owned();
    }
    format!(
        "{} designs were cut short, as they can reach no front (--prune); what each technique does is not known \
         without them: run it again without --prune, which replays only those",
        exploration.pruned
    )
}

const COLUMNS: [&str; 10] = [
    "note",
    "design",
    "fragmentation",
    "bound",
    "page_fragmentation",
    "accesses_per_op",
    "p99",
    "worst",
    "ns_per_op",
    "heap",
];

impl Answer<'_> {
    /// The bound of a heap as fragmentation, averaged over the traces as fragmentation is; none where none is known.
    fn bound(&self, spec: &Spec) -> Item {
        let each = self.lines.iter().map(|lines| lines.bound_fragmentation(spec)).collect::<Option<Vec<f64>>>();
        each.map_or_else(none, |each| percent(each.iter().sum::<f64>() / each.len().max(1) as f64))
    }

    fn front(&self, finding: &Finding, people: bool) -> Table {
        let (exploration, pick) = (self.exploration, self.pick);
        let mut table = Table::new(&COLUMNS).hiding(&["floor_ns_per_op", "touched", "live", "placed"]);
        let stairs = thinned(&exploration.staircase, pick, if people { SHOWN } else { usize::MAX });
        let mut indexes = stairs.clone();
        let others = finding.recommended.iter().map(|design| design.index).chain([pick]);
        indexes.extend(others.filter(|index| !stairs.contains(index)));
        for index in indexes {
            let is_pick = index == pick;
            let is_recommended = finding.recommended.iter().any(|design| design.index == index);
            let note = match (is_pick, is_recommended) {
                (true, _) => "pick",
                (_, true) => "2006",
                _ => "",
            };
            let design = &exploration.rows[index].design;
            let shown = integer(u64::from(design.number));
            let measured = measured(exploration, &exploration.name(index));
            let bound = self.bound(&design.spec);
            let row = row(note, shown, &exploration.points[index], bound, measured, &design.spec.to_string());
            table.row(row.into_iter().chain(self.floors()));
        }
        for entry in &exploration.catalogue {
            let measured = measured(exploration, &entry.name);
            let bound = entry.spec.parse().map_or_else(|_| none(), |spec| self.bound(&spec));
            let row = row("", text(&entry.name), &entry.objectives, bound, measured, &entry.spec);
            table.row(row.into_iter().chain(self.floors()));
        }
        let events = exploration.pages.iter().map(|pages| pages.events).max();
        for entry in peers() {
            let name = entry.peer.to_string();
            if exploration.timing_of(&name).is_some() {
                table.row(peer_row(exploration, entry.name, &name, events).into_iter().chain(self.floors()));
            }
        }
        table
    }

    /// The floor of all traces together: most live bytes, and the lowest placement that was found.
    fn floors(&self) -> [Item; 2] {
        let total = |bytes: fn(&Lines) -> Bytes| table::bytes(self.lines.iter().map(bytes).sum());
        [total(|lines| lines.floor.live), total(|lines| lines.floor.placed)]
    }
}

/// What was measured of something, not counted.
struct Figures {
    page_fragmentation: Item,
    touched: Item,
    ns_per_op: Item,
    floor: Item,
}

fn measured(exploration: &Exploration, name: &str) -> Figures {
    let (pages, timing) = (exploration.pages_of(name), exploration.timing_of(name));
    Figures {
        page_fragmentation: pages.map_or_else(none, |pages| percent(pages.fragmentation)),
        touched: pages.map_or_else(none, |pages| table::bytes(pages.touched)),
        ns_per_op: timing.map_or_else(none, |timing| number(timing.ns_per_op, 1)),
        floor: timing.map_or_else(none, |timing| number(timing.floor, 1)),
    }
}

fn row(note: &str, name: Item, point: &Objectives, bound: Item, measured: Figures, heap: &str) -> Vec<Item> {
    let note = if point.failed > 0 { "refuses" } else { note };
    vec![
        word(note, if note == "pick" { "▶ pick" } else { note }),
        name,
        percent(point.get(Objective::Fragmentation)),
        bound,
        measured.page_fragmentation,
        number(point.get(Objective::Accesses), 2),
        integer(point.get(Objective::P99) as u64),
        integer(point.get(Objective::Worst) as u64),
        measured.ns_per_op,
        table::heap(heap),
        measured.floor,
        measured.touched,
    ]
}

/// A peer has no footprint in bytes and no accesses. `events` is how many there are.
fn peer_row(exploration: &Exploration, short: &str, name: &str, events: Option<u64>) -> Vec<Item> {
    let pages = exploration.pages_of(name);
    let heap = match pages.filter(|pages| Some(pages.events) != events) {
        Some(pages) => word(name, &format!("{name}, first {} events", pages.events)),
        None => text(name),
    };
    let refuses = pages.is_some_and(|pages| pages.failed > 0);
    let measured = measured(exploration, name);
    vec![
        text(if refuses { "refuses" } else { "peer" }),
        text(short),
        none(),
        none(),
        measured.page_fragmentation,
        none(),
        none(),
        none(),
        measured.ns_per_op,
        heap,
        measured.floor,
        measured.touched,
    ]
}

/// At most `most` of the stairs, evenly, with both ends and the pick.
fn thinned(stairs: &[usize], pick: usize, most: usize) -> Vec<usize> {
    if stairs.len() <= most {
        return stairs.to_vec();
    }
    let even = (0..most).map(|step| stairs[step * (stairs.len() - 1) / (most - 1)]);
    let mut chosen: Vec<usize> = even.chain(stairs.contains(&pick).then_some(pick)).collect();
    chosen.sort_by_key(|index| stairs.iter().position(|stair| stair == index));
    chosen.dedup();
    chosen
}

fn effects_table(exploration: &Exploration, family: usize, effects: &[Effect]) -> Table {
    let mut table = Table::new(&[
        "technique",
        "fragmentation",
        "none",
        "full",
        "internal",
        "external",
        "accesses",
        "none ",
        "full ",
        "worst",
    ]);
    let of = |factor: usize, objective| effects.iter().find(|e| e.factor == factor && e.objective == objective);
    for (factor, technique) in exploration.families.0[family].factors.iter().enumerate() {
        let share = |objective| of(factor, objective).map_or_else(none, |effect| percent(effect.share));
        let mean = |objective: Objective, mean: fn(&Effect) -> f64| {
            let item = |mean: f64| if objective.is_share() { percent(mean) } else { number(mean, 1) };
            of(factor, objective).map_or_else(none, |effect| item(mean(effect)))
        };
        table.row([
            text(&technique.name),
            share(Objective::Fragmentation),
            mean(Objective::Fragmentation, Effect::first),
            mean(Objective::Fragmentation, Effect::last),
            share(Objective::Internal),
            share(Objective::External),
            share(Objective::Accesses),
            mean(Objective::Accesses, Effect::first),
            mean(Objective::Accesses, Effect::last),
            share(Objective::Worst),
        ]);
    }
    let rest = |objective| {
        let shares = effects.iter().filter(|effect| effect.objective == objective).map(|effect| effect.share);
        percent((1.0 - shares.sum::<f64>()).max(0.0))
    };
    table.row([
        text("interactions"),
        rest(Objective::Fragmentation),
        none(),
        none(),
        rest(Objective::Internal),
        rest(Objective::External),
        rest(Objective::Accesses),
        none(),
        none(),
        rest(Objective::Worst),
    ]);
    table
}

fn recommended(exploration: &Exploration, finding: &Finding) {
    for design in &finding.recommended {
        let point = &exploration.points[design.index];
        let place = if design.on_front {
            "on the front".to_owned()
        } else if design.holds() {
            format!("near the front ({:.1}% from it, within {:.0}%)", design.shortfall * 100.0, NEAR * 100.0)
        } else {
            format!("not near the front: {:.1}% from it in both footprint and accesses", design.shortfall * 100.0)
        };
        println!(
            "  {} lists: {place}; fragmentation {:.1}%, {:.2} accesses an operation",
            design.lists,
            point.get(Objective::Fragmentation) * 100.0,
            point.get(Objective::Accesses)
        );
    }
    let most = |shares: &[(String, f64)]| {
        let each = shares.iter().map(|(name, share)| format!("{name} {:.1}%", share * 100.0));
        each.collect::<Vec<_>>().join(", ")
    };
    if !finding.fragmentation.is_empty() {
        println!("  of the fragmentation's variance: {}", most(&finding.fragmentation));
    }
}

/// What the pick's neighbours on the front trade.
fn reason(exploration: &Exploration, pick: usize) {
    let at = |index: usize| {
        let point = &exploration.points[index];
        (point.get(Objective::Fragmentation) * 100.0, point.get(Objective::Accesses))
    };
    let (fragmentation, accesses) = at(pick);
    println!("  fragmentation {fragmentation:.1}%, {accesses:.2} accesses an operation");
    let place = exploration.staircase.iter().position(|&stair| exploration.points[stair] == exploration.points[pick]);
    let Some(place) = place else { return };
    if let Some(&tighter) = place.checked_sub(1).and_then(|before| exploration.staircase.get(before)) {
        let (less, more) = at(tighter);
        println!(
            "  the next tighter saves {:.2} points of fragmentation and costs {:.2} accesses an operation",
            fragmentation - less,
            more - accesses
        );
    }
    if let Some(&faster) = exploration.staircase.get(place + 1) {
        let (more, less) = at(faster);
        println!(
            "  the next faster saves {:.2} accesses an operation and costs {:.2} points of fragmentation",
            accesses - less,
            more - fragmentation
        );
    }
}

/// Where everything lies.
pub fn next_steps(dir: &Path) {
    println!("\n{}", dir.join(report::PAGE).display());
    println!("  the page: open it in a browser; beside it {}, results.csv, results.parquet", Store::FILE);
    println!("heapsmith emit {} --lang c -o OUT", dir.display());
    println!("  the pick as C11 for firmware; --lang rust: as a type; --lang so: as a library to preload");
}
