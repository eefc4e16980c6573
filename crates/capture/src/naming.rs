//! The name of a recording: `FOLDER/PROGRAM-PID.recording`, or `PROGRAM-PID-2.recording`
//! when a process becomes the same program once more.

/// Writes the path with a final zero; nothing when it would be too long.
pub fn name(path: &mut [u8], folder: &[u8], executable: &[u8], pid: u64, number: u64) -> Option<()> {
    let program = executable.rsplit(|&byte| byte == b'/').next().unwrap_or(executable);
    // The kernel adds this to the path of an executable that was replaced while it ran.
    let program = program.strip_suffix(b" (deleted)").unwrap_or(program);
    let program = if program.is_empty() { b"program".as_slice() } else { program };
    let mut digits = [0; 20];
    let mut end = 0;
    let mut push = |bytes: &[u8]| {
        let room = path.get_mut(end..end + bytes.len())?;
        room.copy_from_slice(bytes);
        end += bytes.len();
        Some(())
    };
    push(folder)?;
    push(b"/")?;
    push(program)?;
    push(b"-")?;
    push(decimal(pid, &mut digits))?;
    if number > 0 {
        push(b"-")?;
        push(decimal(number + 1, &mut digits))?;
    }
    push(b".recording\0")
}

fn decimal(mut number: u64, digits: &mut [u8; 20]) -> &[u8] {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[at..];
        }
    }
}
