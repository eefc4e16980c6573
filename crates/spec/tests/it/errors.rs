//! What a person reads when a spec is wrong.
//!
//! Each test shows the whole text of a family of errors, and so pins column, wording and
//! alternatives. `INSTA_UPDATE=always cargo test -p heapsmith-spec` writes them anew.

use heapsmith_spec::{Spec, SpecError, resolve};

/// The errors of the texts, one under the other.
fn errors(texts: &[&str]) -> String {
    drawn(texts, |text| text.parse())
}

fn drawn(texts: &[&str], read: impl Fn(&str) -> Result<Spec, SpecError>) -> String {
    let drawn = texts.iter().map(|text| match read(text) {
        Ok(spec) => panic!("`{text}` was read as `{spec}`"),
        Err(error) => error.to_string(),
    });
    drawn.collect::<Vec<_>>().join("\n\n")
}

#[test]
fn characters_that_belong_nowhere() {
    insta::assert_snapshot!(errors(&[
        "list(order=lifo; fit=first)",
        "list(fit=besté)",
        "freelists(8..16) list",
        "freelists(8...16) list",
        "list(split>512)",
        "list\nlist",
        "list word=\u{1b}4",
        "\t(list)",
    ]));
}

#[test]
fn numbers_that_are_none() {
    insta::assert_snapshot!(errors(&[
        "freelists(4k) list",
        "freelists(0x10) list",
        "freelists(99999999999999999999) list",
        "freelists(16, magazine=99999999999) list",
        "list(split>=18014398509481984K)",
        "freelists(64..=) list",
        "list(split>=some)",
    ]));
}

#[test]
fn layers_pool_and_options_out_of_order() {
    insta::assert_snapshot!(errors(&[
        "",
        "   # only a comment",
        "freelists(66)",
        "freelists(8) freelists(16) list",
        "list list",
        "list freelists(66)",
        "list 7",
        "list) word=4",
        "(list)",
        "list word=4 word=8",
        "word=4 list",
    ]));
}

#[test]
fn parentheses_that_do_not_match() {
    insta::assert_snapshot!(errors(&[
        "list(order=lifo",
        "list(order=lifo, fit=best(30%",
        "freelists(66,1514 list",
        "list()",
        "freelists() list",
        "bins()",
        "list(fit=best())",
        "freelists list",
        "bins",
        "list(order=lifo,)",
        "freelists(66,) list",
        "list(order=lifo fit=first)",
        "list(order=lifo # unfinished",
    ]));
}

#[test]
fn words_that_are_not_known() {
    insta::assert_snapshot!(errors(&[
        "lst(order=lifo)",
        "List",
        "heap(red-black)",
        "list(ordr=lifo)",
        "list(order=addres)",
        "list(fit=exact)",
        "list(colaesce=never)",
        "list(coalesce=every_call)",
        "list(order=lifo, tags=yes)",
        "list wrod=4",
        "bins(lea, fit=best)",
        "freelists(66, fit=best) list",
    ]));
}

#[test]
fn keys_and_signs() {
    insta::assert_snapshot!(errors(&[
        "list(fit=first, fit=best)",
        "list(split=always, split>=512)",
        "list(order lifo)",
        "list(order>=lifo)",
        "list(split 512)",
        "list(split=512)",
        "list(lifo)",
        "list(fit=first(30%))",
        "list(fit=best(30))",
        "bins(exact 16..=512)",
        "bins(exact 16..=512 step 16, then)",
        "bins(order=size)",
        "classes(64, then 4096)",
        "freelists(8..=64 steps 8) list",
        "freelists(8 16) list",
    ]));
}

#[test]
fn sizes_that_make_no_lists() {
    insta::assert_snapshot!(errors(&[
        "freelists(66,0) list",
        "freelists(66,16..=8) list",
        "freelists(8..=64 step 0) list",
        "freelists(8..=60 step 8) list",
        "freelists(16..=100 double) list",
        "freelists(16..=100 double(4)) list",
        "freelists(20..=40 double(8)) list",
        "freelists(64..=128 double(0)) list",
        "freelists(66,64..=128 step 8) list",
        "freelists(8,16,20,18..=24) list",
        "freelists(66,66) list",
        "freelists(1..=1025 step 1) list",
        "freelists(1..=18446744073709551615 step 1) list word=8",
        "bins(exact 8..=16384 step 8)",
        "bins(log(3))",
        "bins(log, tries=0)",
        "bins(log, tries=some)",
        "bins(log, tries)",
        "bins(log, order=size, tries=4)",
        "bins(log, tries=all, each=tree)",
        "bins(log(300))",
    ]));
}

#[test]
fn sizes_that_make_no_classes() {
    insta::assert_snapshot!(errors(&[
        "classes(8..=16)",
        "classes(64,32)",
        "classes(64,64..=256 double)",
        "classes(64, then step 0)",
    ]));
}

#[test]
fn layers_that_do_not_go_together() {
    insta::assert_snapshot!(errors(&[
        "freelists(64, flush=bounded(0)) list",
        "freelists(64, flush=bounded(5000)) list",
        "freelists(64, flush=some) list",
        "freelists(64, flush=bounded) list",
        "freelists(64, flush=bounded(8)) list threads=lists",
        "freelists(64, magazine=0) list",
        "freelists(64, magazine=20000) list",
        "freelists(64, magazine) list",
        "freelists(64, magazine=8, order=fifo) list",
        "freelists(64, magazine=8) list threads=lists",
        "freelists(64) stack",
        "freelists(64) bump",
        "freelists(64) guard list",
        "guard stack",
        "guard(quarantine=0) fixed(16)",
        "reserve(high=1%) guard(quarantine=0) classes(12)",
        "guard tlsf(largest=8)",
        "reserve(high=10%) bump(reclaim=empty)",
        "zero zero list",
        "guard(quarantine=100000) list",
        "reserve(high=0%) list",
        "reserve list",
        "fixed(0)",
        "fixed",
        "fixed(64K) word=2",
        "bump(reclaim=often)",
    ]));
}

#[test]
fn regions_that_cannot_be() {
    insta::assert_snapshot!(errors(&[
        "regions list",
        "regions() list",
        "regions(16K) list",
        "regions(sram) list",
        "regions(sram()) list",
        "regions(sram(16K) psram(1M)) list",
        "regions(sram(16K, cost)) list",
        "regions(sram(16K, speed=2)) list",
        "regions(sram(16K, cost=2, cost=3)) list",
        "regions(sram(16K, cost=0)) list",
        "regions(sram(16K, cost=20000)) list",
        "regions(sram(16K, up-to=0)) list",
        "regions(sram(0)) list",
        "regions(sram(1000), psram(1M)) list align=16",
        "regions(sram(64K)) list word=2",
        "regions(PSRAM-1(1M)) list",
        "regions(a(1K), b(1K), a(2K)) list",
        "regions(a(1K), b(1K), c(1K), d(1K), e(1K), f(1K), g(1K), h(1K), i(1K)) list",
        "guard regions(sram(16K), psram(1M)) list",
        "regions(sram(16K)) regions(psram(1M)) list",
        "regions(sram(16K), psram(1M))",
        "regions(sram(16K), psram(1M)) stack",
        "regions(sram(16K), psram(1M)) buddy(knuth, defragment=on-demand)",
        "regions(sram(16K), psram(1M)) list threads=each",
        "regions(sram(16K), psram(1M)) freelists(64) list threads=lists",
    ]));
}

#[test]
fn sizes_beyond_the_region() {
    insta::assert_snapshot!(errors(&[
        "freelists(33000) list word=2",
        "list(split>=64K) word=2",
        "list(coalesce>=4294967297)",
        "classes(64, then step 64K) word=2",
        "freelists(8..=131072 double) list word=2",
        "list(split>=72057594037927937) word=8",
    ]));
}

#[test]
fn levels_and_options_out_of_range() {
    insta::assert_snapshot!(errors(&[
        "list(fit=best(0%))",
        "list(fit=best(300%))",
        "list word=3",
        "list word=four",
        "list align=12",
        "list align=0",
        "list align=2",
        "list align=4 word=8",
        "list align=8192",
        "list align=4294967304",
        "list purge=now",
        "list purge=after",
        "list purge=after()",
        "list purge=after(0)",
        "list purge=never purge=top",
        "list huge=on",
        "list huge=from",
        "list huge=from()",
        "list huge=off huge=from(2M)",
        "list threads=two",
        "list threads=lists",
        "freelists(64, order=fifo) list threads=lists",
        "guard freelists(64) list threads=lists",
        "freelists(64) list word=8 align=16 threads=owned",
        "zero spans(16..=64 step 16) list word=8 align=16 threads=owned",
    ]));
}

#[test]
fn names_that_are_not_in_the_catalogue() {
    insta::assert_snapshot!(drawn(&["windows-xq", "uclinux word=8", "lea-2.7.2 list", "lisst(fit=best)"], resolve));
    insta::assert_snapshot!(errors(&["windows-xp"]));
}

#[test]
fn a_long_text_is_cut_around_the_column() {
    let sizes: Vec<_> = (1..=60).map(|i| (i * 16).to_string()).collect();
    let at_the_end = format!("freelists({}) list(oder=lifo)", sizes.join(","));
    let in_the_middle = at_the_end.replace(",480,", ",480;");
    let at_the_start = format!("x{at_the_end}");
    insta::assert_snapshot!(errors(&[&at_the_end, &in_the_middle, &at_the_start]));
}

#[test]
fn buddies_and_pages_that_cannot_be() {
    insta::assert_snapshot!(errors(&[
        "buddy",
        "buddy(fibonacci)",
        "buddy(knuth, defragment=always)",
        "buddy(knuth, glue=bounded(4))",
        "buddy(estranged, glue=bounded(2000000))",
        "buddy(knuth, grow=before-gluing)",
        "buddy(estranged, start=one-block, grow=before-gluing)",
        "freelists(16) buddy(knuth, start=one-block)",
        "reserve buddy(knuth, start=one-block)",
        "pages(page=3000)",
        "pages(page=65536) word=2",
        "pages(min=4096)",
        "pages(min=4) word=8",
        "pages(search=software)",
        "pages(order=fifo)",
        "pages(retain=70000)",
        "freelists(16) pages",
        "freelists(16) buddy(knuth, defragment=on-demand)",
        "guard freelists(16) pages",
        "zero freelists(16) buddy(estranged, defragment=on-demand)",
    ]));
}

#[test]
fn units_that_cannot_be_reached() {
    for (text, column, why) in [
        ("pages(search=hardware(custom1))", 23, "`custom1` where a way to reach the unit is needed"),
        ("pages(search=hardware(mmio))", 27, "`)` where `=` is needed"),
        ("pages(search=hardware(mmio=custom0))", 28, "`custom0` where an address is needed"),
        ("pages(search=hardware(mmio=0x40000002))", 23, "at a multiple of 4, not at 0x40000002"),
        ("pages(search=hardware(custom0)) word=8", 23, "words of 32 bits: add word=4"),
        ("pages(page=65536, min=16, search=hardware(mmio=0x40000000))", 43, "for 2048 objects a page, not for 4096"),
    ] {
        let error = text.parse::<Spec>().expect_err(text).to_string();
        assert!(error.contains(why) && error.contains(&format!("at column {column}\n")), "{error}");
    }
}

#[test]
fn heaps_that_cannot_be_checked() {
    insta::assert_snapshot!(errors(&[
        "buddy(knuth, defragment=on-demand) check=header",
        "freelists(64) buddy(estranged) check=header",
        "pages(page=4096, min=16, search=hardware) word=8 check=header align=16",
        "pages(page=4096, min=16, search=word, info=page) check=header",
        "fixed(64) check=header",
        "stack check=header",
        "zero bump check=header",
        "freelists(64) list threads=lists check=header",
        "list check=all",
        "fixed(64) check=full",
        "zero bump check=full",
        "freelists(64,0) list check=full",
        "freelists(64) list threads=lists check=full",
        "list check",
        "list check=off check=header",
    ]));
}
