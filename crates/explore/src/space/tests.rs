use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

use super::*;

/// Requests of these sizes, this many of each.
fn trace(sizes: &[(u64, u64)]) -> PackedTrace {
    let mut trace = Trace::new(Origin::new("sizes", ""));
    let each = sizes.iter().flat_map(|&(size, count)| std::iter::repeat_n(size, count as usize));
    for (id, size) in each.enumerate() {
        let id = id as u64;
        trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        trace.events.push(Event::at(id, Action::Free { id }));
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

fn made(text: &str, sizes: &[(u64, u64)]) -> Vec<String> {
    let space = Space::of("a test", text, &[trace(sizes)]).unwrap_or_else(|error| panic!("{error}"));
    space.designs.iter().map(|design| design.spec.to_string()).collect()
}

fn refused(text: &str) -> String {
    Space::of("a test", text, &[trace(&[(8, 1)])]).expect_err("it is wrong").to_string()
}

#[test]
fn the_classic_space_is_the_product_of_its_levels() {
    let space = Space::classic(&[trace(&[(16, 50), (1476, 30), (40, 15), (600, 5)])]);
    assert_eq!(space.designs.len(), 10_000);
    let design = &space.designs[2099];
    assert_eq!(&*design.levels, [2, 0, 9, 9], "the levels' indexes are the digits of the number");
    assert_eq!(
        design.spec.to_string(),
        "freelists(16,1476) list(order=address, fit=first, split=always, coalesce=immediate)"
    );
    let recommended: Vec<u32> =
        space.designs.iter().filter(|design| space.families.is_recommended(design)).map(|d| d.number).collect();
    assert_eq!(recommended, [2099, 3099]);
    assert_eq!(space.families.level(design, "split"), Some("100"));
    assert!(space.unique().count() < 2000, "levels between the same two sizes are the same heap");
}

#[test]
fn a_request_that_no_word_of_four_bytes_holds_leaves_a_space() {
    let traces = [trace(&[(1 << 40, 9), (16, 1)])];
    let space = Space::of("programs", PROGRAMS, &traces).expect("the text is sound");
    assert!(space.designs.iter().all(|design| design.spec.to_string().parse().as_ref() == Ok(&design.spec)));
}

#[test]
fn each_space_of_ours_holds_the_one_before_and_the_wide_one_has_over_100_000_designs() {
    let traces = [trace(&[(16, 50), (1476, 30), (40, 15), (600, 5), (66, 40), (512, 30)])];
    let (wide, standard, classic) = (Space::wide(&traces), Space::standard(&traces), Space::classic(&traces));
    let programs = Space::of("programs", PROGRAMS, &traces).expect("the text is sound");
    assert_eq!(standard.designs[..10_000], classic.designs);
    assert_eq!(programs.designs[..standard.designs.len()], standard.designs);
    assert_eq!(wide.designs[..programs.designs.len()], programs.designs);
    let (host, board) = (Target::host(), Target::network_2006());
    assert_eq!([host, board].map(Space::usual), ["programs", "standard"]);
    let are_wider = |space: &Space| [host, board].map(|target| space.families.are_wider(target));
    assert_eq!(
        [&wide, &programs, &standard, &classic].map(are_wider),
        [[true; 2], [false, true], [false; 2], [false; 2]]
    );
    assert!(wide.designs.len() > 100_000, "{}", wide.designs.len());
    assert!(wide.designs.iter().all(|design| design.spec.to_string().parse().as_ref() == Ok(&design.spec)));
    let kinds: std::collections::HashSet<_> =
        wide.designs.iter().map(|d| std::mem::discriminant(&d.spec.pool)).collect();
    assert!(kinds.len() >= 9, "lists, bins, classes, trees, skip lists, TLSF, half-fit, buddies, pages");
}

#[test]
fn the_standard_space_holds_every_allocator_of_the_catalogue_that_is_no_single_list() {
    let standard = Space::standard(&[trace(&[(16, 50), (600, 5)])]);
    let specs: Vec<&Spec> = standard.designs[10_000..].iter().map(|design| &design.spec).collect();
    for entry in heapsmith_spec::catalogue() {
        let spec: Spec = entry.spec.parse().expect("a spec");
        let is_list = matches!(spec.pool, heapsmith_spec::Pool::List(_)) && entry.name != "windows-xp";
        // Heaps of the operating systems and papers of their time; the wide space has spans with factors of their own.
        let is_of_spans = spec.layers.iter().any(|layer| matches!(layer, Layer::Spans(_)));
        assert_eq!(specs.contains(&&spec), spec.pool.is_general() && !is_list && !is_of_spans, "{}", entry.name);
    }
    let whole = Space::for_target("standard", STANDARD, Target::host(), &[trace(&[(16, 50), (600, 5)])]);
    assert!(whole.expect("it suits").designs.iter().all(|design| design.spec.alignment == 16));
}

#[test]
fn every_design_has_the_alignment_that_is_asked_for() {
    for (name, bytes) in [("cortex-m", 4), ("cortex-m", 8), ("avr", 4), ("riscv32", 4)] {
        let target = Target::named(name).and_then(|target| target.with_alignment(bytes)).expect("a target");
        let space = Space::for_target("standard", STANDARD, target, &[trace(&[(16, 50), (600, 5)])]).expect("it suits");
        let other = space.designs.iter().find(|design| design.spec.alignment != bytes);
        assert_eq!(other, None, "{name} with {bytes}");
    }
}

#[test]
fn every_design_for_firmware_checks_what_its_structure_can() {
    let traces = [trace(&[(16, 50), (600, 5)])];
    let cortex_m = Target::named("cortex-m").expect("a target");
    for space in ["standard", "programs", "wide"] {
        let space =
            Space::for_target(space, Space::own_text(space).expect("ours"), cortex_m, &traces).expect("it suits");
        let unchecked = space.designs.iter().find(|design| {
            let has = |is: fn(&Layer) -> bool| design.spec.layers.iter().any(is);
            let lists = has(|layer| matches!(layer, Layer::FreeLists(_)));
            let cannot = has(|layer| matches!(layer, Layer::Spans(_)))
                || matches!(design.spec.pool, heapsmith_spec::Pool::Bitmap(_))
                || lists && matches!(design.spec.pool, heapsmith_spec::Pool::Buddy(_));
            cannot != (design.spec.check == Check::Off)
        });
        assert_eq!(unchecked.map(|design| design.spec.to_string()), None);
        let off = cortex_m.with_check(Check::Off);
        let off = Space::for_target("classic", CLASSIC, off, &traces).expect("it suits");
        assert!(off.designs.iter().all(|design| design.spec.check == Check::Off && design.spec.alignment == 8));
    }
    let text = "[[family]]\nname = \"levels\"\nheap = [\"tlsf\", \"tlsf check=off\"]\n[family.levels]\n\
                check = [\"off\", \"header\", \"full\"]\n";
    let wrong = Space::for_target("levels", text, cortex_m, &traces);
    assert!(wrong.is_err_and(|error| error.to_string().contains("check")), "an option is there once");
    let text = text.replace(", \"tlsf check=off\"", "");
    let space = Space::for_target("levels", &text, cortex_m, &traces).expect("what is written is taken");
    let specs: Vec<String> = space.designs.iter().map(|design| design.spec.to_string()).collect();
    let tlsf = "tlsf(second-level=5) align=8";
    let full = format!("guard(quarantine=16, pages=off) {tlsf} check=header");
    assert_eq!(specs, [tlsf.to_owned(), format!("{tlsf} check=header"), full]);
}

#[test]
fn no_factor_has_the_name_of_another_column() {
    let columns =
        heapsmith_replay::Measures::COLUMNS.iter().copied().chain(["number", "on_front", "heap", "trace", "family"]);
    let columns: Vec<&str> = columns.collect();
    for text in [STANDARD, PROGRAMS, WIDE] {
        let families = Families::of(text).expect("ours");
        assert_eq!(families.factors().into_iter().find(|name| columns.contains(name)), None);
    }
}

#[test]
fn levels_become_bytes_of_the_traces() {
    let text = r#"
        [[family]]
        name = "two"
        heap = ["list(order=lifo)", "tree(red-black)"]
        [family.levels]
        freelists = [1, "saved 1"]
        split = [30, "never"]
        align = ["word", 16]
    "#;
    // 30% of the requests have 1000 bytes; most have 20, and most bytes go through those of 1000.
    let specs = made(text, &[(20, 7), (1000, 3)]);
    assert_eq!(specs.len(), 16);
    assert_eq!(specs[0], "freelists(20) list(order=lifo, fit=first, split>=1000, coalesce=immediate)");
    assert_eq!(specs[1], "freelists(20) list(order=lifo, fit=first, split>=1000, coalesce=immediate) align=16");
    assert_eq!(specs[4], "freelists(1000) list(order=lifo, fit=first, split>=1000, coalesce=immediate)");
    assert_eq!(specs[8 + 2], "freelists(20) tree(red-black, fit=best, split=never, coalesce=immediate)");
}

/// Blocks of these sizes, one after another, each live for this many operations.
fn lived(sizes: &[(u64, u64)]) -> PackedTrace {
    let mut trace = Trace::new(Origin::new("lived", ""));
    for (id, &(size, operations)) in sizes.iter().enumerate() {
        let id = id as u64;
        trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        for _ in 1..operations {
            trace.events.push(Event::at(id, Action::Reallocate { id, size: Bytes(size) }));
        }
        trace.events.push(Event::at(id, Action::Free { id }));
    }
    PackedTrace::new(&trace).expect("a sound trace")
}

#[test]
fn optimal_lists_serve_every_size_and_waste_the_fewest_live_bytes() {
    let text = |levels: &str| format!("[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\n{levels}");
    let made = |levels: &str, traces: &[PackedTrace]| -> Vec<String> {
        let space = Space::of("a test", &text(levels), traces).unwrap_or_else(|error| panic!("{error}"));
        space.designs.iter().map(|design| design.spec.to_string()).collect()
    };
    let one = lived(&[(16, 50), (24, 40), (40, 1), (64, 10), (1000, 2)]);
    let levels = "freelists = [\"optimal 0\", \"optimal 1\", \"optimal 4\", \"optimal 9\"]";
    let specs = made(levels, std::slice::from_ref(&one));
    let starts = ["list(", "freelists(1..=1000) list(", "freelists(1..=16,17..=24,25..=64,65..=1000) list("];
    assert!(specs.iter().zip(starts).all(|(spec, start)| spec.starts_with(start)), "{specs:?}");
    assert!(specs[3].starts_with("freelists(1..=16,17..=24,25..=40,41..=64,65..=1000) list("), "{specs:?}");
    // In another trace blocks of 40 bytes live long, and those of 24 do not: together 16 and 24 share a list.
    let other = lived(&[(40, 300), (900, 1)]);
    let both = made("freelists = \"optimal 4\"", &[one.clone(), other.clone()]);
    assert!(both[0].starts_with("freelists(1..=24,25..=40,41..=64,65..=1000) list("), "{both:?}");
    assert_eq!(both, made("freelists = \"optimal 4\"", &[other, one]), "the order of the traces is no matter");
    // Blocks of 13 to 28 bytes are one size where blocks are multiples of 16; the list reaches to the largest request.
    let small = lived(&[(13, 9), (20, 9), (28, 9), (29, 9), (44, 2), (60, 9)]);
    let aligned = made("freelists = [\"optimal 3\", \"saved 3\"]\nalign = 16", &[small]);
    assert!(aligned[0].starts_with("freelists(1..=28,29..=44,45..=60) list("), "{aligned:?}");
    assert!(aligned[1].starts_with("freelists(13,29,60) list("), "{aligned:?}");
    // No block of two-byte words holds 100,000 bytes, so no list is for them.
    let large = lived(&[(16, 5), (100_000, 5)]);
    let narrow = made("freelists = \"optimal 3\"\nword = 2", &[large]);
    assert!(narrow[0].starts_with("freelists(1..=16) list("), "{narrow:?}");
}

#[test]
fn lists_up_to_a_size_are_one_for_every_block_size_of_the_heap() {
    let text = |heap: &str, levels: &str| {
        format!("[[family]]\nname = \"a\"\nheap = \"{heap}\"\n[family.levels]\nfreelists = \"up to 1024\"\n{levels}")
    };
    let spec = |heap: &str, levels: &str| made(&text(heap, levels), &[(16, 5), (600, 5)]).remove(0);
    assert!(
        spec("list", "").starts_with("freelists(12..=1024 step 4) list("),
        "a block has 16 bytes at least, one of them a header"
    );
    assert!(
        spec("list", "align = 16").starts_with("freelists(12..=1036 step 16) list("),
        "a header of 4 bytes is in the block"
    );
    assert!(
        spec("list", "word = 8\nalign = 16").starts_with("freelists(24..=1032 step 16) list("),
        "two links and a tag: 32 bytes"
    );
    let buddies = spec("buddy(knuth)", "");
    assert!(buddies.starts_with("freelists(12,28,60,124,252,508,1020,2044) buddy("), "{buddies}");
}

#[test]
fn optimal_lists_are_a_level_of_every_heap_that_has_free_lists() {
    let trace = lived(&[(16, 50), (24, 40), (40, 1), (64, 10), (1000, 2)]);
    let text = WIDE.replace("\"saved ", "\"optimal ");
    for target in ["network-2006", "host", "cortex-m", "avr"] {
        let target = Target::named(target).expect("a target");
        let space = Space::for_target("a test", &text, target, std::slice::from_ref(&trace)).expect("it suits");
        let optimal = |design: &&Design| {
            space.families.level(design, "freelists").is_some_and(|level| level.starts_with("optimal"))
        };
        let designs: Vec<&Design> = space.designs.iter().filter(optimal).collect();
        assert!(designs.len() > 1000, "{}", designs.len());
        for design in designs {
            let spec = design.spec.to_string();
            assert!(spec.starts_with("freelists(1..=") && spec.contains("..=1000) "), "{spec}");
            assert_eq!(spec.parse().as_ref(), Ok(&design.spec));
        }
    }
}

#[test]
fn classes_are_those_of_spans_before_the_pool() {
    let made = |heap: &str, levels: &str, target: &str, traces: &[PackedTrace]| -> Vec<String> {
        let text = format!("[[family]]\nname = \"a\"\nheap = \"{heap}\"\n[family.levels]\n{levels}");
        let target = Target::named(target).expect("a target");
        let space = Space::for_target("a test", &text, target, traces).unwrap_or_else(|error| panic!("{error}"));
        space.designs.iter().map(|design| design.spec.to_string()).collect()
    };
    let one = lived(&[(16, 50), (24, 40), (40, 1), (64, 10), (1000, 2)]);
    let levels =
        "classes = [\"off\", \"optimal 0\", \"optimal 2\", \"16..=64 step 16\"]\nspan = 1024\nnext = \"fullest\"";
    let specs = made("list", levels, "network-2006", std::slice::from_ref(&one));
    let starts =
        ["list(", "list(", "spans(24,64, span=1024, next=fullest) list(", "spans(16..=64 step 16, span=1024, "];
    assert!(specs.iter().zip(starts).all(|(spec, start)| spec.starts_with(start)), "{specs:?}");
    // What a span holds fewer than eight of is the pool's; blocks are multiples of the alignment.
    let small = made("list", "classes = \"optimal 9\"\nspan = 256", "host", std::slice::from_ref(&one));
    assert!(small[0].starts_with("spans(16,32, span=256) list("), "{small:?}");
    let none = made("list", "classes = \"optimal 9\"\nspan = 256", "host", &[lived(&[(40, 1)])]);
    assert!(none[0].starts_with("list("), "{none:?}");
    // Spans are in front of free lists, and take the place of checks.
    let both =
        made("tlsf", "freelists = 1\nclasses = \"optimal 1\"\nspan = 256", "cortex-m", std::slice::from_ref(&one));
    assert!(both[0].starts_with("spans(24, span=256) freelists(16) tlsf") && !both[0].contains("check"), "{both:?}");
    let pages = made("pages", "page = 4096\nmin = 16\nsearch = \"word\"", "host", &[one]);
    assert!(pages[0].starts_with("pages("), "{pages:?}");
    let refused =
        |levels: &str| refused(&format!("[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\n{levels}"));
    assert!(refused("classes = \"optimal many\"").contains("optimal 8"));
    assert!(refused("classes = \"64..=32\"").contains("spans(64..=32"));
    assert!(refused("span = 1024").contains("span"), "without classes it is no level");
}

#[test]
fn free_lists_of_a_range_are_for_sizes_that_no_trace_has() {
    let text = "[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\nfreelists = [\"16..=64 step 16\"]";
    let specs = made(text, &[(20, 7), (1000, 3)]);
    assert_eq!(specs.len(), 1);
    assert!(specs[0].starts_with("freelists(16..=64 step 16) list"), "{specs:?}");
    assert!(refused(&text.replace("step 16", "step 0")).contains("freelists(16..=64 step 0)"));
    let classic = Space::classic(&[trace(&[(20, 7), (1000, 3)])]);
    let lists = |number: usize| classic.designs[number].spec.to_string();
    assert!(lists(9099).starts_with("freelists(8..=512 step 8,528..=2048 step 16) list"), "{}", lists(9099));
    assert!(lists(8099).starts_with("freelists(20,1000) list"), "{}", lists(8099));
}

#[test]
fn a_popular_threshold_stays_where_sizes_change() {
    let text = "[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\nsplit = 50\ncoalesce = \"popular\"";
    // A parser of nodes and texts; its nodes have 40 bytes where pointers are narrower.
    let specs = made(text, &[(48, 60), (6, 40)]);
    assert_eq!(specs, ["list(order=address, fit=first, split>=48, coalesce>=24)"], "a percentage is the size itself");
    assert_eq!(made(text, &[(40, 60), (32, 40)]), ["list(order=address, fit=first, split>=40, coalesce=immediate)"]);
}

#[test]
fn what_is_wrong_with_a_space_is_named() {
    assert!(refused("families = 3").contains("unknown field `families`"));
    assert!(refused("[[family]]\nname = \"a\"\nheap = \"list\"\nlevel = 2").contains("unknown field `level`"));
    let error = refused("[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\norder = [\"lifo\", \"size\"]");
    assert!(error.contains("family \"a\" makes \"list(order=size)\"") && error.contains("lifo"), "{error}");
    let error = refused("[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\nfreelists = [\"many\"]");
    assert!(error.contains("\"saved 4\"") && error.contains("\"optimal 4\""), "{error}");
    for level in ["optimal", "optimal ", "optimal many", "optimal -1", "optimal 4 5", "best 4", "optimal4"] {
        let error =
            refused(&format!("[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\nfreelists = [{level:?}]"));
        assert!(error.contains(&format!("has freelists = {level:?}")), "{error}");
    }
    let error = refused("[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\nword = []");
    assert!(error.contains("has no level of word"), "{error}");
    let error = refused("[[family]]\nname = \"a\"\nheap = \"list\"\n[[family]]\nname = \"a\"\nheap = \"tree\"");
    assert!(error.contains("is there twice"), "{error}");
    let many = "[[family]]\nname = \"a\"\nheap = \"list\"\n[family.levels]\n".to_owned()
        + &["a", "b", "c", "d"].map(|key| format!("{key} = {:?}\n", (0..100).collect::<Vec<u32>>())).concat();
    assert!(refused(&many).contains("100000000 designs"));
}
