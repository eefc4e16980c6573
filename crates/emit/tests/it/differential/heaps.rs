//! The heaps that are compared: all that can be emitted of the catalogue and of random specs.

use heapsmith_emit::{EmitError, Extra, Name, Request, c};
use heapsmith_spec::{GuardPages, Layer, Spec, arbitrary, resolve};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A heap to compare.
#[derive(Clone)]
pub struct Heap {
    pub spec: Spec,
    pub name: Name,
    pub extras: Vec<Extra>,
}

impl Heap {
    pub fn new(number: usize, spec: Spec) -> Heap {
        // The usual interface, counters, all that there is: each for some of any few heaps that are taken in order.
        let extras = [&[][..], &[Extra::Counters], &Extra::ALL][number / 3 % 3];
        let spec = without_pages(spec);
        // What several regions have together.
        let extras = if spec.regions().is_some() && !extras.is_empty() { OF_REGIONS } else { extras };
        Heap { spec, name: Name::new(&format!("heap{number}")).expect("a name"), extras: extras.to_vec() }
    }

    /// Whether its C, or its Rust, has such a part.
    pub fn has(&self, extra: Extra) -> bool {
        self.extras.contains(&extra)
    }

    /// Its Rust has counters alone.
    pub fn rust_request(&self) -> Request {
        let extras = self.extras.iter().copied().filter(|extra| *extra == Extra::Counters).collect();
        Request { extras, ..self.request() }
    }

    pub fn request(&self) -> Request {
        Request { extras: self.extras.clone(), ..Request::new(self.spec.clone(), self.name.clone()) }
    }

    /// Whether its C looks for the first or the last bit of a word.
    pub fn scans_bits(&self) -> bool {
        c::emit(&self.request()).is_ok_and(|files| files.iter().any(|file| file.text.contains("ING_ZEROS(word)")))
    }
}

/// Parts of the interface of several regions.
const OF_REGIONS: &[Extra] = &[Extra::Owns, Extra::Calloc, Extra::Walk, Extra::Trim, Extra::OutOfMemory];

/// The spec with a guard that can be emitted: one without pages, which are no matter of addresses.
fn without_pages(mut spec: Spec) -> Spec {
    for layer in &mut spec.layers {
        if let Layer::Guard(guard) = layer {
            guard.pages = GuardPages::Off;
        }
    }
    spec
}

/// Whether there is source for it; what else goes wrong fails the test.
fn can_be_emitted(heap: &Heap) -> bool {
    match c::emit(&heap.request()) {
        Ok(_) => true,
        Err(EmitError::NotYet { .. }) => false,
        Err(error) => panic!("{}: {error}", heap.spec),
    }
}

/// The catalogue, a heap of every kind of pool and layer, and corners of the levels.
pub fn all_named() -> Vec<Heap> {
    let names = heapsmith_trial::heaps().chain(CORNERS.iter().chain(FEW).copied());
    let specs = names.map(|name| resolve(name).unwrap_or_else(|error| panic!("{error}")));
    specs.enumerate().map(|(number, spec)| Heap::new(number, spec)).collect()
}

/// Those of [`all_named`] that can be emitted as C; prints the others.
pub fn named() -> Vec<Heap> {
    let (emitted, left_out): (Vec<_>, Vec<_>) = all_named().into_iter().partition(can_be_emitted);
    let specs: Vec<String> = left_out.iter().map(|heap| heap.spec.to_string()).collect();
    println!("{} heaps, and {} that cannot be emitted: {specs:#?}", emitted.len(), specs.len());
    emitted
}

/// Levels that go with each other in ways of their own.
const CORNERS: &[&str] = &[
    "bump align=16",
    "stack word=8 align=32",
    "fixed(20) word=2",
    "bitmap word=2",
    "zero bitmap align=32",
    "guard(quarantine=3, pages=off) bitmap word=2 align=8",
    "reserve(high=20%) bitmap align=16",
    "spans(16..=128 step 16, span=1024) bitmap word=8 align=16",
    "zero stack",
    "zero freelists(16,100) tlsf",
    // How a list is found: by equal steps, from the smallest block or above it; by a table, with marks or with gaps; by comparing.
    "freelists(12..=1020 step 16) list align=16",
    "freelists(8..=1016 step 16) bins(lea) word=8 align=16",
    "freelists(16..=1024 step 16) list(order=lifo) align=16",
    "freelists(16..=2048 double(4)) tlsf word=8 align=16",
    "freelists(40,88,136,184,500) list(order=lifo) word=2",
    "freelists(20..=40,41..=400,401..=4000) tree(red-black)",
    // Requests are rounded up to a class before they lead to a list.
    "freelists(220..=7040 double(4)) classes(227, then step 1970) word=2 align=32",
    "list(order=implicit, fit=next, tags=off)",
    "list(order=implicit, fit=next, coalesce=deferred)",
    "list(order=implicit, fit=best(30%), coalesce=every-call, tags=off)",
    "list(order=implicit, fit=worst, split=never) align=16",
    "list(order=implicit, fit=best(50%), coalesce>=64, split>=32)",
    "freelists(16..=512 step 16) list(order=address, fit=best, remainder=128) align=16",
    "bins(lea, order=size, split>=40, remainder=100, coalesce>=64) word=8",
    "tree(red-black, remainder=52, tags=off) word=2 check=header",
    "list(order=address, fit=next, tags=off)",
    "list(order=address, fit=best(10%), coalesce>=100, tags=off) word=8 align=32",
    "list(order=address, split=never)",
    "list(order=address, split=never, coalesce=never, tags=off)",
    "list(order=fifo, fit=best, coalesce=every-call)",
    "list(order=fifo, fit=worst, coalesce=deferred, tags=off) word=2",
    "list(order=lifo, fit=next, coalesce>=64) word=8",
    "freelists(8..=64 step 8, order=fifo) list(order=implicit, coalesce=deferred) word=8",
    "freelists(16..=1024 double) list(order=lifo, split=never, coalesce=never)",
    "freelists(16..=65536 double) list",
    "freelists(8..=64 step 8, order=fifo, flush=bounded(3)) list(order=address, coalesce>=64) word=8",
    "freelists(40,1000, flush=bounded(1)) buddy(estranged)",
    "freelists(8..=64 step 8, magazine=3) list(order=address, coalesce>=64) word=8",
    "freelists(40,1000, flush=bounded(2), magazine=5) buddy(estranged)",
    "freelists(16..=512 step 16, magazine=1) bins(lea) word=2",
    "guard(quarantine=3, pages=off) freelists(16..=1024 double, magazine=4) tree align=16",
    "freelists(16,40,1000, flush=bounded(3), magazine=2) list(order=implicit, fit=worst, coalesce>=64) check=header",
    "pages(page=512, min=8, search=tree, order=address, retain=2)",
    "pages(page=256, min=16, search=word, order=phk, retain=3, resize=off) word=2",
    "buddy(knuth, start=one-block)",
    "buddy(estranged, start=one-block, glue=bounded(5)) word=2",
    "zero buddy(estranged, start=one-block) word=8",
    "buddy(estranged, glue=bounded(2), grow=before-gluing)",
    "freelists(40) buddy(estranged, glue=bounded(0)) align=32",
    "list(order=address, fit=next, coalesce=deferred, tags=off) word=2 check=header",
    "list(order=implicit, fit=best(30%), coalesce=every-call) align=16 check=header",
    "freelists(16,40,1000, order=fifo, flush=bounded(3)) list(order=implicit, fit=worst, coalesce>=64) check=header",
    "bins(exact 16..=512 step 16, then log, tries=3) word=8 check=header",
    "zero classes(16..=4096 double, then step 4096) check=header",
    "reserve(high=33%) zero buddy(estranged)",
    "reserve(high=15%) fixed(40) word=8",
    "reserve(high=50%) tlsf(largest=region) check=header",
    "buddy(knuth) word=8 check=header",
    "pages(page=256, min=8, search=linear, retain=2) check=header",
    "zero pages(page=1024, min=32, search=tree, order=phk, resize=off) align=16 check=header",
    "zero buddy(estranged, glue=bounded(3), start=one-block) check=header",
    "guard(quarantine=1, pages=off) buddy(knuth) word=8 align=32",
    "guard(quarantine=0, pages=off) zero buddy(estranged, start=one-block) check=header",
    "zero guard(quarantine=0, pages=off) bump(reclaim=empty) word=2",
    "reserve(high=20%) guard(quarantine=4, pages=off) freelists(40) bins(lea)",
    "guard(quarantine=5, pages=off) reserve(high=20%) skiplist check=header",
    "guard(quarantine=9, pages=off) fixed(100) word=8",
    "zero guard(quarantine=2, pages=off) reserve(high=5%) buddy(estranged) word=8",
    "guard(quarantine=0, pages=off) pages(page=4096, min=16, search=word) align=64 check=header",
    "guard(quarantine=0, pages=off) reserve(high=9%) pages(page=512, min=8, search=tree, retain=2) word=2",
    "chunks(header=3, index=address, fit=best, remainder=4) word=2 align=16",
    "zero chunks(header=tags, index=address, sizes=powers, coalesce=never) align=8",
    "guard(quarantine=3, pages=off) chunks(header=packed, index=rings)",
    "reserve(high=20%) chunks(header=5, index=rings, remainder=16) word=8",
    "chunks(header=tags, index=powers, remainder=8) word=2",
    "zero chunks(header=packed, index=address, ends>=100)",
    "chunks(header=tags, index=address, remainder=8, ends>=33, coalesce=never) word=8 align=16",
];

/// Spans with owners, of which a heap for one thread has the rings alone.
const OWNED: &str = "spans(16..=1024 double, span=8192, empty=keep(1)) tree word=8 align=16 threads=owned";

/// A few heaps that between them are emitted from every template.
pub const FEW: &[&str] = &[
    "list(order=implicit)",
    "list(order=implicit, fit=best(30%), coalesce=every-call, tags=off)",
    "list(order=address, fit=next, coalesce=deferred)",
    "freelists(16,1476, order=fifo) list(order=fifo, split>=100, remainder=64, coalesce>=100) align=16",
    "freelists(8..=1024 step 8) list(order=address, tags=off) word=8",
    "bins(lea, order=size) word=8",
    "bins(exact 16..=512 step 16, then log, tries=3) word=2",
    "bins(log(4), each=tree) word=8",
    "skiplist(tags=off)",
    "tlsf",
    "tlsf(second-level=6) word=2",
    "freelists(18,64..=512 double(2)) tlsf(second-level=4, largest=100) word=2",
    "freelists(16,100, order=fifo) tlsf(second-level=6, largest=region) align=16",
    "freelists(8..=1024 step 8, flush=bounded(2)) tlsf(second-level=3) word=8",
    "freelists(8..=64 step 8, magazine=4) tlsf(second-level=5, largest=region) align=16 check=header",
    "freelists(16..=256 step 16, magazine=6) list(order=lifo) align=16",
    "half-fit word=8",
    "classes(16..=4096 double, then step 4096)",
    "bump(reclaim=empty)",
    "zero stack align=16",
    "fixed(64)",
    "buddy(knuth) align=64",
    "buddy(estranged) word=8",
    "buddy(knuth, start=one-block) align=64",
    "buddy(estranged, start=one-block, glue=bounded(3)) word=8",
    "buddy(estranged, grow=before-gluing) word=2",
    "freelists(40,1000, order=fifo) buddy(estranged)",
    "pages(page=256, min=8, search=tree) word=2",
    "pages(page=8192, min=16, search=linear) align=64",
    "pages(page=1024, min=32, search=word) word=8",
    "buddy(knuth, defragment=on-demand) align=64",
    "buddy(estranged, defragment=on-demand) word=8",
    "pages(page=256, min=8, search=linear, order=phk, retain=2, resize=off)",
    "pages(page=512, min=16, search=word, order=address) word=8",
    "chunks(header=tags, index=two-level) word=8",
    "chunks(header=4, index=powers, sizes=powers, unit=32)",
    "chunks(header=2, index=rings, unit=8, remainder=8)",
    "chunks(header=packed, index=lifo, fit=best, unit=8)",
    "chunks(header=2, index=address, unit=8, ends>=64)",
    "guard(quarantine=2, pages=off) chunks(header=2, index=size, unit=8, remainder=24, coalesce=never) word=2",
    "spans(16..=128 step 16, span=1024) chunks(header=tags, index=address)",
    "list(order=lifo, coalesce=deferred) check=header",
    "freelists(16,100, order=fifo) list(order=implicit, fit=next, tags=off) word=8 check=header",
    "freelists(8..=1024 step 8) tlsf(largest=region) word=2 check=header",
    "tree(red-black) align=16 check=header",
    "freelists(40) bins(log(4), each=skiplist) check=header",
    "reserve(high=10%) freelists(40) list(order=address, tags=off) word=2 check=header",
    "zero reserve(high=25%) stack word=8",
    "reserve(high=1%) pages(page=256, min=8, search=tree)",
    "reserve(high=10%) guard(quarantine=3, pages=off) zero freelists(64) list(order=address) word=2 check=header",
    "guard(quarantine=16, pages=off) tlsf",
    "guard(quarantine=0, pages=off) stack align=16",
    "spans(16..=112 step 16,128..=896 double(4), span=4096, next=last) list(order=address, fit=best) word=8 align=16",
    "spans(8,24,40, span=256, free=bitmap, next=fullest, empty=keep(2)) freelists(16,100) tlsf word=2",
    "zero spans(16..=256 step 16, span=2048, free=bitmap, next=lowest, metadata=outside) buddy(knuth)",
    "spans(64,512, span=8192, empty=keep(1)) pages(page=8192, min=16, search=word)",
    "spans(16..=1024 double, span=8192, free=bitmap, next=lowest, empty=keep(3), metadata=outside) tree word=8",
    OWNED,
];

/// A heap of every kind of regions.
pub fn in_regions() -> Vec<Heap> {
    let specs = heapsmith_trial::heaps_in_regions().chain(FEW_IN_REGIONS.iter().copied());
    let specs = specs.map(|spec| resolve(spec).unwrap_or_else(|error| panic!("{error}")));
    let heaps = specs.enumerate().map(|(number, spec)| Heap::new(number, spec));
    heaps.filter(can_be_emitted).collect()
}

/// What several regions have of their own: a guard whose errors are told, a reserve, names that others have, one region.
const FEW_IN_REGIONS: &[&str] = &[
    "regions(heap(4K, up-to=100), size(28K, cost=3)) guard(quarantine=3) freelists(16,100) tlsf(largest=region) check=header",
    "regions(lock(16K), h(4K, up-to=32), regions(2K), region(2K)) reserve(high=20%) list(order=lifo) align=16",
    "regions(all(24K)) freelists(64) list",
    "regions(far(64K, up-to=2000), near(4K, up-to=40), tcm(8K, up-to=40)) spans(16..=64 step 16, span=1024) tree word=8",
];

/// This many random specs in random regions that can be emitted as C; the same for the same seed.
pub fn random_in_regions(many: usize, seed: u8) -> Vec<Heap> {
    random_of(arbitrary::in_regions(), many, seed, can_be_emitted)
}

/// This many random specs that can be emitted as C; the same for the same seed.
pub fn random(many: usize, seed: u8) -> Vec<Heap> {
    random_where(many, seed, can_be_emitted)
}

/// This many random specs of all kinds; the same for the same seed.
pub fn random_of_all(many: usize, seed: u8) -> Vec<Heap> {
    random_where(many, seed, |_| true)
}

fn random_where(many: usize, seed: u8, wanted: impl Fn(&Heap) -> bool) -> Vec<Heap> {
    random_of(arbitrary::spec(), many, seed, wanted)
}

fn random_of(specs: impl Strategy<Value = Spec>, many: usize, seed: u8, wanted: impl Fn(&Heap) -> bool) -> Vec<Heap> {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut heaps = Vec::new();
    while heaps.len() < many {
        let spec = specs.new_tree(&mut runner).expect("a spec").current();
        let heap = Heap::new(1000 + heaps.len(), spec);
        if wanted(&heap) {
            heaps.push(heap);
        }
    }
    heaps
}

/// Whether everything is tried, with every compiler, as `cargo xtask nightly` does; a part of it otherwise.
pub fn is_whole() -> bool {
    std::env::var_os("HEAPSMITH_WHOLE").is_some()
}

/// How many random specs: a twentieth of `whole` where not everything is tried; any number with `HEAPSMITH_EMIT_SPECS`.
pub fn how_many(whole: usize) -> usize {
    let set = std::env::var("HEAPSMITH_EMIT_SPECS").ok();
    let usual = if is_whole() { whole } else { whole / 20 };
    set.map_or(usual, |number| number.parse().expect("HEAPSMITH_EMIT_SPECS is a number"))
}

/// The heaps of [`named`] where everything is tried; of [`FEW`] otherwise, which come from every template.
pub fn named_or_few() -> Vec<Heap> {
    if is_whole() { named() } else { few() }
}

/// Every third heap of [`FEW`]: pools of different kinds.
pub fn third_of_few() -> Vec<Heap> {
    few().into_iter().step_by(3).collect()
}

/// Spans with owners.
pub fn owned() -> Heap {
    Heap::new(999, resolve(OWNED).expect("a spec"))
}

/// The heaps of [`FEW`].
pub fn few() -> Vec<Heap> {
    let specs = FEW.iter().map(|spec| resolve(spec).unwrap_or_else(|error| panic!("{error}")));
    specs.enumerate().map(|(number, spec)| Heap::new(number, spec)).collect()
}
