//! What `--help` teaches below the options of a verb; `-h` shows the examples alone.

/// Below the list of the verbs.
pub const FIRST_STEPS: &str = "\
First steps:
  heapsmith record -- PROGRAM                  keep what a program allocates
  heapsmith explore record-PROGRAM/*.parquet   recommend an allocator for it
  heapsmith run --heap DIR -- PROGRAM          run it on the pick in folder DIR
`heapsmith VERB -h` shows the usual options of a verb, `--help` all of them.";

/// Below that, where there is room.
pub const EXIT_CODES: &str = "\
Exit codes:
    0  done
    1  the job failed: a refused request under --verify, an assertion of check
    2  wrong use: a bad option, a bad spec
    3  a bad or missing input file
    4  the environment: a full disk, a missing tool, too little memory
  130  interrupted; results are kept
  141  standard output was closed before all was printed
run and record exit as the program does.";

/// The examples of a verb, and what else is worth knowing.
pub fn both(examples: &str, more: &str) -> String {
    format!("{examples}\n\n{more}")
}

pub const RACE: &str = "\
Examples:
  heapsmith race -- sort -R big.txt          every allocator that is installed
  heapsmith race --heap explore-sort --runs 20 -- sort -R big.txt
  heapsmith race --peer 'libc(arena_max=1)' --peer jemalloc -- ./program
  heapsmith race --heap DIR --load 'redis-benchmark -q -n 100000' -- redis-server";

pub const RACE_MORE: &str = "\
The program runs unmodified, on what it has (the baseline), on heaps and on \
reference allocators, each once in a round, in an order that the seed draws. \
First each runs once untimed: its output and exit code have to be those of the \
baseline, and its allocator has to serve the program, or it leaves the race.

Change: the ratio to the baseline's run of the same round, with its 95% \
interval (bootstrap of a trimmed mean). Time is that of processors; memory is \
resident, of all processes of the program together.

Ctrl-C keeps what was measured; the same command continues. `heapsmith report \
DIR` shows a race next to the exploration of its folder.

Exit codes: 1 if the program printed something else or failed on an allocator, \
4 if one did not serve it or the program fails as it is.";

pub const HEAPS: &str = "\
Examples:
  heapsmith heaps                   every heap that has a name
  heapsmith heaps --format csv      the same for a spreadsheet
  heapsmith replay TRACE --heap tlsf --heap best-fit";

pub const WORKLOADS: &str = "\
Examples:
  heapsmith workloads               input formats and workloads
  heapsmith inspect capture.pcap --as drr --set rate=1000000
  heapsmith replay workload:treeadd --set depth=12 --heap tlsf";

pub const RECORD: &str = "\
Examples:
  heapsmith record -- python3 script.py
  heapsmith record -o traces --only cc1 -- gcc -c big.c
  heapsmith record --sites -- ./server
  heapsmith record --symbols 'je_*' -- ./server
  heapsmith record --peer jemalloc -- ./server
  heapsmith record --pid $(pgrep -o redis-server) --for 1m
  heapsmith record --sample 64 --rotate 256M --keep 8 --sites -- ./server
  heapsmith record --java --java-collect 64K -- java -jar program.jar";

pub const RECORD_MORE: &str = "\
The program keeps its standard input, output and error; heapsmith writes to \
standard error. The exit code is the program's own, or 128 plus the number of \
the signal that ended it. It is 4 if the program ended with 0 and could not be \
recorded (clean environment, own allocator, no room). A program that cannot be \
recorded (statically linked, set-user-id, 32-bit) is not started.

A program that runs already (--pid): one of its threads is held for some \
milliseconds at the beginning and at the end, and what the recording cost it \
is printed. It keeps the recorder, some 60 KB, which does nothing after that. \
If heapsmith is killed, the recording ends by itself after half a minute; \
killed while it holds a thread that computes and never waits, for up to a \
third of a second, it ends the program as well. Interrupt it instead (Ctrl-C).

Restricted system calls (seccomp): once a program sets a filter, it is \
recorded without any system call, for a million events or so; in the strict \
mode its recording ends. A filter that it was started with has to permit \
openat, fallocate, mmap, pwrite64, close and clock_gettime.

Python has an allocator of its own for small objects. PYTHONMALLOC=malloc \
before the command lets it use malloc, so that all of them are recorded.

Java: the recorder learns of an object's death when the JVM collects it. \
Without --java-collect the trace frees in bursts, wherever the JVM collected; \
for a short program that may be never. With --java-collect the JVM collects \
after every BYTES bytes, and the trace frees objects soon after they die \
(continuous collection), at the price of one collection each time. Objects \
that are live at the end stay live. Replay such a trace with --gc-every BYTES \
for an occasional collection with a heap of any size.";

pub const RUN: &str = "\
Examples:
  heapsmith run --heap tlsf -- ls -l
  heapsmith run --heap explore-server --stats -- ./server
  heapsmith run --heap 'guard tlsf word=8' --sites -- ./program-that-crashes";

pub const RUN_MORE: &str = "\
A preloaded library replaces malloc in the program and in the programs that it \
starts. Requests of 256 KiB or more are mapped separately; the threshold grows \
when the program frees such a block. The pick of an exploration serves them \
itself, as it did when it was measured.

Where a C compiler is installed, the library is of the one heap, compiled and \
kept in the user's cache; else, and for what that has no code for, it is the \
built-in one of all heaps. Both give the same addresses.

The spec says how threads share the heap: threads=one (one heap with a lock), \
threads=each (one heap per thread), threads=lists (free lists per thread \
before one pool), threads=owned (lists before spans that belong to threads). \
It says when memory goes back to the system, too: purge=top (what is above the \
footprint, where that has fallen by enough), purge=never, purge=after(N) (free \
pages inside as well, after N frees or, with after(100ms), so much time), \
purge=lazy(N) (the same when the system lacks memory); and from where on to \
ask for huge pages, huge=from(16M). \
Large programs need word=8: with word=4 a heap has at most \
4 GiB, and requests that it cannot serve are mapped.

The exit code is the program's own, or 128 plus the number of the signal that \
ended it. It is 4 if the program ended with 0 and did not run on the heap \
(clean environment, own allocator). A program that cannot run on it \
(statically linked, set-user-id, 32-bit) is not started.

Restricted system calls (seccomp): if a program sets a filter that forbids it \
to map memory, a compiled heap has all of its region, and a built-in one gets \
16 MiB before; neither maps more after that. A \
filter that it was started with has to permit mmap, munmap, mremap, madvise \
and futex.";

pub const IMPORT: &str = "\
Examples:
  heapsmith import heaptrack.server.zst -o server.parquet
  heapsmith import capture.pcap --as drr -o drr.parquet
  heapsmith import trace.parquet --limit 6000 -o trace.rep";

pub const INSPECT: &str = "\
Examples:
  heapsmith inspect record-gcc/*.parquet
  heapsmith inspect trace.parquet --sites
  heapsmith inspect trace.parquet --html trace.html --pprof sites.pb
  heapsmith inspect trace.parquet --lower-bound --format json
  heapsmith inspect trace.parquet --classes 8 --align 4";

pub const PLAN: &str = "\
Examples:
  heapsmith plan tensors.csv --capacity 1M -o firmware
  heapsmith plan trace.parquet --align 8 --name buffers -o firmware
  heapsmith plan trace.parquet --pools 6 --align 4 --name pools -o firmware
  heapsmith plan tensors.csv -o out --format json";

pub const PLAN_MORE: &str = "\
Exit codes: 1 if no placement within --capacity was found, in which case nothing is written;
130 if interrupted: the best plan so far is written, if it is within --capacity.";

pub const REPLAY: &str = "\
Examples:
  heapsmith replay trace.parquet --heap tlsf --heap 'list(fit=best)'
  heapsmith replay trace.parquet --heap tlsf --heap peer:libc --time
  heapsmith replay trace.parquet --heap best-fit --min-region --verify";

pub const REPLAY_MORE: &str = "\
More examples:
  heapsmith replay samples/ftp.pcap.xz --as drr --heap windows-xp
  heapsmith replay workload:treeadd --set depth=12 --heap phk --heap tlsf
  heapsmith replay trace.parquet --heap tlsf --over-time=20 --region 1M --html moments.html
  heapsmith replay trace.parquet --heap tlsf --heap windows-xp --map map.html
  heapsmith replay trace.parquet --heap tlsf --heap windows-xp --loop 100
  heapsmith replay trace.parquet --heap 'peer:libc(arena_max=1)' --heap 'peer:libc()'
  heapsmith replay trace.parquet --threaded --heap 'tlsf word=8' --heap 'tlsf word=8 threads=each'
  heapsmith replay trace.parquet --threaded --time --heap 'tlsf word=8 threads=each' --heap peer:libc
  heapsmith replay trace.parquet --threaded --time --heap 'tlsf word=8' --heap 'tlsf word=8 purge=after(4096)'

peer:NAME is a reference allocator, called directly (`heapsmith heaps` lists \
them; peer:all names all). Reference allocators expose neither metadata \
accesses nor an exact footprint. heapsmith therefore also measures the pages \
that a child process touches while it replays the trace and writes all \
payloads.";

pub const EXPLORE: &str = "\
Examples:
  heapsmith explore record-gcc/cc1-*.parquet
  heapsmith explore samples/ftp.pcap.xz --as drr --prefer memory
  heapsmith explore trace.parquet --target cortex-m --max-region 64K";

pub const EXPLORE_MORE: &str = "\
More examples:
  heapsmith explore monday.parquet tuesday.parquet --holdout wednesday.parquet
  heapsmith explore trace.parquet --baseline tlsf --max-op 200
  heapsmith explore trace.parquet --space wide --prefer bounded
  heapsmith explore record-server/server-*.parquet --space knobs
  heapsmith explore workload:modem --table

It ends in at most twelve lines: what you have, the pick, what the pick saves, \
the RAM to reserve, the worst operation, what is proven, how the pick holds \
where the program differs, the page, the next command. --table shows the \
tables too; --format has every row.

Run the same command again to resume an interrupted exploration (Ctrl-C, \
crash). The answer is the same. `heapsmith pick` asks it another question.";

pub const PICK: &str = "\
Examples:
  heapsmith pick explore-ftp-drr
  heapsmith pick explore-ftp-drr --prefer memory --max-op 200
  heapsmith pick explore-ftp-drr --max-region 700K --format json";

pub const PICK_MORE: &str = "\
The answer is the one that `explore` with these options would give, from what \
was replayed before. Options that are left out mean what they mean for \
`explore`; without any, the answer is shown again. Where no design meets the \
constraints, the folder goes on to answer the question before.";

pub const REPORT: &str = "\
Examples:
  heapsmith report explore-ftp-drr --open
  heapsmith report explore-ftp-drr --prefer speed -o speed.html
  heapsmith report explore-ftp-drr --table";

pub const EMIT: &str = "\
Examples:
  heapsmith emit explore-ftp-drr --lang c --name drr_heap -o firmware
  heapsmith emit 'list(order=implicit) word=4' --lang c --size -o firmware
  heapsmith emit tlsf --lang c --with counters,config -o firmware
  heapsmith emit tlsf --for freertos -o firmware
  heapsmith emit explore-gcc --lang so -o out";

pub const EMIT_MORE: &str = "\
More examples:
  heapsmith emit explore-board --for freertos --sheet -o firmware
  heapsmith emit best-fit --trace capture.pcap --as drr --lang rust -o src
  heapsmith emit 'bins(lea) word=8 align=16' --lang so -o out
  LD_PRELOAD=out/libmy_heap.so ls

For every request the emitted heap returns the same address as the explored \
one.";

pub const REPRODUCE: &str = "\
Examples:
  heapsmith reproduce                     all experiments, into docs
  heapsmith reproduce --list              the names and titles
  heapsmith reproduce --claims 004        what a paper claims, and whether it holds
  heapsmith reproduce 001 002-figure-8 -o out";

pub const REPRODUCE_MORE: &str = "\
Writes DIR/papers.md and DIR/papers.html, and DIR/papers/NAME.csv and \
NAME*.svg for each experiment. The pages show every experiment in the folder, \
so you can run one experiment again. An interrupted run keeps the finished \
experiments.";

pub const CHECK: &str = "\
Examples:
  heapsmith check --print-example > heap.toml
  heapsmith check heap.toml
  heapsmith check heap.toml --save base.json      keep the figures
  heapsmith check heap.toml --base base.json      compare with them";

pub const CHECK_MORE: &str = "\
FILE names traces, heaps, and what is asserted of each heap on each trace: \
min_region, requested_peak, never_freed, footprint_peak, fragmentation, \
accesses_per_op, accesses_p99, accesses_max, bound, accesses_bound, drift, \
largest_request. Limits are absolute (max, min) or compare with a base \
(max_growth, max_drop). --print-example prints a file with all of them.

More examples:
  heapsmith check heap.toml --base ../release --format sarif -o heap.sarif

All figures are counted: the same traces, heaps and base give the same report. \
In JUnit reports the times, the date and the host that the schema asks for are \
constant.

Exit codes: 1 if an assertion failed, each with its sentence on standard \
error; 2 if none failed, and one could not be evaluated (no bound is known, \
nothing to compare with) or FILE is wrong; 3 if a file cannot be read.";

pub const COMPARE: &str = "\
Examples:
  heapsmith compare explore-v1 explore-v2
  heapsmith compare explore-v1 explore-v2 --html page.html
  heapsmith compare explore-v1 explore-v2 --format json";

pub const COMPARE_MORE: &str = "\
Both folders hold a finished exploration: of two versions of a program, or of \
two spaces. For each preference the pick of OLD is measured on NEW's traces \
and compared with NEW's own pick.";

pub const BOUND: &str = "\
Examples:
  heapsmith bound first-fit --max-live 20K --max-size 512 --min-size 16
  heapsmith bound tlsf half-fit --max-live 20K --max-size 512 --format json
  heapsmith bound 'freelists(32) list(order=implicit) word=4 align=8' \\
    --max-live 20K --max-size 512
  heapsmith bound explore-ftp-drr";

pub const BOUND_MORE: &str = "\
The bound holds for every program with at most --max-live bytes live, in \
requests of --min-size to --max-size bytes: allocations and frees, with \
--reallocations also blocks that are resized. It includes headers, rounding, \
control words and layers. A region of that size serves every such program; \
where another is enough, or needed, it is named.";

pub const ATTACK: &str = "\
Examples:
  heapsmith attack first-fit --max-live 20K --max-size 512 --min-size 16
  heapsmith attack best-fit --max-live 20K --max-size 512 \\
    --goal accesses -o worst.parquet
  heapsmith replay worst.parquet --heap best-fit
  heapsmith attack --peer libc --peer rlsf --max-live 64K --max-size 1K \\
    --min-size 16";

pub const ATTACK_MORE: &str = "  heapsmith attack --peer ./o1heap.so --max-live 8K --max-size 256 \\
    --min-size 32 -o worst.parquet

A library of --peer is code that runs: load none that you would not run.

Ctrl-C ends the search and keeps the best attack so far. The same arguments \
give the same attack.";

pub const COMPLETIONS: &str = "\
Examples:
  heapsmith completions bash >> ~/.bash_completion
  heapsmith completions fish > ~/.config/fish/completions/heapsmith.fish
  heapsmith completions zsh > ~/.zfunc/_heapsmith";

pub const MAN: &str = "\
Examples:
  heapsmith man ~/.local/share/man/man1
  man heapsmith-explore";
