//! Families of designs, as people write them.
//!
//! ```toml
//! [[family]]
//! name = "list"                      # how it is called in tables
//! heap = ["list", "tree(red-black)"] # the pool, or several to choose from: a spec without what the levels say, or, of
//!                                    # several, a name of the catalogue
//! [family.levels]                    # each key a factor, each value one of its levels
//! freelists = [0, 4, "saved 4", "optimal 4"]
//! split = [0, 30, 100]
//! word = [4, 8]
//! ```
//!
//! | key | a level is |
//! |---|---|
//! | `freelists` | a number of lists for the most popular block sizes, `"saved N"` for those that most bytes go through, `"optimal N"` for all sizes, `"up to N"` for every block size of requests of up to N bytes, or a range as in a spec |
//! | `fit` | percent of the list that best fit looks at, 0 for first fit; or a fit policy |
//! | `split`, `coalesce` | percent of the requests, the largest ones, that split or coalesce; `"popular"`: from half of the most popular size on; or a word of the spec |
//! | `word`, `align` | bytes; `"word"` for the alignment that the word has |
//! | `check` | what heaps check: `"off"`, `"header"`, `"full"`; without the key what the target says, where a structure can |
//! | `classes` | of spans before the pool: `"off"`, sizes as in a spec, or `"optimal N"` for the N best for requests of up to an eighth of a span |
//! | `span`, `free`, `next`, `empty`, `metadata` | where there are `classes`, those of the spans, as in a spec |
//! | any other | the value of this key inside the pool's parentheses |
//!
//! The N lists of `"optimal N"` serve every size up to the largest of the traces, each the sizes above the list before it with
//! blocks for its largest: those N blocks in which live requests waste the fewest bytes, averaged over the operations of all
//! traces ([`LiveSizes::optimal`](heapsmith_trace::LiveSizes::optimal)). They are chosen for the block sizes of the heap, after its
//! word and alignment. The other lists have blocks of one size each, and the pool serves what they do not.
//!
//! A family is the product of its levels. What a level says in percent or in popular sizes becomes bytes when a space
//! is made for its traces, so each design is a plain spec.

use serde::Deserialize;
use toml::{Table, Value};

use super::SpaceError;

/// Designs with the same factors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// Its name in tables and files.
    pub name: String,
    /// The pools, each a spec without what the factors say.
    pub heaps: Vec<String>,
    /// Its factors: where there are several pools, the choice among them is the first.
    pub factors: Vec<Factor>,
}

/// A factor and its levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    /// Its name in tables and files: a key of the spec language, or [`Family::POOL`].
    pub name: String,
    /// Its levels as they are written, from none to full use.
    pub levels: Vec<String>,
}

impl Factor {
    /// What a level counts, for the axis of a figure.
    pub fn unit(&self) -> &'static str {
        match self.name.as_str() {
            "freelists" => "lists",
            "fit" => "% of the list searched",
            "split" | "coalesce" => "% of requests",
            "word" | "align" | "page" | "min" | "span" => "bytes",
            _ => "",
        }
    }
}

impl Family {
    /// The factor that chooses among the pools of a family. The columns of tables and files named `heap` are whole specs.
    pub const POOL: &'static str = "pool";

    /// How many designs it has.
    pub fn designs(&self) -> usize {
        self.factors.iter().map(|factor| factor.levels.len()).product()
    }

    /// Index of a factor.
    pub fn factor(&self, name: &str) -> Option<usize> {
        self.factors.iter().position(|factor| factor.name == name)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    family: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    heap: Value,
    #[serde(default)]
    levels: Table,
}

/// Reads families from the text of a space.
///
/// # Errors
///
/// [`SpaceError::Text`] when it is no TOML of this form, [`SpaceError::Family`] when a family says nothing of use.
pub(super) fn families(text: &str) -> Result<Vec<Family>, SpaceError> {
    let file: File = toml::from_str(text).map_err(|error| SpaceError::Text(error.to_string()))?;
    let families = file.family.into_iter().map(family).collect::<Result<Vec<Family>, SpaceError>>()?;
    for (index, one) in families.iter().enumerate() {
        if families[..index].iter().any(|other| other.name == one.name) {
            return Err(wrong(&one.name, "is there twice: give each family a name of its own"));
        }
    }
    if families.is_empty() {
        return Err(SpaceError::Text("it has no [[family]]".to_owned()));
    }
    Ok(families)
}

fn family(entry: Entry) -> Result<Family, SpaceError> {
    let name = entry.name;
    let heaps = words(&name, "heap", &entry.heap)?;
    let choice = Factor { name: Family::POOL.to_owned(), levels: heaps.clone() };
    let mut factors = if heaps.len() > 1 { vec![choice] } else { Vec::new() };
    for (key, value) in &entry.levels {
        factors.push(Factor { name: key.clone(), levels: words(&name, key, value)? });
    }
    if let Some(factor) = factors.iter().find(|factor| factor.levels.len() > usize::from(u8::MAX)) {
        return Err(wrong(&name, &format!("has {} levels of {}: 255 are the most", factor.levels.len(), factor.name)));
    }
    Ok(Family { name, heaps, factors })
}

/// The levels of a key: one value, or a list of them.
fn words(family: &str, key: &str, value: &Value) -> Result<Vec<String>, SpaceError> {
    let values = match value {
        Value::Array(values) => values.as_slice(),
        single => std::slice::from_ref(single),
    };
    let word = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        _ => Err(wrong(family, &format!("has a level of {key} that is neither a number nor a text"))),
    };
    let words = values.iter().map(word).collect::<Result<Vec<String>, SpaceError>>()?;
    if words.is_empty() {
        return Err(wrong(family, &format!("has no level of {key}: leave the key out, or give it one")));
    }
    if let Some(twice) = words.iter().enumerate().find(|(index, word)| words[..*index].contains(word)) {
        return Err(wrong(family, &format!("has the level {:?} of {key} twice", twice.1)));
    }
    Ok(words)
}

fn wrong(family: &str, what: &str) -> SpaceError {
    SpaceError::Family { family: family.to_owned(), what: what.to_owned() }
}
