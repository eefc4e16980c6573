//! What a figure depends on beyond heap and trace: repetitions of a drift, the region of what a replay counts, region and moment of a largest
//! request.

use std::ops::Range;

use toml::Spanned;

use super::{RawAssertion, Wrong};
use crate::amount::{Amount, RawAmount};
use crate::measure::{At, Figure, Measure};

/// Passes of a drift where the file names none.
const PASSES: u32 = 20;
/// Most passes: each replays the whole trace.
const MAX_PASSES: u32 = 10_000;
/// Moments that a largest request is tried at where the file names none.
const MOMENTS: u32 = 50;
/// Most moments: each replays half of the trace on average.
const MAX_MOMENTS: u32 = 100_000;

/// The parameters of an assertion, as they are in the file.
pub(super) struct Parameters<'f> {
    passes: Option<&'f Spanned<i64>>,
    leaked: Option<&'f Spanned<String>>,
    region: Option<&'f Spanned<RawAmount>>,
    at: Option<&'f Spanned<String>>,
    moments: Option<&'f Spanned<i64>>,
}

impl<'f> Parameters<'f> {
    pub fn of(raw: &'f RawAssertion) -> Parameters<'f> {
        Parameters {
            passes: raw.passes.as_ref(),
            leaked: raw.leaked.as_ref(),
            region: raw.region.as_ref(),
            at: raw.at.as_ref(),
            moments: raw.moments.as_ref(),
        }
    }

    /// The figure of a measure with these parameters, each of which must be one of its own.
    pub fn figure(&self, measure: Measure, span: Range<usize>) -> Result<Figure, Wrong> {
        let of_drift = [("passes", self.passes.map(Spanned::span)), ("leaked", self.leaked.map(Spanned::span))];
        let of_request = [("at", self.at.map(Spanned::span)), ("moments", self.moments.map(Spanned::span))];
        let foreign = |owner: Measure, keys: &[(&str, Option<Range<usize>>)]| {
            let found = keys.iter().find_map(|(key, span)| Some((*key, span.clone()?)));
            match found.filter(|_| measure != owner) {
                Some((key, span)) => Err((span, format!("{key} belongs to {}: remove it", owner.name()))),
                None => Ok(()),
            }
        };
        foreign(Measure::Drift, &of_drift)?;
        foreign(Measure::LargestRequest, &of_request)?;
        if let Some(region) = self.region.filter(|_| measure != Measure::LargestRequest && !measure.is_counted()) {
            let counted = Measure::ALL.into_iter().filter(|measure| measure.is_counted()).map(Measure::name);
            let (names, request) = (counted.collect::<Vec<_>>().join(", "), Measure::LargestRequest.name());
            return Err((region.span(), format!("region belongs to {names} and {request}: remove it")));
        }
        match measure {
            Measure::Drift => {
                let passes = within(self.passes, "passes", PASSES, 2..=MAX_PASSES)?;
                Ok(Figure::Drift { passes, frees: self.frees()? })
            }
            Measure::LargestRequest => Ok(Figure::LargestRequest { region: self.region(span)?, at: self.at()? }),
            measure if self.region.is_some() => Ok(Figure::InRegion { measure, region: self.region(span)? }),
            measure => Ok(Figure::Plain(measure)),
        }
    }

    fn frees(&self) -> Result<bool, Wrong> {
        match self.leaked.map(|leaked| (leaked.get_ref().as_str(), leaked.span())) {
            None | Some(("keep", _)) => Ok(false),
            Some(("free", _)) => Ok(true),
            Some((other, span)) => Err((span, format!("{other:?} is no rule for what is never freed: keep, or free"))),
        }
    }

    fn region(&self, span: Range<usize>) -> Result<u64, Wrong> {
        let Some(region) = self.region else {
            return Err((span, "largest_request depends on the region: add region = \"64K\" or what it is".to_owned()));
        };
        match Amount::of(region.get_ref()).map_err(|message| (region.span(), message))? {
            Amount::Number(bytes) if bytes >= 1.0 && bytes.fract() == 0.0 => Ok(bytes as u64),
            _ => Err((region.span(), "a region is a whole number of bytes above 0, as \"64K\"".to_owned())),
        }
    }

    fn at(&self) -> Result<At, Wrong> {
        let moments = within(self.moments, "moments", MOMENTS, 1..=MAX_MOMENTS)?;
        match (self.at.map(|at| (at.get_ref().as_str(), at.span())), self.moments) {
            (None | Some(("worst", _)), _) => Ok(At::Worst { moments }),
            (Some(("end", _)), None) => Ok(At::End),
            (Some(("end", _)), Some(moments)) => {
                Err((moments.span(), "at = \"end\" is one moment: remove moments, or write at = \"worst\"".to_owned()))
            }
            (Some((other, span)), _) => Err((span, format!("{other:?} is no moment: worst, or end"))),
        }
    }
}

fn within(
    given: Option<&Spanned<i64>>,
    key: &str,
    default: u32,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, Wrong> {
    let Some(given) = given else { return Ok(default) };
    let number = u32::try_from(*given.get_ref()).ok().filter(|number| range.contains(number));
    let (min, max) = (range.start(), range.end());
    number.ok_or_else(|| (given.span(), format!("{key} is a whole number from {min} to {max}")))
}
