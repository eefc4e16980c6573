//! The knobs of reference allocators: each with its values, its default, what is tried of it, and where it is described.
//!
//! | allocator | described in | becomes |
//! |---|---|---|
//! | glibc 2.26 and later | "Memory Allocation Tunables" of its manual (2.36) | `GLIBC_TUNABLES=glibc.malloc.NAME=VALUE:…` |
//! | jemalloc 5 | jemalloc(3), 5.3.0, `opt.NAME` | `MALLOC_CONF=NAME:VALUE,…` |
//! | mimalloc 2 | `src/options.c` (2.0.9, 2.1.7) | `MIMALLOC_NAME=VALUE` |
//! | tcmalloc | `docs/tcmalloc.html` of gperftools 2.10 | `TCMALLOC_NAME=VALUE` |
//!
//! What an allocator refuses it mostly ignores in silence, so values are checked here.

use crate::deployed::Deployed;

/// Something of an allocator that its environment sets.
#[derive(Debug, PartialEq, Eq)]
pub struct Knob {
    /// Its name in `peer:NAME(knob=value)`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// What it can be.
    pub values: Values,
    /// What it is where it is not set.
    pub default: &'static str,
    /// What an exploration tries, other than the default.
    pub levels: &'static [&'static str],
    /// What it is called in the environment; several, where versions have several names.
    pub spelled: &'static [&'static str],
    /// Whether threads wait for each other more, or less, where it is set: a play does not show that.
    pub contends: bool,
}

impl Knob {
    const fn contending(self) -> Knob {
        Knob { contends: true, ..self }
    }
}

/// The values of a knob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// A whole number within bounds, inclusive.
    Whole(i64, i64),
    /// A number of bytes within bounds, with K, M or G.
    Bytes(u64, u64),
    /// A number with or without decimals, within bounds.
    Number(u32, u32),
    /// On or off, which become these words.
    Switch(&'static str, &'static str),
    /// One of these words.
    Words(&'static [&'static str]),
}

const TRUE: Values = Values::Switch("true", "false");
const ONE: Values = Values::Switch("1", "0");
const MAX: u64 = i64::MAX as u64;

const fn knob(
    name: &'static str,
    about: &'static str,
    values: Values,
    default: &'static str,
    levels: &'static [&'static str],
    spelled: &'static [&'static str],
) -> Knob {
    Knob { name, about, values, default, levels, spelled, contends: false }
}

const LIBC: &[Knob] = &[
    knob(
        "arena_max",
        "arenas that threads share",
        Values::Whole(1, 1 << 20),
        "8 for a processor",
        &["1", "2", "4"],
        &["arena_max"],
    )
    .contending(),
    knob(
        "arena_test",
        "arenas before the limit by processors is looked at",
        Values::Whole(1, 1 << 20),
        "8",
        &[],
        &["arena_test"],
    )
    .contending(),
    knob(
        "mmap_threshold",
        "requests from here on are mapped by themselves; fixed, once set",
        Values::Bytes(0, MAX),
        "128K, grows",
        &["64K", "128K", "1M", "32M"],
        &["mmap_threshold"],
    ),
    knob(
        "mmap_max",
        "requests that are mapped by themselves at once, at most",
        Values::Whole(0, i32::MAX as i64),
        "65536",
        &["0"],
        &["mmap_max"],
    ),
    knob(
        "trim_threshold",
        "free bytes at the top that go back to the system; fixed, once set",
        Values::Bytes(0, MAX),
        "128K, grows",
        &["0", "128K", "1M", "64M"],
        &["trim_threshold"],
    ),
    knob(
        "top_pad",
        "bytes asked of the system in addition",
        Values::Bytes(0, MAX),
        "128K",
        &["0", "64K", "1M"],
        &["top_pad"],
    ),
    knob(
        "tcache_count",
        "blocks of a size that a thread caches",
        Values::Whole(0, 65535),
        "7",
        &["0", "2", "32", "128"],
        &["tcache_count"],
    )
    .contending(),
    knob("tcache_max", "largest block that a thread caches", Values::Bytes(0, 1032), "1032", &["128"], &["tcache_max"]),
    knob(
        "tcache_unsorted_limit",
        "blocks looked at while a cache is filled; 0 is no limit",
        Values::Whole(0, i64::MAX),
        "0",
        &[],
        &["tcache_unsorted_limit"],
    )
    .contending(),
    knob("mxfast", "largest block that is not coalesced at once", Values::Bytes(0, 160), "128", &["0"], &["mxfast"]),
    knob(
        "hugetlb",
        "0: as the system does; 1: madvise huge pages; 2: reserved huge pages",
        Values::Whole(0, 2),
        "0",
        &[],
        &["hugetlb"],
    ),
    knob("perturb", "blocks are filled with this byte", Values::Whole(0, 255), "0", &[], &["perturb"]),
];

const JEMALLOC: &[Knob] = &[
    knob(
        "narenas",
        "arenas that threads share",
        Values::Whole(1, 4095),
        "4 for a processor",
        &["1", "2", "4"],
        &["narenas"],
    ),
    knob(
        "dirty_decay_ms",
        "until unused pages go back; -1 is never",
        Values::Whole(-1, i64::MAX / 1_000_000),
        "10000",
        &["0", "500", "2000", "-1"],
        &["dirty_decay_ms"],
    ),
    knob(
        "muzzy_decay_ms",
        "until pages that were given back lazily go back for good; -1 is never",
        Values::Whole(-1, i64::MAX / 1_000_000),
        "0",
        &[],
        &["muzzy_decay_ms"],
    ),
    knob("tcache", "whether threads cache blocks", TRUE, "on", &["off"], &["tcache"]).contending(),
    knob(
        "tcache_max",
        "largest block that a thread caches",
        Values::Bytes(8, 8 << 20),
        "32K",
        &["1K", "4K", "256K"],
        &["tcache_max"],
    )
    .contending(),
    knob(
        "background_thread",
        "whether threads of jemalloc give pages back",
        TRUE,
        "off",
        &["on"],
        &["background_thread"],
    ),
    knob(
        "percpu_arena",
        "whether arenas are those of processors",
        Values::Words(&["disabled", "percpu", "phycpu"]),
        "disabled",
        &["percpu"],
        &["percpu_arena"],
    )
    .contending(),
    knob(
        "oversize_threshold",
        "requests from here on have an arena of their own; 0 is none",
        Values::Bytes(0, MAX),
        "8M",
        &["0"],
        &["oversize_threshold"],
    ),
    knob(
        "lg_extent_max_active_fit",
        "how much larger an extent may be that is reused: 2 to this power",
        Values::Whole(0, 63),
        "6",
        &["2"],
        &["lg_extent_max_active_fit"],
    ),
    knob("retain", "whether address space is kept", TRUE, "on", &[], &["retain"]),
    knob(
        "thp",
        "huge pages for blocks",
        Values::Words(&["default", "always", "never"]),
        "default",
        &["never"],
        &["thp"],
    ),
    knob(
        "metadata_thp",
        "huge pages for jemalloc's own",
        Values::Words(&["disabled", "auto", "always"]),
        "disabled",
        &[],
        &["metadata_thp"],
    ),
    knob(
        "cache_oblivious",
        "whether large blocks begin at random cache lines, for a page each",
        TRUE,
        "on",
        &["off"],
        &["cache_oblivious"],
    ),
];

const MIMALLOC: &[Knob] = &[
    knob(
        "purge_delay",
        "milliseconds until unused pages go back; 0 is at once",
        Values::Whole(0, i32::MAX as i64),
        "25 (2.0), 10 (2.1)",
        &["0", "100", "1000"],
        &["MIMALLOC_PURGE_DELAY", "MIMALLOC_DECOMMIT_DELAY", "MIMALLOC_RESET_DELAY"],
    ),
    knob(
        "segment_purge_delay",
        "milliseconds until unused parts of a segment go back (2.0)",
        Values::Whole(0, i32::MAX as i64),
        "500",
        &["0", "100"],
        &["MIMALLOC_SEGMENT_DECOMMIT_DELAY"],
    ),
    knob(
        "purges",
        "whether memory goes back at all",
        ONE,
        "on",
        &["off"],
        &["MIMALLOC_ALLOW_DECOMMIT", "MIMALLOC_PURGE_DECOMMITS"],
    ),
    knob(
        "abandoned_page_purge",
        "whether pages of threads that ended go back at once",
        ONE,
        "off",
        &["on"],
        &["MIMALLOC_ABANDONED_PAGE_DECOMMIT", "MIMALLOC_ABANDONED_PAGE_RESET", "MIMALLOC_ABANDONED_PAGE_PURGE"],
    ),
    knob("eager_commit", "whether a segment is committed whole", ONE, "on", &["off"], &["MIMALLOC_EAGER_COMMIT"]),
    knob(
        "eager_commit_delay",
        "segments of a thread that are not committed whole",
        Values::Whole(0, 1 << 20),
        "1",
        &["4"],
        &["MIMALLOC_EAGER_COMMIT_DELAY"],
    ),
    knob(
        "max_segment_reclaim",
        "segments of threads that ended, taken over at once",
        Values::Whole(0, 1024),
        "8",
        &[],
        &["MIMALLOC_MAX_SEGMENT_RECLAIM"],
    ),
    knob("large_os_pages", "whether pages of 2 MB are used", ONE, "off", &[], &["MIMALLOC_LARGE_OS_PAGES"]),
];

const TCMALLOC: &[Knob] = &[
    knob(
        "release_rate",
        "how eagerly unused pages go back, from 0, never, to 10",
        Values::Number(0, 1 << 20),
        "1",
        &["0", "5", "10"],
        &["TCMALLOC_RELEASE_RATE"],
    ),
    knob(
        "max_total_thread_cache_bytes",
        "bytes in the caches of all threads",
        Values::Bytes(512 << 10, 1 << 30),
        "32M",
        &["512K", "2M", "8M"],
        &["TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES"],
    )
    .contending(),
    knob(
        "aggressive_decommit",
        "whether free pages go back at once",
        ONE,
        "off",
        &["on"],
        &["TCMALLOC_AGGRESSIVE_DECOMMIT"],
    ),
    knob(
        "transfer_num_obj",
        "blocks that move between caches at once",
        Values::Whole(1, 65535),
        "32",
        &["8", "512"],
        &["TCMALLOC_TRANSFER_NUM_OBJ"],
    )
    .contending(),
    knob(
        "heap_limit_mb",
        "most megabytes of the heap; 0 is no limit",
        Values::Whole(0, 1 << 24),
        "0",
        &[],
        &["TCMALLOC_HEAP_LIMIT_MB"],
    ),
    knob("skip_sbrk", "whether memory is not asked for by sbrk", ONE, "off", &[], &["TCMALLOC_SKIP_SBRK"]),
];

impl Deployed {
    /// Its knobs.
    pub fn knobs(self) -> &'static [Knob] {
        match self {
            Deployed::Libc => LIBC,
            Deployed::Jemalloc => JEMALLOC,
            Deployed::Mimalloc => MIMALLOC,
            Deployed::Tcmalloc => TCMALLOC,
        }
    }
}

impl Values {
    /// A value as the environment has it; none if it can be no such value.
    pub fn spelled(self, text: &str) -> Option<String> {
        match self {
            Values::Whole(min, max) => {
                text.parse::<i64>().ok().filter(|number| (min..=max).contains(number)).map(|number| number.to_string())
            }
            Values::Number(min, max) => {
                let number = text.parse::<f64>().ok()?;
                (number >= f64::from(min) && number <= f64::from(max)).then(|| text.to_owned())
            }
            Values::Bytes(min, max) => {
                bytes(text).filter(|number| (min..=max).contains(number)).map(|number| number.to_string())
            }
            Values::Switch(on, off) => match text {
                "on" | "true" | "1" => Some(on.to_owned()),
                "off" | "false" | "0" => Some(off.to_owned()),
                _ => None,
            },
            Values::Words(words) => words.contains(&text).then(|| text.to_owned()),
        }
    }

    /// What there is to write, in words.
    pub fn expected(self) -> String {
        match self {
            Values::Whole(min, i64::MAX) => format!("a whole number from {min}"),
            Values::Whole(min, max) => format!("a whole number from {min} to {max}"),
            Values::Number(min, max) => format!("a number from {min} to {max}"),
            Values::Bytes(min, MAX) => format!("a number of bytes from {min} (K, M, G)"),
            Values::Bytes(min, max) => format!("a number of bytes from {min} to {max} (K, M, G)"),
            Values::Switch(..) => "on or off".to_owned(),
            Values::Words(words) => words.join(", "),
        }
    }
}

/// A number of bytes with or without its unit.
fn bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' | b'k' => (&text[..text.len() - 1], 10),
        b'M' | b'm' => (&text[..text.len() - 1], 20),
        b'G' | b'g' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_level_is_a_value_of_its_knob() {
        for deployed in Deployed::ALL {
            let mut names = HashSet::new();
            for knob in deployed.knobs() {
                assert!(names.insert(knob.name), "{deployed}: {} twice", knob.name);
                assert!(!knob.spelled.is_empty(), "{}", knob.name);
                for level in knob.levels {
                    assert!(knob.values.spelled(level).is_some(), "{deployed}: {}={level}", knob.name);
                    assert_ne!(*level, knob.default, "{deployed}: {} tries its default", knob.name);
                }
            }
        }
    }

    #[test]
    fn values_out_of_bounds_are_none() {
        assert_eq!(Values::Bytes(0, 4096).spelled("4K").as_deref(), Some("4096"));
        assert_eq!(Values::Bytes(0, 4096).spelled("5K"), None);
        assert_eq!(Values::Whole(-1, 9).spelled("-1").as_deref(), Some("-1"));
        assert_eq!((Values::Whole(-1, 9).spelled("-2"), Values::Whole(0, 9).spelled("1.5")), (None, None));
        assert_eq!(TRUE.spelled("on").as_deref(), Some("true"));
        assert_eq!(ONE.spelled("maybe"), None);
        assert_eq!(Values::Number(0, 10).spelled("0.5").as_deref(), Some("0.5"));
        assert_eq!(Values::Bytes(0, MAX).spelled("99999999999G"), None);
    }
}
