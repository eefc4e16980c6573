//! What the system says of memory: what this process holds, and what there is.

use std::fs;

use crate::Bytes;

/// Bytes of a page, as `/proc/self/statm` counts them: the kernel's smallest, where larger ones are rare.
const PAGE: u64 = 4096;

/// The value where the system reports none.
const UNKNOWN: u64 = 4 << 30;

/// Resident bytes of this process without what it shares with files; 0 if the system does not report them.
pub(super) fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut fields = text.split_ascii_whitespace().skip(1).map_while(|field| field.parse::<u64>().ok());
    let (resident, shared) = (fields.next().unwrap_or(0), fields.next().unwrap_or(0));
    resident.saturating_sub(shared) * PAGE
}

/// The share of what is there that reading may take. Lists grow by doubling, and so do tables
/// in addition, so of a limited address space only a third can be filled.
pub(super) fn share() -> Bytes {
    let memory = [available(), control_group()].into_iter().flatten().map(|bytes| bytes / 4 * 3);
    let space = address_space().into_iter().map(|bytes| bytes / 3);
    Bytes(memory.chain(space).min().unwrap_or(UNKNOWN))
}

/// `MemAvailable` of `/proc/meminfo`.
fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1024))
}

/// The smallest limit of the control groups that this process is in, of version 2 or 1.
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    groups.lines().filter_map(group_limit).min()
}

/// The limit of one line of `/proc/self/cgroup` (`number:controllers:path`): that of the group, or of one above it.
fn group_limit(line: &str) -> Option<u64> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, path) = (fields.next()?, fields.next()?);
    let (root, file) = match controllers {
        "" => ("/sys/fs/cgroup", "memory.max"),
        names if names.split(',').any(|name| name == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
        _ => return None,
    };
    let above = std::path::Path::new(path.trim_start_matches('/')).ancestors();
    let limits = above.filter_map(|group| fs::read_to_string(format!("{root}/{}/{file}", group.display())).ok());
    limits.filter_map(|text| text.trim().parse().ok()).min()
}

/// `RLIMIT_AS`, as `/proc/self/limits` shows it.
fn address_space() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/limits").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}
