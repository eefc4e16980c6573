//! Spaces of designs: those of heapsmith, each with all of the one before, and those that users write.
//!
//! | space | designs | is |
//! |---|---|---|
//! | `classic` | 10,000 | four factors at ten levels each, on an address-ordered list |
//! | `standard` | 13 more | the allocators of the catalogue, too, but for those that are one list |
//! | `programs` | 112 more | lists for every size, and spans: what programs on a machine with caches run on today |
//! | `wide` | over 100,000 | every structure for a whole program, with every factor that it takes |
//! | a file | what it says | families in the same form ([`Family`]) |
//!
//! The spaces of heapsmith are texts in that form (`classic.toml` and what is added to it). Different levels may become the same heap (a size
//! that 40% of the requests share is on one side of every threshold between): such designs are replayed once, and each
//! keeps its own row.
//!
//! Source of the classic space: Mamagkakis et al. 2006, §5 ("about 10 levels", about 10,000 designs).

mod family;
mod key;
mod requests;
mod spans;

use std::collections::HashMap;
use std::path::Path;

use heapsmith_spec::{
    BlockFactors, Check, FreeLists, Layer, Sizes, Spec, SpecError, Target, Unsuited, WordSize, entry,
};
use heapsmith_trace::PackedTrace;

pub use family::{Factor, Family};
use key::Key;
use requests::{By, Requests};
use spans::SpanLevels;

use crate::specs::Specs;

const CLASSIC: &str = include_str!("space/classic.toml");
const STANDARD: &str = concat!(include_str!("space/classic.toml"), include_str!("space/catalogue.toml"));
const PROGRAMS: &str = concat!(
    include_str!("space/classic.toml"),
    include_str!("space/catalogue.toml"),
    include_str!("space/programs.toml")
);
const WIDE: &str = concat!(
    include_str!("space/classic.toml"),
    include_str!("space/catalogue.toml"),
    include_str!("space/programs.toml"),
    include_str!("space/wide.toml")
);

/// The families of the programs' space; the first is the classic one, the first two are the standard one.
const FAMILIES: [&str; 4] = ["classic", "catalogue", "lists of programs", "spans of programs"];

/// The families of the space that is explored on a target where none is named.
fn usual_families(target: &Target) -> &'static [&'static str] {
    if target.caches { &FAMILIES } else { &FAMILIES[..2] }
}

/// Why a text makes no space.
#[derive(Debug, thiserror::Error)]
pub enum SpaceError {
    /// It is not of the form.
    #[error("the space cannot be read: {0}\n`heapsmith explore --print-space wide` prints one to begin with")]
    Text(String),
    /// A family is wrong.
    #[error("the family {family:?} {what}")]
    Family {
        /// Its name.
        family: String,
        /// What is wrong with it, and how to mend it.
        what: String,
    },
    /// Levels of a family together make no heap.
    #[error(
        "the family {family:?} makes {text:?}, which is no heap:\n{cause}\ntake the level out, or give it a family of its own"
    )]
    Spec {
        /// Its name.
        family: String,
        /// The spec.
        text: String,
        /// What is wrong with it.
        cause: Box<SpecError>,
    },
    /// Levels of a family together make a heap that the target has no use for.
    #[error(
        "the family {family:?} makes {text:?}, which does not suit the target {target}: {cause}\ntake the level out, or name \
         another --target"
    )]
    Unsuited {
        /// Its name.
        family: String,
        /// The spec.
        text: String,
        /// The target.
        target: &'static Target,
        /// What the heap lacks.
        cause: Unsuited,
    },
    /// There are more designs than a space holds.
    #[error("the space has {0} designs: {max} are the most; take levels out", max = Space::MAX)]
    Large(usize),
}

/// A point of the space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// Its number, from 0: families one after the other, the last factor fastest. In the classic space the levels'
    /// indexes are its decimal digits.
    pub number: u32,
    /// Index of its family.
    pub family: u16,
    /// Indexes into the levels of its family's factors.
    pub levels: Box<[u8]>,
    /// The heap.
    pub spec: Spec,
    /// The lowest number of a design that is the same heap on these traces.
    pub same_as: u32,
}

/// All designs, for some traces.
#[derive(Debug, Clone)]
pub struct Space {
    /// Its name.
    pub name: String,
    /// The text that it was made of.
    pub text: String,
    /// Where its heaps will live.
    pub target: &'static Target,
    /// The families.
    pub families: Families,
    /// The designs by number.
    pub designs: Vec<Design>,
}

impl Space {
    /// The most designs of a space.
    pub const MAX: usize = 10_000_000;

    /// The name of the space of what the papers' time had.
    pub const STANDARD: &str = "standard";

    /// The name of the space that is explored on a target where none is named.
    pub fn usual(target: &Target) -> &'static str {
        if target.caches { "programs" } else { Space::STANDARD }
    }

    /// The classic space for `traces`.
    pub fn classic(traces: &[PackedTrace]) -> Space {
        // A test makes every space of heapsmith.
        Space::of("classic", CLASSIC, traces).expect("the text is sound")
    }

    /// The standard space for `traces`.
    pub fn standard(traces: &[PackedTrace]) -> Space {
        Space::of(Space::STANDARD, STANDARD, traces).expect("the text is sound")
    }

    /// The wide space for `traces`; its first families are the standard space.
    pub fn wide(traces: &[PackedTrace]) -> Space {
        Space::of("wide", WIDE, traces).expect("the text is sound")
    }

    /// The text of one of our own spaces.
    pub fn own_text(name: &str) -> Option<&'static str> {
        [("classic", CLASSIC), (Space::STANDARD, STANDARD), ("programs", PROGRAMS), ("wide", WIDE)]
            .into_iter()
            .find(|own| own.0 == name)
            .map(|own| own.1)
    }

    /// The name and the text of a space: one of our own by name, else what a file says.
    ///
    /// # Errors
    ///
    /// In words: the file cannot be read.
    pub fn text_of(name: &Path) -> Result<(String, String), String> {
        if let Some(own) = name.to_str().and_then(Space::own_text) {
            return Ok((name.display().to_string(), own.to_owned()));
        }
        let text = std::fs::read_to_string(name).map_err(|error| {
            format!(
                "{} cannot be read as a space: {error}; name standard, programs, classic, wide, or a file in the form that `heapsmith \
                 explore --print-space wide` prints",
                name.display()
            )
        })?;
        Ok((name.display().to_string(), text))
    }

    /// The space that a text says, for `traces` and the target of the 2006 paper.
    ///
    /// # Errors
    ///
    /// [`SpaceError`] says what is wrong with the text.
    pub fn of(name: &str, text: &str, traces: &[PackedTrace]) -> Result<Space, SpaceError> {
        Space::for_target(name, text, Target::network_2006(), traces)
    }

    /// The space that a text says, for `traces` and heaps that live on `target`: it fixes the alignment of every design, and what
    /// it checks (where its structure can) and the word where the text leaves them open.
    ///
    /// # Errors
    ///
    /// [`SpaceError`] says what is wrong with the text, or does not suit the target.
    pub fn for_target(
        name: &str,
        text: &str,
        target: &'static Target,
        traces: &[PackedTrace],
    ) -> Result<Space, SpaceError> {
        let families = Families::of(text)?;
        let total = families.0.iter().map(Family::designs).fold(0, usize::saturating_add);
        if total > Space::MAX {
            return Err(SpaceError::Large(total));
        }
        let mut making =
            Making { target, requests: Requests::of(traces), listed: HashMap::new(), specs: Specs::default() };
        let mut first: HashMap<Key, u32> = HashMap::new();
        let mut designs = Vec::with_capacity(total);
        for (index, family) in families.0.iter().enumerate() {
            for place in 0..family.designs() {
                let number = designs.len() as u32;
                let levels = levels(family, place);
                let spec = making.spec(family, &levels)?;
                let same_as = *first.entry(Key::of(&spec, &making.requests)).or_insert(number);
                designs.push(Design { number, family: index as u16, levels, spec, same_as });
            }
        }
        Ok(Space { name: name.to_owned(), text: text.to_owned(), target, families, designs })
    }

    /// The unique designs that differ from a design in the level of one factor, itself left out.
    pub fn neighbours(&self, design: &Design) -> Vec<u32> {
        let family = self.families.family(design);
        let mut found = Vec::new();
        // How far apart two designs are whose last levels differ by one.
        let mut step = 1;
        for (factor, &level) in family.factors.iter().zip(&*design.levels).rev() {
            let first = design.number - u32::from(level) * step;
            let others =
                (0..factor.levels.len() as u32).map(|level| self.designs[(first + level * step) as usize].same_as);
            found.extend(others.filter(|&other| other != design.same_as));
            step *= factor.levels.len() as u32;
        }
        found
    }

    /// The designs that have to be replayed: one of each heap.
    pub fn unique(&self) -> impl Iterator<Item = &Design> {
        self.designs.iter().filter(|design| design.same_as == design.number)
    }
}

/// The families of a space, by index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Families(pub Vec<Family>);

impl Families {
    /// Those of a space's text.
    ///
    /// # Errors
    ///
    /// [`SpaceError`] says what is wrong with the text.
    pub fn of(text: &str) -> Result<Families, SpaceError> {
        family::families(text).map(Families)
    }

    /// The family of a design.
    pub fn family(&self, design: &Design) -> &Family {
        &self.0[usize::from(design.family)]
    }

    /// The level of a factor that a design has; none if its family has no such factor.
    pub fn level(&self, design: &Design, factor: &str) -> Option<&str> {
        let family = self.family(design);
        let factor = family.factor(factor)?;
        Some(&family.factors[factor].levels[usize::from(design.levels[factor])])
    }

    /// The names of all factors, in the order of the families.
    pub fn factors(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for factor in self.0.iter().flat_map(|family| &family.factors) {
            if !names.contains(&factor.name.as_str()) {
                names.push(&factor.name);
            }
        }
        names
    }

    /// Whether a design is of the classic space.
    fn is_classic(&self, design: &Design) -> bool {
        self.family(design).name == FAMILIES[0]
    }

    /// Index of the family that is the classic space.
    pub fn classic(&self) -> Option<usize> {
        self.0.iter().position(|family| family.name == FAMILIES[0])
    }

    /// Whether a design is of the space that is explored on a target where none is named.
    pub fn is_usual(&self, design: &Design, target: &Target) -> bool {
        usual_families(target).contains(&self.family(design).name.as_str())
    }

    /// Whether the classic space is a part, and there is more than is explored on a target where no space is named.
    pub fn are_wider(&self, target: &Target) -> bool {
        let is_known = |family: &Family| usual_families(target).contains(&family.name.as_str());
        self.classic().is_some() && !self.0.iter().all(is_known)
    }

    /// Whether a design is one that the paper recommends: two or three free lists, first fit, full splitting, full
    /// coalescing (Mamagkakis et al. 2006, §5).
    pub fn is_recommended(&self, design: &Design) -> bool {
        let level = |factor| self.level(design, factor);
        self.is_classic(design)
            && matches!(level("freelists"), Some("2" | "3"))
            && [("fit", "0"), ("split", "100"), ("coalesce", "100")].into_iter().all(|(f, l)| level(f) == Some(l))
    }
}

/// The levels of the design at `place` of a family, the last factor fastest.
fn levels(family: &Family, mut place: usize) -> Box<[u8]> {
    let mut levels = vec![0_u8; family.factors.len()];
    for (level, factor) in levels.iter_mut().zip(&family.factors).rev() {
        *level = (place % factor.levels.len()) as u8;
        place /= factor.levels.len();
    }
    levels.into()
}

/// Turns levels into specs.
struct Making<'t> {
    target: &'static Target,
    requests: Requests<'t>,
    /// Sizes by the heap that they are chosen for, without its free lists.
    listed: HashMap<(Spec, usize, By), Vec<Sizes>>,
    specs: Specs,
}

impl Making<'_> {
    fn spec(&mut self, family: &Family, levels: &[u8]) -> Result<Spec, SpaceError> {
        let mut heap = family.heaps[0].as_str();
        let (mut arguments, mut options, mut lists) = (Vec::new(), String::new(), None);
        let mut spans = SpanLevels::default();
        for (factor, &level) in family.factors.iter().zip(levels) {
            let level = factor.levels[usize::from(level)].as_str();
            match factor.name.as_str() {
                Family::POOL => heap = level,
                "freelists" => lists = Some(level),
                "align" if level == "word" => {}
                "word" | "align" | "check" => options.push_str(&format!(" {}={level}", factor.name)),
                "fit" => arguments.push(fit(level)),
                "split" => arguments.push(self.factor("split", level, "always")),
                "coalesce" => arguments.push(self.factor("coalesce", level, "immediate")),
                name if SpanLevels::are_said_by(family, name) => spans.add(name, level),
                name => arguments.push(format!("{name}={level}")),
            }
        }
        // What the literature aligns to is for its own machines.
        let named = entry(heap);
        let own = self.target.alignment.filter(|_| named.is_some());
        heap = named.map_or(heap, |entry| entry.spec);
        if self.target.word != WordSize::default() && !options.contains(" word=") && !heap.contains("word=") {
            options.push_str(&format!(" word={}", self.target.word.bytes()));
        }
        let text = spliced(heap, &arguments.join(", ")) + &options;
        let target = self.target;
        let fitting = if text.contains(" check=") { target.with_check(Check::Off) } else { target };
        let fitted = |spec: Spec| {
            fitting.suited(Spec { alignment: own.map_or(spec.alignment, |own| own.max(spec.word.bytes())), ..spec })
        };
        let read = self.specs.read(text.clone());
        let spec = suited(target, family, &text, read.clone().map(fitted))?;
        let Some(lists) = lists else { return self.with_spans(family, spec, &spans) };
        // A range is as specs have it; sizes are those of the traces.
        let listed = if lists.contains("..=") {
            let text = format!("freelists({lists}) {text}");
            suited(target, family, &text, self.specs.read(text.clone()).map(fitted))?
        } else {
            match &*self.sizes(family, &spec, lists)? {
                [] => spec,
                // Some structures can be checked only without lists.
                sizes => suited(target, family, &text, read.and_then(|heap| with_lists(heap, sizes)).map(fitted))?,
            }
        };
        self.with_spans(family, listed, &spans)
    }

    /// `split=never`, `split>=512`, `split=always` of a level in percent or of `popular`; other levels are words of the spec.
    fn factor(&self, key: &str, level: &str, full: &str) -> String {
        let from = |min: u64| match min.min(LARGEST_MIN) {
            min if min <= self.requests.min() => format!("{key}={full}"),
            min => format!("{key}>={min}"),
        };
        match level.parse::<u8>() {
            Ok(0) => format!("{key}=never"),
            Ok(percent) => from(self.requests.threshold(percent)),
            Err(_) if level == "popular" => from(self.requests.below_popular()),
            Err(_) if level.starts_with(">=") => format!("{key}{level}"),
            Err(_) => format!("{key}={level}"),
        }
    }

    /// The sizes of the free lists that a level asks for.
    fn sizes(&mut self, family: &Family, heap: &Spec, level: &str) -> Result<Vec<Sizes>, SpaceError> {
        let (by, count) = match level.split_once(' ') {
            Some(("saved", count)) => (By::SavedBytes, count),
            Some(("optimal", count)) => (By::Excess, count),
            Some(("up", bytes)) => (By::Every, bytes.trim_start().strip_prefix("to ").unwrap_or(bytes)),
            _ => (By::Popularity, level),
        };
        let count: usize = count.trim().parse().map_err(|_| SpaceError::Family {
            family: family.name.clone(),
            what: format!("has freelists = {level:?}: a level is a number of lists, as 4, \"saved 4\", \"optimal 4\", \"up to 1024\", or a range as \"16..=1024 step 16\""),
        })?;
        // What decides the blocks of requests, so that few heaps share the work of many designs.
        let mut alike = Spec { word: heap.word, alignment: heap.alignment, ..Spec::new(heap.pool.clone()) };
        if let Some(factors) = alike.pool.factors_mut() {
            *factors = BlockFactors { tags: factors.tags, ..BlockFactors::DEFAULT };
        }
        let requests = &self.requests;
        let chosen = self.listed.entry((alike, count, by));
        Ok(chosen.or_insert_with_key(|(alike, count, by)| requests.listed(alike, *count, *by)).clone())
    }
}

/// The largest size from which blocks are split or joined: a word of 4 bytes has no larger one, and where requests are larger a word
/// of 8 bytes does with it, too.
const LARGEST_MIN: u64 = u32::MAX as u64 / 8 * 8;

/// The heap of a text, where it is one, and one that the target has a use for.
fn suited(
    target: &'static Target,
    family: &Family,
    text: &str,
    spec: Result<Spec, SpecError>,
) -> Result<Spec, SpaceError> {
    let (family, text) = (|| family.name.clone(), || text.to_owned());
    let spec = spec.map_err(|cause| SpaceError::Spec { family: family(), text: text(), cause: Box::new(cause) })?;
    match target.verify(&spec) {
        Ok(()) => Ok(spec),
        Err(cause) => Err(SpaceError::Unsuited { family: family(), text: text(), target, cause }),
    }
}

/// A heap with free lists of these sizes before it.
fn with_lists(mut heap: Spec, sizes: &[Sizes]) -> Result<Spec, SpecError> {
    let lists = FreeLists::of(sizes.iter().copied());
    heap.layers.insert(0, Layer::FreeLists(lists));
    heap.validate().map(|()| heap)
}

/// The fit policy of a level.
fn fit(level: &str) -> String {
    match level.parse::<u8>() {
        Ok(0) => "fit=first".to_owned(),
        Ok(100) => "fit=best".to_owned(),
        Ok(percent) => format!("fit=best({percent}%)"),
        Err(_) => format!("fit={level}"),
    }
}

/// A heap with more arguments of its pool: inside its last parentheses, or in its own.
fn spliced(heap: &str, arguments: &str) -> String {
    if arguments.is_empty() {
        return heap.to_owned();
    }
    match heap.strip_suffix(')') {
        Some(open) if open.ends_with('(') => format!("{open}{arguments})"),
        Some(open) => format!("{open}, {arguments})"),
        None => format!("{heap}({arguments})"),
    }
}

#[cfg(test)]
mod tests;
