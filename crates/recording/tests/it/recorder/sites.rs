//! Call sites: the right function and line with debug information, module and address without.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::programs::{Bench, words};
use heapsmith_recording::{Recorded, Symbols};
use heapsmith_trace::Action;

/// Requests and bytes of every site, by its name for people.
pub fn by_name(recorded: &Recorded) -> BTreeMap<String, (u64, u64)> {
    let mut symbols = Symbols::new(&recorded.trace.origin.modules);
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for event in &recorded.trace.events {
        if let (Some(site), Action::Allocate { size, .. } | Action::Reallocate { size, .. }) =
            (event.site, event.action)
        {
            let sum = sums.entry(symbols.name(&recorded.trace.sites[site as usize])).or_default();
            *sum = (sum.0 + 1, sum.1 + size.0);
        }
    }
    sums
}

fn with_sites(bench: &Bench, command: &[OsString], frames: u8) -> Recorded {
    let status = bench.start_with_sites(command, frames).wait().expect("the program ends");
    assert!(status.success());
    // Where the program is started by a script, that leaves a recording too.
    bench.recorded().into_iter().max_by_key(|recorded| recorded.events).expect("a recording")
}

#[test]
fn sites_are_named_by_function_and_line_and_count_what_was_asked_for() {
    let bench = Bench::new();
    let program = bench.compile_with("sites.c", &["-g".as_ref(), "-fno-optimize-sibling-calls".as_ref()]);
    let names = by_name(&with_sites(&bench, &[program], 2));
    let expected = [
        ("token (sites.c:5) < parse (sites.c:9) < main (sites.c:19)", (100, 100_000)),
        ("render (sites.c:13) < main (sites.c:20)", (10, 500_000)),
        ("render (sites.c:14) < main (sites.c:20)", (10, 1_000_000)),
    ];
    for (name, sum) in expected {
        assert_eq!(names.get(name), Some(&sum), "{name} in {names:#?}");
    }
}

#[test]
fn one_frame_is_the_caller_alone() {
    let bench = Bench::new();
    let program = bench.compile_with("sites.c", &["-g".as_ref(), "-fno-optimize-sibling-calls".as_ref()]);
    let names = by_name(&with_sites(&bench, &[program], 1));
    assert_eq!(names.get("token (sites.c:5) < parse (sites.c:9)"), Some(&(100, 100_000)), "{names:#?}");
}

#[test]
fn a_stripped_program_has_module_and_address() {
    let bench = Bench::new();
    let program = bench.compile_with("sites.c", &["-s".as_ref(), "-fno-optimize-sibling-calls".as_ref()]);
    let names = by_name(&with_sites(&bench, &[program], 2));
    let of_parse: Vec<&String> =
        names.iter().filter(|(_, sum)| **sum == (100, 100_000)).map(|(name, _)| name).collect();
    assert_eq!(of_parse.len(), 1, "{names:#?}");
    assert!(of_parse[0].split(" < ").all(|frame| frame.starts_with("sites+0x")), "{of_parse:?}");
}

#[test]
fn a_file_that_was_built_anew_names_nothing() {
    let bench = Bench::new();
    let program = bench.compile_with("sites.c", &["-g".as_ref()]);
    let recorded = with_sites(&bench, &[program], 2);
    bench.compile_with("sites.c", &["-g".as_ref(), "-O0".as_ref()]);
    let names = by_name(&recorded);
    assert!(names.keys().all(|name| !name.contains("sites.c")), "{names:#?}");
    assert!(names.keys().any(|name| name.contains("sites+0x")), "{names:#?}");
}

#[test]
fn without_being_asked_for_there_are_none() {
    let bench = Bench::new();
    let program = bench.compile("sites.c");
    let recorded = with_sites(&bench, &[program], 0);
    assert!(recorded.trace.sites.is_empty() && recorded.trace.origin.modules.is_empty());
    assert!(recorded.trace.events.iter().all(|event| event.site.is_none()));
}

#[test]
fn a_real_program_has_a_site_for_almost_every_request_several_frames_deep() {
    let bench = Bench::new();
    let recorded = with_sites(&bench, &words(&["python3", "-c", "x = [str(n) * 300 for n in range(3000)]"]), 6);
    let asks = |action| matches!(action, Action::Allocate { .. } | Action::Reallocate { .. });
    let requests = recorded.trace.events.iter().filter(|event| asks(event.action));
    let (mut all, mut with, mut deep) = (0, 0, 0);
    for event in requests {
        all += 1;
        let Some(site) = event.site else { continue };
        with += 1;
        deep += usize::from(recorded.trace.sites[site as usize].split(" < ").count() >= 3);
    }
    assert!(all > 3000 && with * 100 >= all * 99 && deep * 100 >= all * 95, "{deep} deep, {with} of {all}");
    let names = by_name(&recorded);
    assert!(names.keys().any(|name| name.contains("Py")), "{:?}", names.keys().take(20).collect::<Vec<_>>());
}

#[test]
fn threads_and_forked_children_name_their_own_sites() {
    for source in ["threads.c", "forks.c"] {
        let bench = Bench::new();
        let program = bench.compile(source);
        bench.start_with_sites(&[program], 4).wait().expect("the program ends");
        for recorded in bench.recorded() {
            let sited = recorded.trace.events.iter().filter(|event| event.site.is_some()).count();
            assert!(sited > 0, "{source}: {}", recorded.process);
            assert!(
                recorded.trace.sites.iter().all(|name| name.contains("+0x")),
                "{source}: {:?}",
                recorded.trace.sites
            );
        }
    }
}
