//! The heaps that are tried: the catalogue, those of firmware, and a heap of every kind of pool and layer that it lacks.

use heapsmith_spec::{catalogue, firmware};

/// Kinds of pools and layers, each in the word that it is most often used with, some in others.
const KINDS: &[&str] = &[
    "list(order=lifo, fit=best(30%), split>=100, coalesce>=100)",
    "list(order=fifo, fit=next, remainder=48, coalesce=deferred)",
    "list(order=address, fit=best) word=8",
    "list(order=lifo, fit=first) word=2",
    "freelists(16,66,1514, order=fifo) list(coalesce=deferred)",
    "bins(lea)",
    "bins(lea, order=fifo, coalesce=deferred, tags=off)",
    "bins(log, order=size)",
    "bins(log(16), order=lifo)",
    "bins(exact 16..=512 step 16, then log) word=8",
    "bins(exact 16..=512 step 16, order=fifo, coalesce=every-call)",
    "bins(log, each=tree)",
    "bins(log(2), each=skiplist, coalesce=deferred)",
    "classes(24, 100, 1000, then step 1024)",
    "tree(red-black, tags=off)",
    "tree(red-black, split>=100, coalesce=deferred) word=8",
    "tree word=2",
    "skiplist(seed=7, coalesce=every-call)",
    "skiplist(split>=100, remainder=128, coalesce>=100) word=8",
    "tlsf(second-level=3, largest=8192) word=8",
    "tlsf(second-level=1) word=2",
    "tlsf(largest=region)",
    "freelists(40,100) tlsf(second-level=6, largest=region) word=8",
    "freelists(16,100,1476, order=fifo, flush=bounded(4)) tlsf",
    "half-fit word=8",
    "buddy(knuth) word=8",
    "buddy(estranged) word=2",
    "buddy(knuth, start=one-block)",
    "buddy(estranged, start=one-block) word=8",
    "zero buddy(estranged, start=one-block, glue=bounded(3)) word=2",
    "buddy(estranged, glue=bounded(3))",
    "buddy(estranged, grow=before-gluing)",
    "buddy(knuth, start=one-block, defragment=on-demand)",
    "buddy(estranged, start=one-block, glue=bounded(0), defragment=on-demand)",
    "freelists(16,100,1476) buddy(estranged, glue=bounded(3), grow=before-gluing)",
    "buddy(knuth, defragment=on-demand)",
    "buddy(estranged, defragment=on-demand)",
    "freelists(16,100,1476) buddy(knuth)",
    "pages(page=4096, min=16, search=word)",
    "pages(page=4096, min=16, search=tree)",
    "pages(page=4096, min=16, search=hardware)",
    "pages(page=512, min=8, search=word) word=8",
    "pages(page=512, min=8, search=linear, order=phk, info=page, retain=2, resize=off)",
    "pages(page=1024, min=16, search=hardware, order=address, info=page) word=8",
    "chunks(header=5, index=lifo, fit=first, sizes=powers, remainder=12) word=8",
    "chunks(header=tags, index=address, fit=best) word=2",
    "chunks(header=tags, index=address, fit=first, ends>=64)",
    "chunks(header=3, index=address, fit=first, remainder=12, ends>=30) word=2",
    "chunks(header=tags, index=rings, unit=16, coalesce=never)",
    // The smallest remainder still has room for its boundary tag.
    "chunks(header=tags, index=address, fit=first, remainder=1)",
    "bitmap",
    "bitmap word=8 align=16",
    "bump(reclaim=empty)",
    "fixed(100) align=8",
    "spans(16..=512 step 16, span=4096) tlsf",
    "spans(16..=1024 double, span=16384, free=bitmap, next=lowest, empty=keep(1)) tree word=8",
    "spans(16..=1024 double, span=4096, free=bitmap, next=fullest, metadata=outside) buddy(knuth)",
    "spans(24,40,64, span=512, next=last, empty=keep(2)) freelists(16,100,1476) list word=2",
    "guard(quarantine=16) list",
    "zero bins(lea, each=tree)",
    "reserve(high=10%) list",
    "reserve(high=10%) guard(quarantine=16) zero freelists(64) list",
];

/// Kinds of regions, 60 KiB together at most: small and large ones first, with thresholds and without.
const IN_REGIONS: &[&str] = &[
    "regions(sram(4K, up-to=64), psram(56K, cost=8)) tlsf",
    "regions(tcm(1K, up-to=40), sram(8K, up-to=256), psram(32K, cost=8)) freelists(16,100,1476) list(fit=best) word=8",
    "regions(sram(12K), psram(16K, cost=8)) guard(quarantine=4) zero bins(lea) word=2",
    "regions(psram(32K, cost=8, up-to=2000), sram(16K, up-to=512)) reserve(high=10%) list(order=address) check=header",
    "regions(sram(8K, up-to=100), psram(32K)) spans(16..=128 step 16, span=1024) buddy(knuth)",
    "regions(sram(8K, up-to=100), psram(32K)) chunks(header=tags, index=address, fit=first, ends>=64)",
    "regions(sram(24K, up-to=256), psram(32K)) pages(page=4096, min=16, search=word)",
    "regions(sram(8K, up-to=100), psram(32K)) bitmap align=8",
    "regions(sram(2K, up-to=100), more(2K, up-to=100), psram(4K)) fixed(104) align=8",
];

/// Heaps in several regions, as specs.
pub fn heaps_in_regions() -> impl Iterator<Item = &'static str> {
    IN_REGIONS.iter().copied()
}

/// Every heap to try in one region, as a name of the catalogue or a spec.
pub fn heaps() -> impl Iterator<Item = &'static str> {
    catalogue().iter().chain(firmware()).map(|entry| entry.name).chain(KINDS.iter().copied())
}
