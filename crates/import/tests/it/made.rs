//! Files of every format, made here: what is in them is known.

// Each test uses its part of this.
#![allow(dead_code)]

use std::path::PathBuf;

use crate::packets;
use heapsmith_import::{ImportError, Imported, Importer, import, importer};
use heapsmith_trace::{Action, Trace};
use tempfile::TempDir;

/// A file of a format that allocates blocks of 100 and 200 bytes, makes the first one of
/// 300, and frees both; as good and as damaged in its last third.
pub struct Made {
    pub importer: &'static str,
    pub good: Vec<u8>,
    pub damaged: Vec<u8>,
    /// What the trace is.
    pub wanted: &'static str,
}

const PLAIN: &str = "+0:100 +1:200 ~0:300 -1 -0";

/// The stream of a board of big endian without a clock.
fn board() -> Vec<u8> {
    let mark = |events: u32, end: u32| {
        let about = 1 << 24 | end << 8;
        let check = (events ^ about).to_le_bytes().iter().fold(0, |all, byte| all ^ byte);
        [0x4845_4150, 0x534d_4954, events, about | u32::from(check), 0, 0]
    };
    let event = |kind: u32, first: u32, low: u32| {
        let second = kind << 28 | low;
        let check = (0..8).fold(0, |all, digit| all ^ (first ^ second) >> (4 * digit) & 0xf);
        [first, second | check << 24]
    };
    let events = [
        event(1, 0x2000_0010, 100),
        event(1, 0x2000_0100, 200),
        event(3, 0x2000_0010, 0),
        event(4, 0x2000_0200, 300),
        event(2, 0x2000_0100, 0),
        event(2, 0x2000_0200, 0),
    ];
    let words = mark(0, 0).into_iter().chain(events.into_iter().flatten()).chain(mark(6, 1));
    words.flat_map(u32::to_be_bytes).collect()
}

pub fn all() -> Vec<Made> {
    let text = |importer, good: &str, damaged: &str, wanted| Made {
        importer,
        good: good.as_bytes().to_vec(),
        damaged: damaged.as_bytes().to_vec(),
        wanted,
    };
    let replay = |records: &[[u64; 4]]| {
        let words = [2, records.len() as u64].into_iter().chain(records.iter().flatten().copied());
        words.flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
    };
    let records = [[1, 0, 5000, 100], [1, 1, 5001, 200], [3, 0, 5002, 300], [2, 1, 5003, 0], [2, 0, 5004, 0]];
    let good = replay(&records);
    let bytehound = Made { importer: "bytehound", damaged: good[..good.len() - 9].to_vec(), good, wanted: PLAIN };
    let damaged = board();
    let at = damaged.len() - 40;
    let board = Made {
        importer: "board",
        good: board(),
        damaged: [&damaged[..at], &[damaged[at] ^ 8], &damaged[at + 1..]].concat(),
        wanted: PLAIN,
    };
    let good = packets::esp_idf().saved("; Author      Espressif Inc\n");
    let damaged = [&good[..good.len() - 30], &[0xff; 30]].concat();
    let systemview = Made { importer: "systemview", good, damaged, wanted: "+0:100 +1:200 -0 +2:300 -1 -2" };
    vec![
        board,
        systemview,
        text(
            "esp-idf",
            "[0.001] HEAP: Allocated 100 bytes @ 0x3ffb0010 from task \"main\" on core 0 by: \n/app/main.c:7\n\n\
             [0.002] HEAP: Allocated 200 bytes @ 0x3ffb0100 from task \"main\" on core 0 by: 0x400d9c2d\n[0.002] LOG: hello\n\
             [0.003] HEAP: Freed bytes @ 0x3ffb0010 from task \"free\" on core 1 by: 0x400d9c2d\n\
             [0.003] HEAP: Allocated 300 bytes @ 0x3ffb0200 from task \"free\" on core 1 by: 0x400d9c2d\n\
             [0.004] HEAP: Freed bytes @ 0x3ffb0100 from task \"free\" on core 1 by: 0x400d9c2d\n\
             [0.005] HEAP: Freed bytes @ 0x3ffb0200 from task \"free\" on core 1 by: 0x400d9c2d\nProcessed 9 events\n",
            "[0.001] HEAP: Allocated 100 bytes @ 0x3ffb0010 from task \"main\" on core 0 by: \n/app/main.c:7\n\n\
             [0.002] HEAP: Allocated 200 bytes @ 0x3f",
            "+0:100 +1:200 -0 +2:300 -1 -2",
        ),
        text(
            "nuttx",
            "# tracer: nop\n#\n   hello-7   [0]   1.250000000: tracing_mark_write: C|7|Heap Usage|100|malloc: heap: 0x2000a000 size:100, address: 0x2000b0f8\n\
             \x20  hello-7   [0]   1.250100000: tracing_mark_write: C|7|Heap Usage|300|malloc: heap: 0x2000a000 size:200, address: 0x2000c0f8\n\
             \x20  hello-7   [0]   1.250200000: tracing_mark_write: C|7|Heap Usage|200|free: heap: 0x2000a000 size:100, address: 0x2000b0f8\n\
             \x20  hello-7   [0]   1.250200000: tracing_mark_write: C|7|Heap Usage|500|malloc: heap: 0x2000a000 size:300, address: 0x2000b0f8\n\
             \x20   init-3   [0]   1.250300000: tracing_mark_write: C|3|Heap Usage|300|free: heap: 0x2000a000 size:200, address: 0x2000c0f8\n\
             \x20   init-3   [0]   1.250400000: tracing_mark_write: C|3|Heap Usage|0|free: heap: 0x2000a000 size:300, address: 0x2000b0f8\n",
            "   hello-7   [0]   1.250000000: tracing_mark_write: C|7|Heap Usage|100|malloc: heap: 0x2000a000 size:100, address: 0x2000b0f8\n\
             \x20  hello-7   [0]   1.250100000: tracing_mark_write: C|7|Heap Usage|300|mal\n",
            "+0:100 +1:200 -0 +2:300 -1 -2",
        ),
        text(
            "rep",
            "20000\n2\n5\n1\na 0 100\na 1 200\nr 0 300\nf 1\nf 0\n",
            "20000\n2\n5\n1\na 0 100\na 1 200\nr 0 300\nf 1\nf 1\n",
            PLAIN,
        ),
        text(
            "memory-replay",
            "186: malloc 0xb6027400 100\n186: calloc 0xb6037058 4 50\n187: realloc 0xb6047000 0xb6027400 300\n\
             187: free 0xb6037058\n187: free 0x0\n187: free 0xb6047000\n187: thread_done 0x0\n",
            "186: malloc 0xb6027400 100\n186: calloc 0xb6037058 4 50\n187: realloc 0xb6047000 0xb60",
            PLAIN,
        ),
        text(
            "heaptrack",
            "v 10400 3\nX ./a.out\nI 1000 5e2\ns 5 a.out\ns 4 main\ns 6 main.c\ni 401156 1 2 3 1a\nt 1 0\na 64 1\n+ 0\na c8 1\n+ 1\nc 5\n- 0\n\
             a 12c 1\n+ 2\n- 1\n- 2\nR 10\n",
            "v 10400 3\nX ./a.out\nt 1 0\na 64 1\n+ 0\n+ 7\n",
            "+0:100 +1:200 -0 +2:300 -1 -2",
        ),
        text(
            "heaptrack",
            "v 10400 2\nx /a.out\nm a.out 400000 0 2000\nt 401156 0\n+ 64 1 1c6c2a0\n+ c8 1 1c6c3a0\n- 1c6c2a0\n+ 12c 1 1c6c4a0\n- 1c6c3a0\n- 1c6c4a0\n",
            "v 10400 2\nx /a.out\nt 401156 0\n+ 64 1 1c6c2a0\n+ c8 9 1c6c3a0\n",
            "+0:100 +1:200 -0 +2:300 -1 -2",
        ),
        bytehound,
        text(
            "mtrace",
            "= Start\n@ ./a out:(main+0x1d)[0x401156] + 0x1c6c2a0 0x64\n@ ./a out:[0x1192] + 0x1c6c3a0 0xc8\n\
             @ ./a out:[0x1193] < 0x1c6c2a0\n@ ./a out:[0x1193] > 0x1c6c4a0 0x12c\n@ ./a out:[0x1192] - 0x1c6c3a0\n\
             @ ./a out:[0x1194] ! 0x1c6c4a0 0x4000000000000000\n@ ./a out:[0x1192] - 0x1c6c4a0\n= End\n",
            "= Start\n@ ./a.out:[0x1192] + 0x1c6c2a0 0x64\n@ ./a.out:[0x1192] > 0x1c6c4a0 0x12c\n",
            PLAIN,
        ),
        text(
            "calls",
            "execve(\"./a.out\", [\"a.out\"]) = 0\nprintf(\"%d\", 7) = 1\nmalloc(100) = 0x55d0c6a2a0\n\
             [pid 9] 12:00:01.500 libc.so.6->calloc(2, 100 <unfinished ...>\n[pid 8] 12:00:01.6 <... malloc resumed> ) = 0x99\n\
             [pid 9] 12:00:01.700 <... calloc resumed> ) = 0x55d0c6b2c0\nrealloc(0x55d0c6a2a0, 300) = 0x55d0c6c2c0\n\
             operator new(unsigned long)(24) = nil\nfree(0x55d0c6b2c0) = <void>\nfree(0)\nfree(0x55d0c6c2c0)\n+++ exited +++\n",
            "malloc(100) = 0x55d0c6a2a0\nmalloc(20",
            PLAIN,
        ),
        text(
            "wee-alloc",
            "Alloc(100),\nAlloc(200),\nFree(0),\nAlloc(300),\nFree(1),\nFree(2),\n",
            "Alloc(100),\nFree(0),\nFree(0),\n",
            "+0:100 +1:200 -0 +2:300 -1 -2",
        ),
        text(
            "lifetimes",
            "id,lower,upper,size\n0,10,30,100\n1,20,40,200\n2,30,50,300\n3,7,7,9\n",
            "id,lower,upper,size\n0,10,30,100\n1,20,10,200\n",
            "+0:100 +1:200 -0 +2:300 -1 -2",
        ),
        text(
            "csv",
            "action,id,size,alignment,time,thread,site\nallocate,7,100,16,5,1,\"main.c, line 7\"\nmalloc,0x8,200,,6,,\nrealloc,7,300,,7,,\nfree,8,,,8,,\nf,7,,,9,,\n",
            "action,id,size\nallocate,7,100\nallocate,7,100\n",
            PLAIN,
        ),
    ]
}

/// Puts bytes into a file of its own.
pub fn file(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Imports bytes.
pub fn read(bytes: &[u8], named: Option<&str>, keep_damaged: bool) -> Result<Option<(Trace, Imported)>, ImportError> {
    let (_folder, path) = file(bytes);
    let named: Option<&'static Importer> = named.map(|name| importer(name).unwrap());
    let mut trace = Trace::default();
    let imported = import(&path, named, keep_damaged, &mut trace)?;
    Ok(imported.map(|imported| (trace, imported)))
}

/// What the error says, without the file's folder.
pub fn refusal(bytes: &[u8], named: Option<&str>) -> String {
    let (folder, path) = file(bytes);
    let named = named.map(|name| importer(name).unwrap());
    let error = import(&path, named, false, &mut Trace::default()).unwrap_err();
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

/// A trace as `+id:size ~id:size -id`.
pub fn text(trace: &Trace) -> String {
    let words = trace.events.iter().map(|event| match event.action {
        Action::Allocate { id, size, .. } => format!("+{id}:{}", size.0),
        Action::Reallocate { id, size } => format!("~{id}:{}", size.0),
        Action::Free { id } => format!("-{id}"),
        Action::Mark { label } => format!("!{label}"),
    });
    words.collect::<Vec<_>>().join(" ")
}
