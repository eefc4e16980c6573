//! Files of every format that is text or a few numbers, written out.

/// Their names, and what is in them.
pub const ALL: &[(&str, &str)] = &[
    ("lea.rep", "20000\n2\n5\n1\na 0 100\na 1 200\nr 0 300\nf 1\nf 0\n"),
    (
        "android.txt",
        "186: malloc 0xb6027400 100\n186: calloc 0xb6037058 4 50\n187: realloc 0xb6047000 0xb6027400 300\n\
         187: memalign 0xb6057000 16 300\n187: free 0xb6057000\n187: free 0xb6037058\n187: free 0x0\n\
         187: free 0xb6047000\n187: thread_done 0x0\n",
    ),
    (
        "raw.heaptrack",
        "v 10400 2\nx /a.out\nm a.out 400000 0 2000\nm - \nm libc.so.6 7f0000000000 0 1000 2000 3000\nt 401156 0\n\
         t 401200 1\n+ 64 1 1c6c2a0\n+ c8 2 1c6c3a0\n- 1c6c2a0\nc 5\nR 10\n+ 12c 1 1c6c4a0\n- 1c6c3a0\n- 1c6c4a0\n",
    ),
    (
        "interpreted.heaptrack",
        "v 10400 3\nX ./a.out\nI 1000 5e2\ns 5 a.out\ns 4 main\ns 6 main.c\ni 401156 1 2 3 1a\nt 1 0\na 64 1\n+ 0\n\
         a c8 1\n+ 1\nc 5\n- 0\na 12c 1\n+ 2\n- 1\n- 2\nR 10\n",
    ),
    (
        "log.mtrace",
        "= Start\n@ ./a out:(main+0x1d)[0x401156] + 0x1c6c2a0 0x64\n@ ./a out:[0x1192] + 0x1c6c3a0 0xc8\n\
         @ ./a out:[0x1193] < 0x1c6c2a0\n@ ./a out:[0x1193] > 0x1c6c4a0 0x12c\n@ ./a out:[0x1192] - 0x1c6c3a0\n\
         @ ./a out:[0x1194] ! 0x1c6c4a0 0x4000000000000000\n@ ./a out:[0x1192] - 0x1c6c4a0\n= End\n",
    ),
    (
        "log.ltrace",
        "execve(\"./a.out\", [\"a.out\"]) = 0\nprintf(\"%d\", 7) = 1\nmalloc(100) = 0x55d0c6a2a0\n\
         [pid 9] 12:00:01.500 libc.so.6->calloc(2, 100 <unfinished ...>\n[pid 8] 12:00:01.6 <... malloc resumed> ) = 0x99\n\
         [pid 9] 12:00:01.700 <... calloc resumed> ) = 0x55d0c6b2c0\nrealloc(0x55d0c6a2a0, 300) = 0x55d0c6c2c0\n\
         operator new(unsigned long)(24) = nil\nfree(0x55d0c6b2c0) = <void>\nfree(0)\nfree(0x55d0c6c2c0)\n+++ exited +++\n",
    ),
    (
        "log.strace",
        "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000\n\
         mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f0000010000\nmunmap(0x7f0000000000, 8192) = 0\n\
         munmap(0x7f0000010000, 4096) = 0\n",
    ),
    ("wee.txt", "Alloc(100),\nAlloc(200),\nFree(0),\nAlloc(300),\nFree(1),\nFree(2),\n"),
    ("lifetimes.csv", "id,lower,upper,size\n0,10,30,100\n1,20,40,200\n2,30,50,300\n3,7,7,9\n"),
    (
        "events.csv",
        "action,id,size,alignment,time,thread,site\nallocate,7,100,16,5,1,\"main.c, line 7\"\nmalloc,0x8,200,,6,,\n\
         realloc,7,300,,7,,\nfree,8,,,8,,\nf,7,,,9,,\n",
    ),
    ("sizes.txt", "size, rate, live\n16, 30, 600\n64, 10, 300\n4096, 1, 100\n"),
    ("frames.txt", "0.0001 64\n0.0023 1518\n0.0040 576\n0.0099 64\n0.0123 1518\n"),
    ("urls.txt", "http://example.org/a/b/c.html\n/index.html\nhttp://example.org/a?b=c&d=e\n/a/b/../c/%20%41.gif\n"),
    (
        "tabs.log",
        "host\tlogname\ttime\tmethod\turl\tresponse\tbytes\n199.1.1.1\t-\t804571201\tGET\t/history/\t200\t6245\n\
         199.1.1.2\t-\t804571206\tGET\t/shuttle/a.gif\t304\t0\n",
    ),
];

/// A replay as bytehound exports it: a version, a count, then records of four numbers.
pub fn bytehound() -> Vec<u8> {
    let records: [[u64; 4]; 5] =
        [[1, 0, 5000, 100], [1, 1, 5001, 200], [3, 0, 5002, 300], [2, 1, 5003, 0], [2, 0, 5004, 0]];
    let numbers = [2, records.len() as u64].into_iter().chain(records.into_iter().flatten());
    numbers.flat_map(u64::to_le_bytes).collect()
}
