//! Arguments of the form `key=value`: any order, each at most once.

use super::cursor::{Cursor, Result};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::problem::Problem;
use crate::validate::Place;

/// A key of a pool, a layer or the heap.
pub(crate) struct Key<T> {
    /// Its word.
    pub word: &'static str,
    /// The word with the signs that may follow, for the list of alternatives.
    pub forms: &'static [&'static str],
    /// Reads sign and value into the part.
    pub read: fn(&mut Cursor<'_>, &mut T) -> Result<()>,
}

/// The keys of one part, and those that have been set.
pub(crate) struct Keys<T: 'static> {
    of: &'static str,
    table: &'static [Key<T>],
    given: Vec<&'static str>,
}

impl<T> Keys<T> {
    pub fn new(of: &'static str, table: &'static [Key<T>]) -> Self {
        Self { of, table, given: Vec::new() }
    }

    /// The keys that can still be set, as they are written.
    pub fn remaining(&self) -> impl Iterator<Item = &'static str> {
        let open = |key: &&Key<T>| !self.given.contains(&key.word);
        let keys = self.table.iter().filter(open);
        keys.flat_map(|key| key.forms.iter().copied())
    }

    /// Reads one key with its value.
    pub fn read(&mut self, cursor: &mut Cursor<'_>, part: &mut T) -> Result<()> {
        let Kind::Word(word) = *cursor.peek() else {
            return Err(cursor.unexpected("a key", self.remaining()));
        };
        let Some(key) = self.table.iter().find(|key| key.word == word) else {
            let word = word.to_owned();
            let problem = Problem::UnknownKey { word, of: self.of };
            return Err(cursor.error(problem, self.remaining()));
        };
        if self.given.contains(&key.word) {
            return Err(cursor.error(Problem::Duplicate(key.word), self.remaining()));
        }
        self.given.push(key.word);
        cursor.advance();
        (key.read)(cursor, part)
    }

    /// Reads the keys behind an argument, up to the closing parenthesis.
    pub fn remainder(&mut self, cursor: &mut Cursor<'_>, opened: usize, part: &mut T) -> Result<()> {
        while cursor.another(opened)? {
            self.read(cursor, part)?;
        }
        Ok(())
    }
}

/// Reads the keys of a part in parentheses; where none follow, the part stays as it is.
pub(crate) fn optional<T>(
    cursor: &mut Cursor<'_>,
    of: &'static str,
    table: &'static [Key<T>],
    part: &mut T,
) -> Result<()> {
    if !matches!(cursor.peek(), Kind::Open) {
        return Ok(());
    }
    let opened = cursor.open(of)?;
    let mut keys = Keys::new(of, table);
    keys.read(cursor, part)?;
    keys.remainder(cursor, opened, part)
}

/// Reads `=` and a number, which says this place.
pub(crate) fn number(cursor: &mut Cursor<'_>, place: Place, wanted: &'static str) -> Result<u64> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(place);
    cursor.number(wanted)
}

/// Reads `=` and a word.
pub(crate) fn equals<K: Keyword>(cursor: &mut Cursor<'_>, key: &'static str) -> Result<K> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.keyword(key)
}
