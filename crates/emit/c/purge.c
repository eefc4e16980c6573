
/* ---- Memory that goes back to the system ---------------------------------------------------------
 *
{%- if purge.inside %}
{%- if purge.delay %}
 * Every {{ purge.delay }} milliseconds, as blocks are freed, and after at least a quarter as many frees as the heap has blocks, the pages above the footprint and those inside
{%- else %}
 * Each time that {{ purge.frees }} blocks were freed, or a quarter as many as the heap has where that is more, the pages above the footprint and those inside
{%- endif %}
 * free blocks go back, but for the first of each block, where the heap has its links, and the last, where its size is.
{%- if purge.lazy %}
 * The system takes them when it lacks memory; until then they are used again without a fault.
{%- endif %}
{%- else %}
 * Every {{ purge.frees }} frees the heap is asked for its footprint. Where that has fallen by {{ purge.worth }} bytes and by an eighth of what
 * is left, the pages above it go back; each time it has to fall by twice as much.
{%- endif %}
 * The lock is held, or there is one thread.
 */
static long purge_left = {{ purge.frees }};
{%- if purge.inside %}
{%- if purge.delay %}
/* When it was last, in milliseconds. */
static uint64_t purge_last;
{%- endif %}
/* Blocks that are visited for each that was freed, at most. */
#define PURGE_VISITED {{ purge.visited }}
{%- else %}
#define PURGE_LARGE ((size_t){{ purge.large }}U)
static size_t purge_high;
static size_t purge_worth = {{ purge.worth }}U;
{%- endif %}

/* Bytes of the footprint now. */
static size_t purge_footprint(void)
{
    const Heap *const heap = &{{ n }}_of_malloc;

    return (size_t)({{ footprint }}) * WORD;
}

/* Gives whole pages of a range back. What was in them is lost. */
static void purge_range(uintptr_t from, uintptr_t to)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const int kept = errno;

    from = (from + page - 1U) & ~(page - 1U);
    to &= ~(page - 1U);
{%- if run %}
    if ((from < to) && may_call()) {
{%- else %}
    if (from < to) {
{%- endif %}
        (void)madvise((void *)from, to - from, {{ 'MADV_FREE' if purge.lazy else 'MADV_DONTNEED' }}); /* what the system refuses stays */
    }
    errno = kept;
}

/* Gives back what lies above the footprint, but for a page: there the heap may read what it wrote. */
static void purge_above(size_t footprint)
{
    const Heap *const heap = &{{ n }}_of_malloc;
    const uintptr_t base = (uintptr_t)heap->words;
    const size_t peak = (size_t)({{ footprint_peak }}) * WORD;

    purge_range(base + footprint + (uintptr_t)sysconf(_SC_PAGESIZE), base + peak);
}
{%- if purge.inside %}

static void purge_inside(void *blocks, const void *block, size_t bytes, unsigned int status)
{
    const uintptr_t at = (uintptr_t)block;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    ++*(long *)blocks;
    if ((status == {{ N }}_IS_FREE) && (bytes > (4U * page))) {
        purge_range(at + page, at + bytes - sizeof(uint64_t));
    }
}
{%- endif %}

static __attribute__((noinline, cold)) void purge_now(void)
{
    const size_t footprint = purge_footprint();
{%- if purge.inside %}
    long blocks = 0;
{%- if purge.delay %}
    long now[2] = {0, 0}; /* seconds and nanoseconds */
    uint64_t milliseconds;

    /* Under the lock no function may be called that somebody replaced by one that allocates. */
{%- if run %}
    if (may_call()) {
        (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, now);
    }
{%- else %}
    (void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, now);
{%- endif %}
    milliseconds = ((uint64_t)now[0] * 1000U) + ((uint64_t)now[1] / 1000000U);
    purge_last = (purge_last == 0U) ? milliseconds : purge_last; /* time passes from the first look on */
    if ((milliseconds - purge_last) < {{ purge.delay }}U) {
        purge_left = {{ purge.frees }};
        return;
    }
    purge_last = milliseconds;
{%- endif %}

    purge_above(footprint);
    {{ n }}_walk(&{{ n }}_of_malloc, purge_inside, &blocks);
    blocks /= PURGE_VISITED;
    purge_left = (blocks > {{ purge.frees }}) ? blocks : {{ purge.frees }};
{%- else %}
    size_t worth = purge_worth;

    purge_left = {{ purge.frees }};
    worth = (worth > (footprint / 8U)) ? worth : (footprint / 8U);
    purge_high = (purge_high > footprint) ? purge_high : footprint;
    if ((purge_high - footprint) > worth) {
        purge_high = footprint;
        purge_worth = (purge_worth < {{ purge.max_worth }}U) ? (2U * purge_worth) : {{ purge.max_worth }}U;
        purge_above(footprint);
    }
{%- endif %}
}

/* Blocks were freed. */
static inline void purge_freed(long blocks)
{
    purge_left -= blocks;
    if (purge_left < 0) {
        purge_now();
    }
}
{%- if not purge.inside %}

/* A large block was asked for: it counts as {{ purge.as_frees }} that are freed. */
static void purge_asked(void)
{
    const size_t footprint = purge_footprint();

    purge_high = (purge_high > footprint) ? purge_high : footprint;
    purge_left -= {{ purge.as_frees }};
}
{%- endif -%}
