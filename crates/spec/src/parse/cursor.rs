//! A place in the tokens, and the errors that point at it.

use crate::error::SpecError;
use crate::keyword::Keyword;
use crate::lexer::{Kind, Token, tokens};
use crate::problem::Problem;
use crate::validate::Place;

/// The result of reading a part.
pub(crate) type Result<T> = std::result::Result<T, SpecError>;

/// The places of a spec's parts in its text.
#[derive(Debug, Default)]
pub(crate) struct Places(Vec<(Place, usize)>);

impl Places {
    /// The column of a part; of the whole, where the part itself was not written.
    pub fn column(&self, place: Place) -> usize {
        let noted = self.0.iter().find(|(noted, _)| *noted == place);
        noted.map_or(1, |(_, column)| *column)
    }

    /// Makes room for a layer of this number, which was written as `place`.
    pub fn insert_layer(&mut self, number: usize, place: Place) {
        let column = self.column(place);
        for (noted, _) in &mut self.0 {
            if let Place::Layer(layer) | Place::FreeLists { layer, .. } | Place::Spans { layer, .. } = noted {
                *layer += usize::from(*layer >= number);
            }
        }
        self.0.push((Place::Layer(number), column));
    }
}

/// The tokens of a text and how far they have been read.
pub(crate) struct Cursor<'text> {
    text: &'text str,
    tokens: Vec<Token<'text>>,
    at: usize,
    /// Which layer is being read, for the places of its sizes.
    pub layer: usize,
    /// The places of the parts read so far.
    pub places: Places,
}

impl<'text> Cursor<'text> {
    pub fn new(text: &'text str) -> Self {
        Self { text, tokens: tokens(text), at: 0, layer: 0, places: Places::default() }
    }

    /// The token that comes next.
    pub fn peek(&self) -> &Kind<'text> {
        &self.tokens[self.at].kind
    }

    /// The token behind that one. Behind the end there is only the end.
    pub fn peek_second(&self) -> &Kind<'text> {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    /// Whether this word comes next.
    pub fn sees_word(&self, word: &str) -> bool {
        matches!(self.peek(), Kind::Word(seen) if *seen == word)
    }

    /// The column of the token that comes next.
    pub fn column(&self) -> usize {
        self.tokens[self.at].column
    }

    /// Steps over a token, but never over the end.
    pub fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Remembers that this part of the spec is here.
    pub fn note(&mut self, place: Place) {
        self.places.0.push((place, self.column()));
    }

    /// The error of this problem at the next token.
    pub fn error(&self, problem: Problem, alternatives: impl IntoIterator<Item = impl Into<String>>) -> SpecError {
        SpecError {
            column: self.column(),
            problem,
            alternatives: alternatives.into_iter().map(Into::into).collect(),
            text: self.text.to_owned(),
        }
    }

    /// The error that the next token is not what is needed.
    pub fn unexpected(
        &self,
        wanted: impl Into<String>,
        alternatives: impl IntoIterator<Item = impl Into<String>>,
    ) -> SpecError {
        let problem = match self.peek() {
            Kind::Stray(problem) => problem.clone(),
            // A number of another base is none where a number is needed.
            Kind::Address(address) => Problem::Suffix(format!("{address:#x}")),
            other => Problem::Unexpected { found: other.name(), wanted: wanted.into() },
        };
        self.error(problem, alternatives)
    }

    /// Steps over this word, which has to come next.
    pub fn word(&mut self, word: &'static str) -> Result<()> {
        if !self.sees_word(word) {
            return Err(self.unexpected(format!("`{word}`"), [word]));
        }
        self.advance();
        Ok(())
    }

    /// Steps over the sign `kind`, which has to come next.
    pub fn sign(&mut self, kind: &Kind<'_>, sign: &'static str) -> Result<()> {
        if std::mem::discriminant(self.peek()) != std::mem::discriminant(kind) {
            return Err(self.unexpected(format!("`{sign}`"), [sign]));
        }
        self.advance();
        Ok(())
    }

    /// The number that has to come next.
    pub fn number(&mut self, wanted: &'static str) -> Result<u64> {
        let Kind::Number(number) = *self.peek() else {
            return Err(self.unexpected(wanted, [] as [&str; 0]));
        };
        self.advance();
        Ok(number)
    }

    /// The number that has to come next, where larger ones than a type holds are too many in any case.
    pub fn number_as<N: TryFrom<u64>>(&mut self, wanted: &'static str) -> Result<N> {
        if let Kind::Number(number) = *self.peek()
            && N::try_from(number).is_err()
        {
            return Err(self.error(Problem::HugeNumber(number.to_string()), [] as [&str; 0]));
        }
        self.number(wanted).map(|number| N::try_from(number).unwrap_or_else(|_| unreachable!("it was asked before")))
    }

    /// The address that has to come next, in either base.
    pub fn address(&mut self) -> Result<u64> {
        let (Kind::Number(address) | Kind::Address(address)) = *self.peek() else {
            return Err(self.unexpected("an address", [] as [&str; 0]));
        };
        self.advance();
        Ok(address)
    }

    /// The word of a value that has to come next.
    pub fn keyword<K: Keyword>(&mut self, key: &'static str) -> Result<K> {
        let words = || K::WORDS.iter().map(|(word, _)| *word).chain(K::FORMS.iter().copied());
        let Kind::Word(word) = *self.peek() else {
            return Err(self.unexpected("a value", words()));
        };
        let Some(value) = K::from_word(word) else {
            let word = word.to_owned();
            return Err(self.error(Problem::UnknownValue { word, key }, words()));
        };
        self.advance();
        Ok(value)
    }

    /// Steps over the parenthesis that opens the part called `of`, and gives its column.
    /// Whatever follows, it is not the one that closes.
    pub fn open(&mut self, of: &'static str) -> Result<usize> {
        let column = self.column();
        self.sign(&Kind::Open, "(")?;
        match self.peek() {
            Kind::Close => Err(self.error(Problem::Empty(of), [] as [&str; 0])),
            _ => Ok(column),
        }
    }

    /// Steps over the parenthesis that closes the one at column `opened`.
    pub fn close(&mut self, opened: usize) -> Result<()> {
        if matches!(self.peek(), Kind::End) {
            return Err(self.error(Problem::NotClosed(opened), [")"]));
        }
        self.sign(&Kind::Close, ")")
    }

    /// Whether another argument follows: after a comma it does, after `)` it does not.
    pub fn another(&mut self, opened: usize) -> Result<bool> {
        let more = match self.peek() {
            Kind::Comma => true,
            Kind::Close => false,
            Kind::End => return Err(self.error(Problem::NotClosed(opened), [",", ")"])),
            _ => return Err(self.unexpected("`,` or `)`", [",", ")"])),
        };
        self.advance();
        Ok(more)
    }
}
