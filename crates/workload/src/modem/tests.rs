use std::collections::HashMap;

use heapsmith_trace::{Action, Statistics, Trace};

use super::*;

fn trace(given: &[(&str, &str)]) -> Trace {
    let given: Vec<(String, String)> = given.iter().map(|&(k, v)| (k.to_owned(), v.to_owned())).collect();
    let mut settings = Settings::new(&WORKLOAD, &given).unwrap();
    let mut trace = Trace::default();
    super::run(&mut settings, Tape::new(&mut trace)).unwrap().end().unwrap();
    trace
}

#[test]
fn the_papers_rules_hold_for_every_session() {
    let all = Session::all();
    for session in &all {
        let has = |unit| session.units().any(|own| own == unit);
        assert!(!(has(Unit::Hdlc) && has(Unit::V110)), "{session:?}");
        let fast = has(Unit::V32bis) || has(Unit::V34) || has(Unit::V90);
        assert!(!has(Unit::Mnp5) || fast, "{session:?}");
    }
    // Four modulations take HDLC, and five async; three of them MNP5.
    let with = |unit| all.iter().filter(|session| session.units().any(|own| own == unit)).count();
    assert_eq!((all.len(), with(Unit::Mnp5), with(Unit::V110), with(Unit::V42bis)), (39, 6, 1, 8));
}

#[test]
fn calls_keep_the_rules_and_the_order() {
    let trace = trace(&[]);
    let calls = trace.labels.iter().filter_map(|label| label.strip_prefix("call with "));
    let allowed: Vec<String> = Session::all()
        .into_iter()
        .map(|session| session.units().map(Unit::name).collect::<Vec<_>>().join(", "))
        .collect();
    let calls: Vec<&str> = calls.collect();
    assert!(calls.len() > 20, "many kinds of calls: {}", calls.len());
    assert!(calls.iter().all(|call| allowed.iter().any(|known| known == call)), "{calls:?}");
}

#[test]
fn the_peak_is_the_papers() {
    let found = Statistics::of(&trace(&[])).unwrap();
    // The paper's: 29,788 bytes (29,796 for one of four heaps), and headers for 133 blocks.
    assert_eq!((found.blocks_left, found.blocks_peak, found.requested_peak.0), (0, 132, 29_796));
}

/// Without frames the units have all of it, and the paper's run is met: 29,788 bytes in 133 blocks.
#[test]
fn the_units_alone_have_the_papers_peak() {
    let units = trace(&[("frames", "off")]);
    let found = Statistics::of(&units).unwrap();
    assert_eq!((found.blocks_left, found.blocks_peak, found.requested_peak.0), (0, 133, 29_788));
    let frames = units.sites.iter().position(|site| site == "frame").map(|site| site as u32);
    assert!(units.events.iter().all(|event| event.site.is_none() || event.site != frames));
}

#[test]
fn other_seeds_peak_nearby() {
    for seed in ["2", "3", "4", "5"] {
        let found = Statistics::of(&trace(&[("seed", seed)])).unwrap();
        let bytes = found.requested_peak.0;
        assert!((27_000..33_000).contains(&bytes), "seed {seed}: {bytes} bytes");
        assert!((118..148).contains(&found.blocks_peak), "seed {seed}: {} blocks", found.blocks_peak);
    }
}

/// A swap frees the blocks of one unit and then allocates those of another, and nothing else.
#[test]
fn a_swap_frees_one_unit_and_allocates_another() {
    let trace = trace(&[("calls", "60")]);
    let needs: Vec<Vec<u64>> = [Unit::Control, Unit::Answer, Unit::Training]
        .into_iter()
        .chain(Unit::MODULATIONS)
        .map(|unit| unit.needs().to_vec())
        .collect();
    let label = |text: &str| trace.labels.iter().position(|known| known == text).map(|index| index as u32);
    let (begins, ends) = (label("swap"), label("swapped"));
    let mut sizes = HashMap::new();
    let (mut freed, mut taken, mut swapping, mut swaps) = (Vec::new(), Vec::new(), false, 0);
    for event in &trace.events {
        match event.action {
            Action::Mark { label } if Some(label) == begins => {
                (freed, taken, swapping) = (Vec::new(), Vec::new(), true);
            }
            Action::Mark { label } if Some(label) == ends => {
                assert!(needs.contains(&freed) && needs.contains(&taken), "{freed:?} for {taken:?}");
                (swapping, swaps) = (false, swaps + 1);
            }
            Action::Allocate { id, size, .. } => {
                sizes.insert(id, size.0);
                taken.push(size.0);
            }
            Action::Free { id } => {
                assert!(!swapping || taken.is_empty(), "frees come first");
                freed.push(sizes[&id]);
            }
            _ => {}
        }
    }
    assert!(!swapping && swaps >= 60 * 3, "{swaps}");
}

#[test]
fn blocks_are_whole_words() {
    let units = [Unit::Control, Unit::Answer, Unit::Training].into_iter().chain(Unit::MODULATIONS);
    let above = [Unit::FRAMINGS, Unit::CORRECTIONS, Unit::COMPRESSIONS].concat();
    for unit in units.chain(above) {
        assert!(unit.needs().iter().all(|size| size % 4 == 0), "{}", unit.name());
    }
}
