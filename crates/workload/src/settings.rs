//! The parameters of one run: the value that was set, else the default, parsed by its type.

use crate::error::{LoadError, nearest};
use crate::workload::{KEEP_DAMAGED, Parameter, SEED, Workload};

/// The parameters of one run of a workload.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Whose parameters they are: a workload or an importer.
    owner: &'static str,
    parameters: &'static [Parameter],
    /// One value for every parameter, in their order.
    values: Vec<String>,
}

impl Settings {
    /// Takes these values, the last of equal names; refuses unknown names.
    pub fn new(workload: &'static Workload, given: &[(String, String)]) -> Result<Settings, LoadError> {
        Settings::of(workload.name, workload.parameters, given)
    }

    /// The same for anything that has a name and parameters.
    pub fn of(
        owner: &'static str,
        parameters: &'static [Parameter],
        given: &[(String, String)],
    ) -> Result<Settings, LoadError> {
        let names = || parameters.iter().map(|parameter| parameter.name);
        let defaults = parameters.iter();
        let mut values: Vec<String> = defaults.map(|parameter| parameter.default.to_owned()).collect();
        for (name, value) in given {
            let Some(index) = names().position(|known| known == name) else {
                return Err(LoadError::UnknownParameter {
                    workload: owner,
                    name: name.clone(),
                    near: nearest(name, names()),
                    known: names().collect::<Vec<_>>().join(", "),
                });
            };
            values[index] = value.trim().to_owned();
        }
        Ok(Settings { owner, parameters, values })
    }

    /// Every parameter with its value, for the trace's origin.
    pub fn used(&self) -> Vec<(String, String)> {
        let names = self.parameters.iter();
        let names = names.map(|parameter| parameter.name.to_owned());
        names.zip(self.values.iter().cloned()).collect()
    }

    /// Puts in a value that the workload found out, in place of `auto`.
    pub fn found(&mut self, name: &'static str, value: String) {
        if let Some(index) = self.position(name) {
            self.values[index] = value;
        }
    }

    /// The text of a parameter.
    pub fn text(&self, name: &'static str) -> &str {
        self.position(name).map_or("", |index| &self.values[index])
    }

    /// A whole number between `min` and `max`.
    pub fn number(&self, name: &'static str, min: u64, max: u64, wanted: &'static str) -> Result<u64, LoadError> {
        match self.text(name).parse() {
            Ok(number) if (min..=max).contains(&number) => Ok(number),
            _ => Err(self.bad(name, wanted)),
        }
    }

    /// A list of whole numbers between `min` and `max`, such as `64,256`, at least one.
    pub fn numbers(&self, name: &'static str, min: u64, max: u64, wanted: &'static str) -> Result<Vec<u64>, LoadError> {
        let number = |text: &str| text.trim().parse().ok().filter(|number| (min..=max).contains(number));
        let numbers: Option<Vec<u64>> = self.text(name).split(',').map(number).collect();
        numbers.ok_or_else(|| self.bad(name, wanted))
    }

    /// The seed of the draws.
    pub fn seed(&self) -> Result<u64, LoadError> {
        self.number(SEED.name, 0, u64::MAX, "a whole number")
    }

    /// A switch: `on` or `yes`, `off` or `no`.
    pub fn switch(&self, name: &'static str) -> Result<bool, LoadError> {
        match self.text(name) {
            "on" | "yes" => Ok(true),
            "off" | "no" => Ok(false),
            _ => Err(self.bad(name, "yes or no")),
        }
    }

    /// A share such as `2%` or `0.02`.
    pub fn share(&self, name: &'static str) -> Result<f64, LoadError> {
        let text = self.text(name);
        let share = match text.strip_suffix('%') {
            Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
            None => text.parse(),
        };
        match share {
            Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
            _ => Err(self.bad(name, "a share above 0% and up to 100%")),
        }
    }

    /// Bits in a second, such as `1500000`, `10M` or `64 kbit/s`; nothing for `auto`.
    pub fn rate(&self, name: &'static str) -> Result<Option<u64>, LoadError> {
        let text = self.text(name);
        if text == "auto" {
            return Ok(None);
        }
        let number = text.trim_end_matches("bit/s").trim_end();
        let (number, factor) = match number.char_indices().last() {
            Some((at, 'k')) => (&number[..at], 1e3),
            Some((at, 'M')) => (&number[..at], 1e6),
            Some((at, 'G')) => (&number[..at], 1e9),
            _ => (number, 1.0),
        };
        match number.trim_end().parse::<f64>() {
            Ok(number) if (1.0..=1e15).contains(&(number * factor)) => Ok(Some((number * factor).round() as u64)),
            _ => Err(self.bad(name, "auto or bits in a second, such as 64k, 10M or 1500000")),
        }
    }

    /// A number of bytes, such as `65536`, `64K` or `1M`; nothing for `auto`.
    pub fn bytes(&self, name: &'static str, wanted: &'static str) -> Result<Option<u64>, LoadError> {
        let text = self.text(name);
        if text == "auto" {
            return Ok(None);
        }
        let (number, shift) = match text.as_bytes().last() {
            Some(b'K') => (&text[..text.len() - 1], 10),
            Some(b'M') => (&text[..text.len() - 1], 20),
            Some(b'G') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        match number.parse() {
            Ok(number) if (1..=1_u64 << 32).contains(&number) => Ok(Some(number << shift)),
            _ => Err(self.bad(name, wanted)),
        }
    }

    /// Whether damaged input is taken as far as it goes.
    pub fn keep_damaged(&self) -> Result<bool, LoadError> {
        self.switch(KEEP_DAMAGED.name)
    }

    /// The error for a value that makes no sense.
    pub fn bad(&self, name: &'static str, wanted: &'static str) -> LoadError {
        LoadError::BadParameter { workload: self.owner, name, value: self.text(name).to_owned(), wanted }
    }

    fn position(&self, name: &str) -> Option<usize> {
        let mut names = self.parameters.iter();
        names.position(|parameter| parameter.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Result<Option<u64>, LoadError> {
        let given = [("rate".to_owned(), text.to_owned())];
        Settings::new(crate::workload::workload("drr").unwrap(), &given)?.rate("rate")
    }

    #[test]
    fn rates_read_with_and_without_units() {
        for (text, wanted) in [
            ("1500000", 1_500_000),
            ("10M", 10_000_000),
            ("1.5M", 1_500_000),
            ("64 kbit/s", 64_000),
            ("2 Gbit/s", 2_000_000_000),
            ("9600 bit/s", 9600),
        ] {
            assert_eq!(rate(text).unwrap(), Some(wanted), "{text}");
        }
        assert_eq!(rate("auto").unwrap(), None);
    }

    #[test]
    fn rates_that_make_no_sense_are_refused() {
        for text in ["", "fast", "0", "-1", "M", "1e99", "NaN", "10é"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }
}
