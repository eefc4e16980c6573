//! Whether the targets hold, in words and tables.
//!
//! The targets: the fastest design of the front is no slower than the fastest peer, at the upper end of the interval; the
//! tightest has at most half the fragmentation of the tightest peer, or is within a page or 2% of the offline placement with the
//! same alignment; the pick is better than libc, dlmalloc and rlsf in both. Memory is compared in the one measure that all
//! have, pages touched.

use super::Compared;
use super::figures::Figures;
use super::ratio::Ratio;

/// What the pick must be better than.
const CLASSICS: [&str; 3] = ["libc", "dlmalloc", "rlsf"];

/// Bytes of a page, and from which share of the memory, in percent, a page is too coarse to tell much.
const PAGE: f64 = 4096.0;
const COARSE: f64 = 5.0;

const FASTEST: &str = "fastest design / fastest peer";
const HALF: &str = "tightest design / tightest peer, at most half, or near the offline placement";
const HALF_OF_USABLE: &str = "the same without peers that search linearly";

/// What is near the offline placement, next to a page: this many times it.
const NEAR: f64 = 1.02;

/// Peers that search linearly: as tight as first fit over all memory is, and as slow. The first also writes no
/// header, as its callers keep the sizes.
const LINEAR: [&str; 2] = ["linked_list_allocator", "buddy_system_allocator"];

/// A target on one trace.
pub struct Line {
    pub target: &'static str,
    pub holds: bool,
    pub detail: String,
}

/// The targets on one trace.
pub fn lines(compared: &Compared) -> Vec<Line> {
    // A peer that was cut short or refused requests did not do the same work.
    let whole = compared.fastest.events;
    let comparable: Vec<&Figures> =
        compared.peers.iter().filter(|peer| peer.events == whole && peer.refused == 0).collect();
    let mut lines = Vec::new();
    lines.extend(fastest_peer(compared, &comparable).map(|peer| speed(FASTEST, &compared.fastest, peer, Ratio::high)));
    let by_memory = |a: &&&Figures, b: &&&Figures| a.touched_page_overhead.total_cmp(&b.touched_page_overhead);
    let tightest = comparable.iter().min_by(by_memory);
    let usable = comparable.iter().filter(|peer| !LINEAR.contains(&peer.name())).min_by(by_memory);
    lines.extend(tightest.map(|peer| at_most_half(HALF, compared, peer)));
    if usable.map(|peer| peer.name()) != tightest.map(|peer| peer.name()) {
        lines.extend(usable.map(|peer| at_most_half(HALF_OF_USABLE, compared, peer)));
    }
    for name in CLASSICS {
        let Some(peer) = comparable.iter().find(|peer| peer.name() == name) else { continue };
        lines.push(speed("pick faster", &compared.pick, peer, Ratio::median));
        lines.push(tighter(&compared.pick, peer));
    }
    lines
}

/// The fastest peer round by round: in the median of the rounds another may be the fastest, if its times are of two kinds.
fn fastest_peer<'a>(compared: &Compared, peers: &[&'a Figures]) -> Option<&'a Figures> {
    let ratio = |peer: &Figures| Ratio::of(&compared.fastest.rounds, &peer.rounds).median;
    peers.iter().copied().max_by(|a, b| ratio(a).total_cmp(&ratio(b)))
}

fn speed(target: &'static str, ours: &Figures, theirs: &Figures, decides: fn(Ratio) -> f64) -> Line {
    let ratio = Ratio::of(&ours.rounds, &theirs.rounds);
    let over = decides(ratio) - 1.0;
    let holds = over <= 0.0;
    let short = if holds { String::new() } else { format!(", falls short by {:.1}%", over * 100.0) };
    let detail =
        format!("{:.1} to {:.1} ns of {}, ratio {ratio}{short}", ours.ns_per_op, theirs.ns_per_op, theirs.name());
    Line { target, holds, detail }
}

fn at_most_half(target: &'static str, compared: &Compared, theirs: &Figures) -> Line {
    let (ours, requested) = (&compared.tightest, compared.requested_peak.max(1.0));
    let over = ours.touched_page_overhead - theirs.touched_page_overhead / 2.0;
    let placed = compared.placed / requested - 1.0;
    let near = (compared.placed * NEAR).max(compared.placed + PAGE) / requested - 1.0;
    let is_near = ours.touched_page_overhead <= near;
    let verdict = match over <= 0.0 {
        true => String::new(),
        false if is_near => format!(", near the offline placement, {:.1}%", placed * 100.0),
        false => {
            format!(", falls short by {:.1} points; the offline placement has {:.1}%", over * 100.0, placed * 100.0)
        }
    };
    Line { target, holds: over <= 0.0 || is_near, detail: pages(ours, theirs) + &verdict }
}

fn tighter(ours: &Figures, theirs: &Figures) -> Line {
    let over = ours.touched_page_overhead - theirs.touched_page_overhead;
    let short = match over {
        _ if over < 0.0 => String::new(),
        0.0 => ", the same to a page".to_owned(),
        _ => format!(", falls short by {:.1} points", over * 100.0),
    };
    Line { target: "pick tighter", holds: over < 0.0, detail: pages(ours, theirs) + &short }
}

fn pages(ours: &Figures, theirs: &Figures) -> String {
    let percent = |figures: &Figures| format!("{:.1}%", figures.touched_page_overhead * 100.0);
    format!("{} to {} of {}", percent(ours), percent(theirs), theirs.name())
}

/// Prints the table of a trace, and its targets.
pub fn print(compared: &Compared) {
    println!("\n{}: {}, {} events", compared.name, compared.about, compared.fastest.events);
    let page = PAGE / compared.requested_peak.max(1.0) * 100.0;
    println!("  most requested at once: {:.1} KB, of which a page is {page:.1}%", compared.requested_peak / 1024.0);
    if page > COARSE {
        println!("  COARSE: memory is measured in pages; differences of {page:.0} points are one page");
    }
    println!("  {:>7} {:>12} {:>10} {:>20}   heap", "ns/op", "page fragm.", "fragm.", "fastest / it");
    let ours = [("fastest", &compared.fastest), ("tightest", &compared.tightest), ("pick", &compared.pick)];
    let aligned = compared.aligned_pick.iter().map(|figures| ("pick, align=16", figures));
    for (role, figures) in ours.into_iter().chain(aligned) {
        row(compared, figures, &format!("{role}: {}", shortened(&figures.heap)));
    }
    let mut peers: Vec<&Figures> = compared.peers.iter().collect();
    peers.sort_by(|a, b| a.ns_per_op.total_cmp(&b.ns_per_op));
    for peer in peers {
        let cut = match peer.events < compared.fastest.events {
            true => format!(", CUT to its first {} events and so not compared", peer.events),
            false => String::new(),
        };
        let refused = if peer.refused > 0 { format!(", REFUSED {} requests", peer.refused) } else { String::new() };
        row(compared, peer, &format!("{}{cut}{refused}", peer.heap));
    }
    println!("  {:>7.1}   the null allocator", compared.null_allocator);
    for line in lines(compared) {
        println!("  {} {}: {}", if line.holds { "HOLDS      " } else { "FALLS SHORT" }, line.target, line.detail);
    }
}

fn row(compared: &Compared, figures: &Figures, name: &str) {
    let fragmentation = figures.fragmentation.map_or("-".to_owned(), |share| format!("{:.1}%", share * 100.0));
    let pages = format!("{:.1}%", figures.touched_page_overhead * 100.0);
    let ratio = Ratio::of(&compared.fastest.rounds, &figures.rounds);
    println!("  {:>7.1} {pages:>12} {fragmentation:>10} {:>20}   {name}", figures.ns_per_op, ratio.to_string());
}

/// A spec whose list of sizes is counted where it is long.
fn shortened(spec: &str) -> String {
    match spec.strip_prefix("freelists(").and_then(|rest| rest.split_once(')')) {
        Some((sizes, rest)) if sizes.matches(',').count() > 5 => {
            format!("freelists({} sizes){rest}", sizes.split(',').count())
        }
        _ => spec.to_owned(),
    }
}

/// All traces in one table, as in the README.
pub fn summary(all: &[Compared]) -> String {
    let mut text = String::from(
        "| trace | fastest design | fastest peer | ratio | tightest design | tightest peer | pick | libc | dlmalloc | rlsf |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    for compared in all {
        let whole = compared.fastest.events;
        let comparable: Vec<&Figures> =
            compared.peers.iter().filter(|peer| peer.events == whole && peer.refused == 0).collect();
        let time = |figures: &Figures| format!("{:.1} ns", figures.ns_per_op);
        let pages = |figures: &Figures| format!("{:.1}%", figures.touched_page_overhead * 100.0);
        let both = |figures: &Figures| format!("{} {}", time(figures), pages(figures));
        let named = |peer: Option<&Figures>, show: &dyn Fn(&Figures) -> String| {
            peer.map_or("-".to_owned(), |peer| format!("{} {}", peer.name(), show(peer)))
        };
        let fastest = fastest_peer(compared, &comparable);
        let tightest =
            comparable.iter().copied().min_by(|a, b| a.touched_page_overhead.total_cmp(&b.touched_page_overhead));
        let ratio =
            fastest.map_or("-".to_owned(), |peer| Ratio::of(&compared.fastest.rounds, &peer.rounds).to_string());
        let classic = CLASSICS
            .map(|name| comparable.iter().find(|peer| peer.name() == name).map_or("-".to_owned(), |peer| both(peer)));
        text += &format!(
            "| {} | {} | {} | {ratio} | {} | {} | {} | {} |\n",
            compared.name,
            time(&compared.fastest),
            named(fastest, &time),
            pages(&compared.tightest),
            named(tightest, &pages),
            both(&compared.pick),
            classic.join(" | ")
        );
    }
    text
}

/// Prints all traces in one table, and how many targets hold.
pub fn print_summary(all: &[Compared]) {
    println!("\n{}", summary(all));
    let lines: Vec<Line> = all.iter().flat_map(lines).collect();
    let hold = lines.iter().filter(|line| line.holds).count();
    println!(
        "{hold} of {} targets hold. Times: median of the rounds, a ratio with its 95% interval; percent: pages",
        lines.len()
    );
    println!(
        "touched with payloads written over the bytes requested. Peers align payloads to 8 or 16 bytes; designs of the"
    );
    println!("classic space to 4, as far as the trace asks for no more: the pick with align=16 is shown next to it.");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(heap: &str, time: f64, pages: f64, events: u64) -> Figures {
        Figures {
            heap: heap.to_owned(),
            ns_per_op: time,
            rounds: vec![time; 9],
            touched_page_overhead: pages,
            fragmentation: None,
            refused: 0,
            events,
        }
    }

    fn compared(fastest: f64, tightest: f64) -> Compared {
        Compared {
            name: "trace".to_owned(),
            about: String::new(),
            rows: Vec::new(),
            fastest: figures("list", fastest, 0.2, 100),
            tightest: figures("list", 9.0, tightest, 100),
            pick: figures("list", 5.0, 0.04, 100),
            aligned_pick: None,
            peers: vec![
                figures("peer:libc", 4.0, 0.10, 100),
                figures("peer:rlsf", 6.0, 0.05, 100),
                figures("peer:linked_list_allocator", 1.0, 0.0, 10),
            ],
            null_allocator: 1.0,
            requested_peak: 1e6,
            placed: 1e6,
        }
    }

    fn verdicts(compared: &Compared) -> Vec<bool> {
        lines(compared).iter().map(|line| line.holds).collect()
    }

    #[test]
    fn targets_are_checked_against_the_best_peer_that_did_all_the_work() {
        assert_eq!(verdicts(&compared(3.9, 0.025)), [true, true, false, true, true, true]);
        assert_eq!(verdicts(&compared(4.1, 0.026)), [false, false, false, true, true, true]);
    }

    #[test]
    fn what_falls_short_is_told_by_how_much() {
        let lines = lines(&compared(5.0, 0.035));
        assert!(lines[0].detail.contains("falls short by 25.0%"), "{}", lines[0].detail);
        assert!(lines[1].detail.contains("falls short by 1.0 points"), "{}", lines[1].detail);
    }

    #[test]
    fn what_is_near_the_offline_placement_need_not_halve_anything() {
        let mut compared = compared(3.0, 0.035);
        compared.placed = 1.0147e6;
        let line = &lines(&compared)[1];
        assert!(!line.holds && line.detail.ends_with("the offline placement has 1.5%"), "{}", line.detail);
        compared.placed = 1.0148e6;
        let line = &lines(&compared)[1];
        assert!(line.holds && line.detail.ends_with("near the offline placement, 1.5%"), "{}", line.detail);
    }

    #[test]
    fn the_upper_end_of_the_interval_decides_who_is_fastest_and_rounds_who_is_compared() {
        let mut compared = compared(3.9, 0.025);
        compared.fastest.rounds[..2].fill(4.1);
        assert!(!lines(&compared)[0].holds, "{}", lines(&compared)[0].detail);
        // Half of its rounds are fast, at other moments than ours.
        compared.fastest.rounds = vec![3.0, 3.0, 3.0, 6.0, 6.0, 6.0, 6.0, 6.0, 6.0];
        compared.peers[0].rounds = vec![4.0, 4.0, 4.0, 7.0, 7.0, 7.0, 7.0, 7.0, 7.0];
        compared.peers[1] = figures("peer:rlsf", 5.0, 0.05, 100);
        compared.peers[1].rounds = vec![8.0, 8.0, 8.0, 8.0, 5.0, 5.0, 5.0, 5.0, 5.0];
        assert!(lines(&compared)[0].detail.contains("of rlsf"), "{}", lines(&compared)[0].detail);
    }

    #[test]
    fn a_linear_peer_that_is_the_tightest_is_told_apart() {
        let mut compared = compared(3.0, 0.025);
        compared.peers[2].events = 100;
        let lines = lines(&compared);
        assert!(!lines[1].holds && lines[1].target == HALF);
        assert!(lines[2].holds && lines[2].target == HALF_OF_USABLE);
    }

    #[test]
    fn the_same_memory_is_not_less() {
        let mut compared = compared(3.0, 0.01);
        compared.pick.touched_page_overhead = 0.05;
        let lines = lines(&compared);
        assert!(!lines[5].holds && lines[5].detail.ends_with("the same to a page"), "{}", lines[5].detail);
    }

    #[test]
    fn a_peer_that_refused_is_not_compared() {
        let mut compared = compared(5.0, 0.01);
        compared.peers[0].refused = 1;
        assert_eq!(lines(&compared).len(), 4, "libc is left out");
    }
}
