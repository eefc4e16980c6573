//! Which texts say the same heap, and how it is printed.

use heapsmith_spec::{
    BinLayout, Bins, BlockFactors, Classes, Coalescing, Fit, FreeLists, Layer, List, ListOrder, Order, Pool, Sizes,
    Spec, Splitting, WordSize,
};

fn parsed(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn canonical(text: &str) -> String {
    parsed(text).to_string()
}

#[test]
fn a_bare_list_is_the_default_list() {
    assert_eq!(parsed("list"), Spec::new(Pool::List(List::default())));
    assert_eq!(canonical("list"), "list(order=address, fit=first, split=always, coalesce=immediate)");
}

#[test]
fn keys_come_in_any_order_and_print_in_one() {
    assert_eq!(
        canonical("list(coalesce>=512,split>=512,fit=best(30%),order=fifo)"),
        "list(order=fifo, fit=best(30%), split>=512, coalesce>=512)"
    );
}

#[test]
fn defaults_that_were_written_out_are_not_printed() {
    assert_eq!(canonical("list(tags=on) word=4 align=4"), canonical("list"));
    assert_eq!(
        canonical("freelists(66,order=lifo) list"),
        "freelists(66) list(order=address, fit=first, split=always, coalesce=immediate)"
    );
    assert_eq!(canonical("list(fit=best(100%))"), canonical("list(fit=best)"));
    assert_eq!(
        canonical("bins(exact 16..=512 step 16, then log(4))"),
        "bins(exact 16..=512 step 16, then log, order=lifo, split=always, coalesce=immediate)"
    );
}

#[test]
fn what_is_not_the_default_is_printed() {
    for text in [
        "freelists(66,1514, order=fifo) \
         list(order=implicit, fit=worst, split=never, coalesce=deferred, tags=off) word=2 align=16",
        "bins(lea, order=size, split>=64, coalesce=every-call, tags=off) word=8 align=4096",
        "bins(log(8), order=fifo, split=always, coalesce=never) align=8",
        "bins(lea, order=lifo, tries=all, split=always, coalesce=immediate)",
        "bins(log, order=fifo, tries=3, split=always, coalesce=immediate)",
        "reserve(high=10%) guard(quarantine=16) zero freelists(64) bins(lea, order=lifo, split=always, coalesce=never)",
        "regions(sram(16384, up-to=256), psram(1048576, cost=8)) guard(quarantine=0) bump align=16",
        "zero guard(quarantine=0) stack word=2",
        "bump",
        "bump(reclaim=empty) align=8",
        "fixed(48) word=8",
        "freelists(8..=16,32..=64 step 8) classes(24,32..=4096 double, then step 4096)",
        "freelists(66) buddy(estranged) word=2",
        "freelists(66, flush=bounded(8), magazine=64) list(order=lifo, fit=first, split=always, coalesce=immediate) threads=each",
        "buddy(knuth, defragment=on-demand) align=64",
        "pages(page=4096, min=16, search=hardware)",
        "pages(page=4096, min=16, search=hardware(custom0))",
        "pages(page=1024, min=16, search=hardware(mmio=0x40000000), order=address)",
        "freelists(66) classes(64,128) word=8 align=16 threads=each check=header",
        "buddy(estranged, start=one-block, glue=bounded(8), defragment=on-demand)",
        "buddy(estranged, glue=bounded(0), grow=before-gluing)",
        "pages(page=4096, min=16, search=linear)",
        "pages(page=4096, min=16, search=linear, order=phk, info=page, retain=16, resize=off)",
    ] {
        assert_eq!(canonical(text), text);
    }
}

#[test]
fn spaces_and_comments_do_not_matter() {
    let spaced = "  freelists ( 66 , 1514 )\tlist ( fit = best ( 30 % ) )  word = 8 # XP (?) \n";
    assert_eq!(parsed(spaced), parsed("freelists(66,1514)list(fit=best(30%))word=8"));
}

#[test]
fn suffixes_are_read_and_printed_as_plain_numbers() {
    assert_eq!(canonical("classes(16..=4K double, then step 4K)"), "classes(16..=4096 double, then step 4096)");
    assert_eq!(parsed("list(split>=1M)"), parsed("list(split>=1048576)"));
}

#[test]
fn the_word_decides_the_alignment_unless_one_is_given() {
    assert_eq!(parsed("list word=8").alignment, 8);
    assert_eq!(parsed("list align=16 word=8").alignment, 16);
    assert_eq!(parsed("list align=4K").alignment, 4096);
    assert_eq!(parsed("list align=2 word=2").word, WordSize::Two);
}

#[test]
fn every_part_arrives_in_the_data() {
    let spec = parsed(
        "freelists(66,8..=16,32..=64 step 16,256..=512 double,1024..=3584 double(4), order=fifo) \
         list(order=lifo, fit=best(30%), split>=100, remainder=72, coalesce>=200, tags=off) word=8 align=32",
    );
    let sizes = [
        Sizes::One(66),
        Sizes::Range { from: 8, to: 16 },
        Sizes::Steps { from: 32, to: 64, step: 16 },
        Sizes::Doubles { from: 256, to: 512, parts: 1 },
        Sizes::Doubles { from: 1024, to: 3584, parts: 4 },
    ];
    let list = List {
        order: ListOrder::Lifo,
        fit: Fit::Best { depth: 30 },
        factors: BlockFactors {
            split: Splitting::From(100),
            remainder: 72,
            coalesce: Coalescing::From(200),
            tags: false,
        },
    };
    assert_eq!(spec.pool, Pool::List(list));
    let Layer::FreeLists(free_lists) = &spec.layers[0] else { panic!("not free lists") };
    assert_eq!((free_lists.order, &free_lists.sizes[..]), (Order::Fifo, &sizes[..]));
    assert_eq!((spec.word, spec.alignment), (WordSize::Eight, 32));
}

#[test]
fn data_is_held_to_the_same_rules_as_text() {
    let mut spec = Spec::new(Pool::Bins(Bins::new(BinLayout::Log { per_doubling: 3 })));
    assert_eq!(spec.validate().unwrap_err().column, "bins(log(".len() + 1);

    spec.pool = Pool::Classes(Classes::new([]));
    assert!(spec.validate().unwrap_err().message().contains("empty"));

    spec.pool = Pool::List(List { fit: Fit::Best { depth: 0 }, ..List::default() });
    assert!(spec.validate().is_err());

    spec.pool = Pool::List(List::default());
    assert_eq!(spec.validate(), Ok(()));
    spec.alignment = 0;
    assert!(spec.validate().is_err());
    spec.alignment = 4;
    spec.layers = vec![Layer::FreeLists(FreeLists::new([Sizes::One(8), Sizes::One(8)]))];
    assert_eq!(spec.validate().unwrap_err().column, "freelists(8,".len() + 1);
}

#[test]
fn a_heap_may_have_as_many_lists_as_allowed() {
    assert_eq!(parsed("freelists(1..=1024 step 1) list").layers.len(), 1);
}
