//! Logs of web servers in the common format and its combined extension.
//!
//! ```text
//! host ident user [01/Jul/1995:00:00:01 -0400] "GET /a.html HTTP/1.0" 200 6245 "referer" "agent"
//! ```
//!
//! Quoted fields escape quotes as `\"`. Fields after the size are left alone.
//! Source: the log formats of NCSA httpd and of Apache's `mod_log_config`.

use heapsmith_trace::Nanoseconds;

use super::requests::Request;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Whether a line is one of a log.
pub(super) fn is_line(line: &str) -> bool {
    parse(line).is_ok()
}

/// Reads one line.
pub(super) fn parse(line: &str) -> Result<Request, &'static str> {
    let (_, rest) = line.split_once('[').ok_or("no time in brackets")?;
    let (time, rest) = rest.split_once(']').ok_or("no time in brackets")?;
    let mut request = Request {
        time: Some(time_of(time).ok_or("the time is none like 01/Jul/1995:00:00:01 -0400")?),
        ..Request::default()
    };
    let rest = rest.trim_start();
    let rest = rest.strip_prefix('"').ok_or("no request in quotes")?;
    let (line, rest) = quoted(rest).ok_or("the request's quotes do not end")?;
    request.set_line(&line);
    let mut fields = rest.split_ascii_whitespace();
    let status = fields.next().ok_or("no status after the request")?;
    if status != "-" && status.parse::<u16>().is_err() {
        return Err("the status is not a number");
    }
    request.reply = match fields.next() {
        None => return Err("no size after the status"),
        Some("-") => None,
        Some(bytes) => Some(bytes.parse().map_err(|_| "the reply's size is not a number of bytes")?),
    };
    Ok(request)
}

/// Splits at the quote that ends a field, and takes the escapes out of the field.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((field, &text[at + 1..])),
            '\\' => match characters.next()? {
                (_, escaped @ ('"' | '\\')) => field.push(escaped),
                (_, other) => field.extend(['\\', other]),
            },
            other => field.push(other),
        }
    }
    None
}

/// Reads `01/Jul/1995:00:00:01 -0400` as time since 1970.
fn time_of(text: &str) -> Option<Nanoseconds> {
    let (clock, zone) = text.trim().split_once(' ').unwrap_or((text.trim(), "+0000"));
    let (date, clock) = clock.split_once(':')?;
    let mut date = date.split('/');
    let day: i64 = date.next()?.parse().ok()?;
    let name = date.next()?;
    let month = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))? as i64 + 1;
    let year: i64 = date.next()?.parse().ok()?;
    let clock: Vec<&str> = clock.split(':').collect();
    let [hours, minutes, seconds] = clock[..] else {
        return None;
    };
    // Some servers log fractions of a second; none needs them here.
    let seconds = seconds.split('.').next()?;
    let number = |text: &str| text.parse::<u32>().ok().map(i64::from);
    let of_day = number(hours)? * 3600 + number(minutes)? * 60 + number(seconds)?;
    if !(1..=31).contains(&day) || !(1970..=9999).contains(&year) || of_day > 86_400 {
        return None;
    }
    let total = days_since_1970(year, month, day) * 86_400 + of_day - zone_of(zone)?;
    Some(Nanoseconds(u64::try_from(total).ok()?.checked_mul(1_000_000_000)?))
}

/// Reads `-0400` as seconds east of Greenwich.
fn zone_of(text: &str) -> Option<i64> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits: i64 = digits.parse::<u16>().ok()?.into();
    Some(sign * (digits / 100 * 3600 + digits % 100 * 60))
}

/// Days from 1970-01-01 in the Gregorian calendar, counting years from March so that the
/// leap day comes last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"h.example - - [01/Jul/1995:00:00:01 -0400] "GET /a.html HTTP/1.0" 200 6245"#;

    #[test]
    fn a_common_line_reads_whole() {
        let request = parse(LINE).unwrap();
        assert_eq!(request.time, Some(Nanoseconds(804_571_201_000_000_000)));
        assert_eq!(request.method, "GET");
        assert_eq!(request.target, "/a.html");
        assert_eq!(request.version, "HTTP/1.0");
        assert_eq!(request.reply, Some(6245));
    }

    #[test]
    fn quotes_in_a_request_may_be_escaped() {
        let line = r#"h - - [29/Feb/2024:23:59:60 +0000] "GET /say\"hi\"?a=\\b\x41 HTTP/1.1" 304 - "-" "agent \"x\"""#;
        let request = parse(line).unwrap();
        assert_eq!(request.target, r#"/say"hi"?a=\b\x41"#);
        assert_eq!(request.reply, None);
        assert_eq!(request.time, Some(Nanoseconds(1_709_251_200_000_000_000)));
    }

    #[test]
    fn what_was_no_request_is_still_a_line() {
        let line = r#"h - - [01/Jul/1995:00:00:01 -0400] "-" 400 0"#;
        assert_eq!(parse(line).unwrap().target, "-");
        let line = r#"h - - [01/Jul/1995:00:00:01 -0400] "" 400 0"#;
        assert_eq!(parse(line).unwrap().target, "");
    }

    #[test]
    fn bad_lines_say_what_is_bad() {
        for (from, to, cause) in [
            ("[", "(", "no time in brackets"),
            ("Jul", "Jly", "the time is none like 01/Jul/1995:00:00:01 -0400"),
            ("1995", "99999999999999999999", "the time is none like 01/Jul/1995:00:00:01 -0400"),
            ("HTTP/1.0\"", "", "the request's quotes do not end"),
            ("\"GET", "GET", "no request in quotes"),
            (" 200", " ok", "the status is not a number"),
            (" 6245", "", "no size after the status"),
            ("6245", "big", "the reply's size is not a number of bytes"),
        ] {
            assert_eq!(parse(&LINE.replace(from, to)), Err(cause), "{from} -> {to}");
        }
    }
}
