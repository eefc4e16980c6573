//! What a load command prints: requests per second, and percentiles of latency.
//!
//! | tool | read |
//! |---|---|
//! | redis-benchmark 7 (`-q`, `--csv` and plain) | `… requests per second, p50=0.111 msec`; columns `rps`, `p50_latency_ms`, …; the summary below `latency summary (msec)` |
//! | wrk 4, wrk2 (`--latency`) | `50%  1.23ms`; `Requests/sec:  123.45` |
//! | hey 0.1, oha 1 | `50% in 0.0012 secs`; `Requests/sec: 123.45` |
//! | ab 2.3 | `50%  3` in milliseconds; `Requests per second:  123.45` |
//! | memtier_benchmark 2 | the row `Totals` under its heading |
//!
//! Where it prints several tests, as redis-benchmark does, the rate is the harmonic mean of the tests (each makes as many requests)
//! and a percentile is the median over them. What is not recognised is not guessed: the command's own time still says how fast the
//! server was.

use crate::statistics::median;

/// What a load command measured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoadFigures {
    /// Requests per second.
    pub rate: Option<f64>,
    /// Latencies in milliseconds by percentile, ascending.
    pub latencies: Vec<(f64, f64)>,
}

impl LoadFigures {
    /// The latency at a percentile, in milliseconds.
    pub fn latency(&self, percentile: f64) -> Option<f64> {
        self.latencies.iter().find(|(known, _)| (known - percentile).abs() < 1e-6).map(|(_, value)| *value)
    }

    /// Of what a load command printed.
    pub fn of(text: &str) -> LoadFigures {
        // A line that is written over itself ends with a carriage return.
        let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).collect();
        let mut found = Found::default();
        found.tables(&lines);
        lines.iter().for_each(|line| found.line(line));
        found.figures()
    }
}

/// All rates and latencies that were found.
#[derive(Default)]
struct Found {
    rates: Vec<f64>,
    latencies: Vec<(f64, f64)>,
}

impl Found {
    fn figures(self) -> LoadFigures {
        let positive: Vec<f64> = self.rates.iter().copied().filter(|rate| *rate > 0.0).collect();
        let rate =
            (!positive.is_empty()).then(|| positive.len() as f64 / positive.iter().map(|rate| 1.0 / rate).sum::<f64>());
        let mut percentiles: Vec<f64> = self.latencies.iter().map(|(percentile, _)| *percentile).collect();
        percentiles.sort_by(f64::total_cmp);
        percentiles.dedup();
        let of = |percentile: f64| {
            let all = self.latencies.iter().filter(|(known, _)| *known == percentile);
            Some((percentile, median(&all.map(|(_, value)| *value).collect::<Vec<_>>())?))
        };
        LoadFigures { rate, latencies: percentiles.into_iter().filter_map(of).collect() }
    }

    fn line(&mut self, line: &str) {
        const RATES: [&str; 3] = ["Requests/sec:", "Requests per second:", "throughput summary:"];
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(remainder) = RATES.iter().find_map(|begin| line.strip_prefix(begin)) {
            self.rates.extend(remainder.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()));
        } else if line.contains("requests per second, p50=") {
            let before = words.iter().position(|word| *word == "requests").unwrap_or(0).checked_sub(1);
            self.rates.extend(before.and_then(|at| words[at].parse::<f64>().ok()));
            let latency =
                line.split_once("p50=").and_then(|(_, remainder)| remainder.split_whitespace().next()?.parse().ok());
            self.latencies.extend(latency.map(|latency: f64| (50.0, latency)));
        } else if let Some((percentile, value)) = words.split_first() {
            self.percentile(percentile, value);
        }
    }

    /// `99% 1.23ms`, `99% in 0.0012 secs`, `99% 3`.
    fn percentile(&mut self, percentile: &str, value: &[&str]) {
        let Some(percentile) = percentile.strip_suffix('%').and_then(|number| number.parse::<f64>().ok()) else {
            return;
        };
        let latency = match value {
            ["in", seconds, "secs" | "sec", ..] => seconds.parse::<f64>().ok().map(|seconds| seconds * 1e3),
            [value] | [value, "(longest", "request)"] => milliseconds(value),
            _ => None,
        };
        self.latencies.extend(latency.map(|latency| (percentile, latency)));
    }

    /// Rows under a heading of percentiles.
    fn tables(&mut self, lines: &[&str]) {
        for (at, line) in lines.iter().enumerate() {
            let cells = |line: &str| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect::<Vec<_>>();
            if line.starts_with("\"test\",\"rps\"") {
                let heading = cells(line);
                lines[at + 1..].iter().take_while(|line| line.starts_with('"')).for_each(|row| {
                    self.row(&heading, &cells(row));
                });
            } else if line.starts_with("latency summary (msec)") {
                let words = |at: usize| lines.get(at).map_or(Vec::new(), |line| owned(line));
                self.row(&words(at + 1), &words(at + 2));
            } else if line.starts_with("Type ") && line.contains("Ops/sec") {
                let heading: Vec<String> = line
                    .replace("Avg. ", "avg-")
                    .replace(" Latency", "")
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect();
                if let Some(row) = lines[at + 1..].iter().find(|line| line.starts_with("Totals")) {
                    self.row(&heading, &owned(row));
                }
            }
        }
    }

    fn row(&mut self, heading: &[String], row: &[String]) {
        for (name, value) in heading.iter().zip(row) {
            let Ok(value) = value.parse::<f64>() else { continue };
            let name = name.strip_suffix("_latency_ms").unwrap_or(name);
            match name.strip_prefix('p').and_then(|percentile| percentile.parse::<f64>().ok()) {
                Some(percentile) => self.latencies.push((percentile, value)),
                None if name == "rps" || name == "Ops/sec" => self.rates.push(value),
                None if name == "max" => self.latencies.push((100.0, value)),
                None => {}
            }
        }
    }
}

fn owned(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

/// A latency with its unit; a bare number is of milliseconds.
fn milliseconds(text: &str) -> Option<f64> {
    let digits = text.find(|c: char| c.is_alphabetic() || c == 'µ').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    Some(match &text[digits..] {
        "us" | "µs" => number / 1e3,
        "" | "ms" => number,
        "s" => number * 1e3,
        "m" => number * 6e4,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redis_benchmark_is_read_in_its_three_forms() {
        let quiet = LoadFigures::of(
            "SET: rps=0.0 (overall: 0.0)\rSET: 50000.00 requests per second, p50=0.4 msec\nGET: 100000.00 requests per second, p50=0.2 msec\n",
        );
        assert!((quiet.rate.expect("a rate") - 66_666.67).abs() < 0.1, "as many requests of each: {quiet:?}");
        assert!((quiet.latency(50.0).expect("a median") - 0.3).abs() < 1e-9);
        let csv = "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\",\"p95_latency_ms\",\"p99_latency_ms\",\"max_latency_ms\"\n\"SET\",\"1000.00\",\"0.4\",\"0.1\",\"0.3\",\"0.9\",\"1.5\",\"2.5\"\n";
        let csv = LoadFigures::of(csv);
        assert_eq!((csv.rate, csv.latency(99.0), csv.latency(100.0)), (Some(1000.0), Some(1.5), Some(2.5)));
        let plain = LoadFigures::of(
            "Summary:\n  throughput summary: 2000.00 requests per second\n  latency summary (msec):\n          avg       min       p50       p95       p99       max\n        0.246     0.064     0.215     0.399     0.671     5.063\n",
        );
        assert_eq!((plain.rate, plain.latency(95.0), plain.latency(100.0)), (Some(2000.0), Some(0.399), Some(5.063)));
    }

    #[test]
    fn http_load_tools_are_read() {
        let wrk = LoadFigures::of(
            "  Latency Distribution\n     50%  635.91us\n     99%    1.20ms\n  56 requests in 30.00s\nRequests/sec: 748868.53\n",
        );
        assert_eq!((wrk.rate, wrk.latency(99.0)), (Some(748_868.53), Some(1.2)));
        assert!((wrk.latency(50.0).expect("a median") - 0.63591).abs() < 1e-9);
        let hey = LoadFigures::of("  Requests/sec:\t100.5\n  50% in 0.0100 secs\n  99% in 0.0200 secs\n");
        assert_eq!((hey.rate, hey.latency(50.0), hey.latency(99.0)), (Some(100.5), Some(10.0), Some(20.0)));
        let ab = LoadFigures::of(
            "Requests per second:    1234.56 [#/sec] (mean)\n  50%      3\n 100%     12 (longest request)\n",
        );
        assert_eq!((ab.rate, ab.latency(50.0), ab.latency(100.0)), (Some(1234.56), Some(3.0), Some(12.0)));
        let memtier = "Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency     p99 Latency       KB/sec\nSets  1 0 0 0.2 0.3 0.4 9\nTotals      10.5         0.00         0.00         0.20         0.25         0.50         9.0\n";
        let memtier = LoadFigures::of(memtier);
        assert_eq!((memtier.rate, memtier.latency(50.0), memtier.latency(99.0)), (Some(10.5), Some(0.25), Some(0.5)));
    }

    #[test]
    fn other_text_gives_no_figure() {
        assert_eq!(LoadFigures::of("done, 100% of 3 files\n50% off\n"), LoadFigures::default());
    }
}
