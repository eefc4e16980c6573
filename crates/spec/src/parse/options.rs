//! What follows the pool: `word=4 align=8`

use super::cursor::{Cursor, Result};
use super::keys::{self, Key, Keys};
use super::{LAYERS, find};
use crate::ast::{Check, Delay, HugePages, Purge, Threads, WordSize};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::pool::POOLS;
use crate::problem::Problem;
use crate::validate::Place;

/// The options in the text.
#[derive(Default)]
pub(super) struct SpecOptions {
    pub word: WordSize,
    pub alignment: Option<u32>,
    pub threads: Threads,
    pub purge: Purge,
    pub huge: HugePages,
    pub check: Check,
    /// Whether `check=full` was written, which is a guard in addition.
    pub guarded: bool,
}

const KEYS: &[Key<SpecOptions>] = &[
    Key { word: "word", forms: &["word="], read: |cursor, options| word(cursor).map(|word| options.word = word) },
    Key {
        word: "align",
        forms: &["align="],
        read: |cursor, options| alignment(cursor).map(|bytes| options.alignment = Some(bytes)),
    },
    Key { word: "threads", forms: &["threads="], read: |cursor, options| threads(cursor, options) },
    Key { word: "purge", forms: &["purge="], read: |cursor, options| purge(cursor, options) },
    Key { word: "huge", forms: &["huge="], read: |cursor, options| huge(cursor, options) },
    Key { word: "check", forms: &["check="], read: |cursor, options| check(cursor, options) },
];

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<SpecOptions> {
    let mut options = SpecOptions::default();
    let mut keys = Keys::new("the heap", KEYS);
    loop {
        match *cursor.peek() {
            Kind::End => return Ok(options),
            Kind::Word(word) => {
                if let Some(problem) = misplaced(word) {
                    return Err(cursor.error(problem, keys.remaining()));
                }
                keys.read(cursor, &mut options)?;
            }
            Kind::Close => return Err(cursor.error(Problem::ClosesNothing, keys.remaining())),
            Kind::Stray(_) => return Err(cursor.unexpected("an option", keys.remaining())),
            ref other => {
                let problem = Problem::AfterEnd(other.name());
                return Err(cursor.error(problem, keys.remaining()));
            }
        }
    }
}

/// Whether a word is an option's.
pub(super) fn is_option(word: &str) -> bool {
    KEYS.iter().any(|key| key.word == word)
}

/// Why a word that begins a layer or a pool is wrong here.
fn misplaced(word: &str) -> Option<Problem> {
    if find(POOLS, word).is_some() {
        Some(Problem::SecondPool(word.to_owned()))
    } else if find(LAYERS, word).is_some() {
        Some(Problem::LayerAfterPool(word.to_owned()))
    } else {
        None
    }
}

fn word(cursor: &mut Cursor<'_>) -> Result<WordSize> {
    let sizes = || WordSize::WORDS.iter().map(|(digits, _)| *digits);
    cursor.sign(&Kind::Equals, "=")?;
    let Kind::Number(bytes) = *cursor.peek() else {
        return Err(cursor.unexpected("a number of bytes", sizes()));
    };
    let Some(word) = WordSize::from_bytes(bytes) else {
        return Err(cursor.error(Problem::WordSize(bytes), sizes()));
    };
    cursor.advance();
    Ok(word)
}

fn alignment(cursor: &mut Cursor<'_>) -> Result<u32> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::Alignment);
    // Only what does not fit is refused at once. The rest waits for the word, which may follow.
    if let Kind::Number(bytes) = *cursor.peek()
        && u32::try_from(bytes).is_err()
    {
        return Err(cursor.error(Problem::AlignmentAbove(bytes), [] as [&str; 0]));
    }
    let bytes = cursor.number("a number of bytes")?;
    Ok(u32::try_from(bytes).unwrap_or(u32::MAX))
}

fn threads(cursor: &mut Cursor<'_>, options: &mut SpecOptions) -> Result<()> {
    cursor.note(Place::Threads);
    options.threads = keys::equals(cursor, "threads")?;
    if options.threads == Threads::Lists && matches!(cursor.peek(), Kind::Open) {
        let opened = cursor.open("lists")?;
        let bytes = cursor.number("a number of bytes")?;
        cursor.close(opened)?;
        // What does not fit is no limit in any case.
        options.threads = Threads::ListsWithin(u32::try_from(bytes).unwrap_or(u32::MAX));
    }
    Ok(())
}

fn purge(cursor: &mut Cursor<'_>, options: &mut SpecOptions) -> Result<()> {
    cursor.note(Place::Purge);
    cursor.sign(&Kind::Equals, "=")?;
    for (word, level) in [("after", Purge::After as fn(Delay) -> Purge), ("lazy", Purge::Lazy)] {
        if cursor.sees_word(word) {
            cursor.advance();
            options.purge = level(delay(cursor, word)?);
            return Ok(());
        }
    }
    options.purge = cursor.keyword("purge")?;
    Ok(())
}

fn huge(cursor: &mut Cursor<'_>, options: &mut SpecOptions) -> Result<()> {
    cursor.sign(&Kind::Equals, "=")?;
    if !cursor.sees_word("from") {
        options.huge = cursor.keyword("huge")?;
        return Ok(());
    }
    cursor.advance();
    let opened = cursor.open("from")?;
    options.huge = HugePages::From(cursor.number("a number of bytes")?);
    cursor.close(opened)
}

fn delay(cursor: &mut Cursor<'_>, of: &'static str) -> Result<Delay> {
    let opened = cursor.open(of)?;
    // What does not fit never comes.
    let fits = |number| u32::try_from(number).unwrap_or(u32::MAX);
    let delay = match *cursor.peek() {
        Kind::Milliseconds(time) => {
            cursor.advance();
            Delay::Milliseconds(fits(time))
        }
        _ => Delay::Frees(fits(cursor.number("a number of frees, or milliseconds (`100ms`)")?)),
    };
    cursor.close(opened)?;
    Ok(delay)
}

fn check(cursor: &mut Cursor<'_>, options: &mut SpecOptions) -> Result<()> {
    cursor.note(Place::Check);
    cursor.sign(&Kind::Equals, "=")?;
    if cursor.sees_word(Check::FULL) {
        cursor.advance();
        (options.check, options.guarded) = (Check::Header, true);
    } else {
        options.check = cursor.keyword("check")?;
    }
    Ok(())
}
