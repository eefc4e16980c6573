//! Size distributions: a line for each size, with how often it is asked for and how many
//! blocks of it are live, as `size, rate, live`. Rates and live blocks are in any unit, the
//! same throughout a file. A header line is left alone.

use super::format::Input;
use super::lines::Lines;
use crate::error::LoadError;

/// One size of a distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    /// Bytes of a request.
    pub size: u64,
    /// Requests in a unit of time.
    pub rate: f64,
    /// Live blocks on average.
    pub live: f64,
}

/// Whether the lines of a text are those of a distribution.
pub(super) fn begins(lines: &[&str]) -> bool {
    let lines = match lines {
        [first, rest @ ..] if is_header(first) => rest,
        lines => lines,
    };
    // The last line may be cut off.
    lines.first().is_some_and(|line| parse(line).is_ok())
        && lines[..lines.len() - 1].iter().all(|line| parse(line).is_ok())
}

fn is_header(line: &str) -> bool {
    line.split(',').map(str::trim).map(str::to_ascii_lowercase).eq(["size", "rate", "live"])
}

fn parse(line: &str) -> Result<Rate, &'static str> {
    let mut fields = line.split(',').map(str::trim);
    let (Some(size), Some(rate), Some(live), None) = (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Err("not a size, a rate and a number of live blocks");
    };
    let size = size.parse().map_err(|_| "the size is not a whole number of bytes")?;
    let number = |text: &str| text.parse().ok().filter(|number| (0.0..=1e30).contains(number));
    let rate = number(rate).ok_or("the rate is not a number from 0 to 1e30")?;
    let live = number(live).ok_or("the live blocks are not a number from 0 to 1e30")?;
    Ok(Rate { size, rate, live })
}

/// Reads a distribution.
pub(crate) fn rates(input: Input, keep_damaged: bool) -> Result<Vec<Rate>, LoadError> {
    let Input { path, reader, .. } = input;
    let mut lines = Lines::new(&path, reader, keep_damaged);
    let (mut rates, mut is_first) = (Vec::new(), true);
    while let Some(line) = lines.next_line()? {
        match parse(line) {
            Ok(rate) => rates.push(rate),
            Err(_) if is_first && is_header(line) => {}
            Err(cause) => lines.refuse(cause)?,
        }
        is_first = false;
    }
    if rates.iter().all(|rate| rate.rate == 0.0) {
        return Err(LoadError::Nothing { path, what: "size with a rate above 0" });
    }
    Ok(rates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hold_size_rate_and_live() {
        assert_eq!(parse("24, 1.5,300").unwrap(), Rate { size: 24, rate: 1.5, live: 300.0 });
        for bad in ["", "24,1", "24,1,2,3", "x,1,2", "24,-1,2", "24,NaN,2", "24,1,inf", "1.5,1,2"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(begins(&["size, rate, live", "1,2,3", "4,"]));
        assert!(!begins(&["1,2,3", "x", "4,5,6"]));
    }
}
