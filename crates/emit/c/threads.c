
/* ---- Free lists of each thread before the heap --------------------------------------------------
 *
 *   thread --> its lists --none there--> lock --> heap: some blocks at once, where others may wait
 *                 ^ `--too many--> lock --> heap: half of them
{%- if threads.owners %}
 *               free: a block of a span of another thread goes on that one's queue, others to the lists of who freed it
 *
 * Spans have owners, which threads are. A thread fetches from its own, after it took what others freed of them: its queue,
 * which holds as much as its lists may.
{%- else %}
 *               free, by any thread: a block goes to the lists of the thread that freed it
{%- endif %}
 *
 * The lists of all threads hold at most an eighth of what they took from the heap or 4 MiB, whatever is more, and 32 KiB for each
 * thread{% if threads.max %}; those of one thread at most {{ threads.max }} bytes{% endif %}.
 * A thread divides its share among its lists as they need it, and gives everything back when it ends.
 *
 * T1  Lists are used by their thread alone.
 * T2  A block on a list is used in the heap, and of the list's size. Its size is read without the lock:{% if threads.by_span %} the
 *     class of a span does not change while a block of it is used.{% else %} in its header
 *     only flags change while it is used.{% endif %}
 * T3  `granted` is the sum over lists of what each may hold; a list holds no more than that.
 */
#define OWN_LISTS {{ threads.lists | length }}U
#define OWN_PART {{ threads.part }}U
#define OWN_FLOOR ((size_t){{ threads.floor }}U)
#define OWN_OF_THREAD ((size_t){{ threads.of_thread }}U)

typedef {{ "uint8_t" if threads.lists | length < 256 else "uint16_t" }} own_number;

/* What a list holds: the largest request that its blocks serve, bytes of a block, how many at most, and how many are fetched at
 * once. List 0 holds nothing. */
static const struct {
    uint32_t request;
    uint32_t bytes;
    uint16_t max;
    uint16_t fetched;
} own_sizes[OWN_LISTS + 1U] = {
    {0U, 1U, 0U, 0U},
{%- for list in threads.lists %}
    {{ "{" }}{{ list | join("U, ") }}U},
{%- endfor %}
};

/* The list that serves a request, for each {{ threads.step }} bytes. */
#define OWN_LARGEST {{ threads.largest }}U
static const own_number own_list_of_request[] = {
{%- for line in threads.by_request | batch(24) %}
    {{ line | join(", ") }},
{%- endfor %}
};
{%- if not threads.by_span %}

/* The list of a block, for each 16 bytes. */
static const own_number own_list_of_block_size[] = {
{%- for line in threads.by_bytes | batch(24) %}
    {{ line | join(", ") }},
{%- endfor %}
};
{%- endif %}

typedef struct {
    void *first;
    uint32_t count;
    uint32_t granted;
} own_list;

enum { HAS_NONE, HAS_LISTS, ENDS };

static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
    own_list each[OWN_LISTS + 1U];
    size_t granted;
    size_t next; /* the list whose grant is taken next */
    int state;
{%- if threads.owners %}
    size_t owner; /* of the spans that are the thread's, from 1; 0 for none */
{%- endif %}
} own;
{%- if threads.owners %}

#define SPAN_OWNERS {{ threads.owners }}U

/* What other threads freed of the spans of each owner: blocks in a list, bytes of them at most, and the threads of the owner. No
 * block waits for an owner without threads: who ends takes what is there, and who pushed and sees that nobody is left, too. */
static struct {
    _Atomic(void *) first;
    atomic_size_t bytes;
    atomic_size_t threads;
} __attribute__((aligned(64))) own_queues[SPAN_OWNERS + 1U];
{%- endif %}

/* Bytes of the lists' blocks that the heap does not have: live, or on lists. Where blocks come or go in another way, less. */
static atomic_size_t own_bytes_out;
static atomic_size_t own_threads;

static inline own_number own_list_for(size_t size)
{
    return (size <= OWN_LARGEST) ? own_list_of_request[(size + {{ threads.shift }}U) / {{ threads.step }}U] : 0U;
}

{%- if threads.by_span %}
{%- set told = "uint16_t" if threads.owners else "own_number" %}
/* What the span of a block says: its class from 1{% if threads.owners %}, and 256 times its owner{% endif %}. */
static inline {{ told }} own_told(const void *block)
{
    return __atomic_load_n(&span_classes[unit_at(&{{ n }}_of_malloc, place_in(&{{ n }}_of_malloc, block))], __ATOMIC_RELAXED);
}

/* The list of a block of which that was told. */
static inline own_number own_list_told({{ told }} told)
{
    const own_number number = {{ "(own_number)(told % 256U)" if threads.owners else "told" }};

    return (number <= OWN_LISTS) ? number : 0U;
}

{% endif -%}
static inline own_number own_list_of(const void *block)
{
{%- if threads.by_span %}
    return own_list_told(own_told(block));
{%- else %}
    const Word head = __atomic_load_n((const Word *)block - 1, __ATOMIC_RELAXED);
    const size_t step = ((size_t)words_of(head) * WORD) / 16U;

    return (step < sizeof own_list_of_block_size / sizeof *own_list_of_block_size) ? own_list_of_block_size[step] : 0U;
{%- endif %}
}

static inline void *own_pop(own_list *list)
{
    void *const block = list->first;

    if (block != NULL) {
        list->first = *(void **)block;
        list->count--;
    }
    return block;
}

static inline void own_push(own_list *list, void *block)
{
    *(void **)block = list->first;
    list->first = block;
    list->count++;
}

/* Gives blocks of a list to the heap until `left` are left. */
static void own_give(size_t number, size_t left)
{
    own_list *const list = &own.each[number];
    size_t count = 0U;

    if (list->count > left) {
        const bool is_held = take_lock_if_shared();

        while (list->count > left) {
            {{ n }}_free(&{{ n }}_of_malloc, own_pop(list));
            count++;
        }
{%- if purge %}
        purge_freed((long)count);
{%- endif %}
        give_lock_if(is_held);
        (void)atomic_fetch_sub_explicit(&own_bytes_out, count * own_sizes[number].bytes, memory_order_relaxed);
    }
}

/* Bytes that the lists of one thread may hold by now. */
static size_t own_share(void)
{
    const ptrdiff_t out = (ptrdiff_t)atomic_load_explicit(&own_bytes_out, memory_order_relaxed);
    const size_t threads = atomic_load_explicit(&own_threads, memory_order_relaxed);
    const size_t part = (out > 0) ? ((size_t)out / OWN_PART) : 0U;
    const size_t all = (part > OWN_FLOOR) ? part : OWN_FLOOR;
    const size_t each = (threads > 1U) ? (all / threads) : all;
{%- if threads.max %}
    const size_t share = (each > OWN_OF_THREAD) ? each : OWN_OF_THREAD;

    return (share < {{ threads.max }}U) ? share : {{ threads.max }}U;
{%- else %}

    return (each > OWN_OF_THREAD) ? each : OWN_OF_THREAD;
{%- endif %}
}

/* Takes half of what the next list in turn may hold, and of further ones while more is granted than the share. */
static void own_reclaim(size_t but, size_t share)
{
    bool is_taken = false;

    for (size_t tries = 0U; (tries < 2U * OWN_LISTS) && !(is_taken && (own.granted <= share)); tries++) {
        const bool is_over = own.granted > share;
        own_list *list;
        uint32_t left;

        own.next = (own.next + 1U) % OWN_LISTS;
        list = &own.each[own.next + 1U];
        if ((list->granted == 0U) || ((own.next + 1U == but) && !is_over)) {
            continue;
        }
        left = list->granted / 2U;
        own.granted -= (list->granted - left) * (size_t)own_sizes[own.next + 1U].bytes;
        list->granted = left;
        is_taken = true;
        own_give(own.next + 1U, left);
    }
}

/* Lets a list hold `wanted` blocks, as far as the thread's share goes. What the share has not, the next list in turn gives. */
static void own_grant(size_t number, size_t wanted)
{
    const size_t share = own_share();
    own_list *const list = &own.each[number];
    size_t more = (wanted < own_sizes[number].max) ? wanted : own_sizes[number].max;
    size_t left;

    if ((own.granted > share) || (wanted * own_sizes[number].bytes > share - own.granted)) {
        own_reclaim(number, share);
    }
    left = (share > own.granted) ? ((share - own.granted) / own_sizes[number].bytes) : 0U;
    more = (more > list->granted) ? (more - list->granted) : 0U;
    more = (more < left) ? more : left;
    list->granted += (uint32_t)more;
    own.granted += more * own_sizes[number].bytes;
}

{% if threads.owners -%}
/* Gives the calling thread the owner that has the fewest threads. */
static void own_get_owner(void)
{
    size_t fewest = 1U;

    for (size_t owner = 2U; owner <= SPAN_OWNERS; owner++) {
        if (atomic_load_explicit(&own_queues[owner].threads, memory_order_relaxed) <
            atomic_load_explicit(&own_queues[fewest].threads, memory_order_relaxed)) {
            fewest = owner;
        }
    }
    (void)atomic_fetch_add_explicit(&own_queues[fewest].threads, 1U, memory_order_relaxed);
    own.owner = fewest;
}

{% endif -%}
/* Whether the calling thread has lists, from now on at the latest. A thread that ends has none. */
static bool has_own_lists(void)
{
    if (own.state == HAS_NONE) {
        bool is_held;

        own.state = HAS_LISTS;
        is_held = take_lock_if_shared();
        (void)is_ready();
        give_lock_if(is_held);
        (void)atomic_fetch_add_explicit(&own_threads, 1U, memory_order_relaxed);
{%- if threads.owners %}
        own_get_owner();
{%- endif %}
        /* May allocate: there are lists by now. */
        (void)pthread_setspecific(own_key, &own);
    }
    return own.state == HAS_LISTS;
}

/* Puts a block on a list of the calling thread, which has lists. */
static void own_keep(void *block, size_t number)
{
    own_list *const list = &own.each[number];
    const uint32_t granted = list->granted;

    own_push(list, block);
    if (list->count > granted) {
        own_grant(number, (list->count > 2U * granted) ? list->count : (2U * granted));
        if (list->granted < list->count) {
            own_give(number, granted / 2U);
        }
    }
}
{%- if threads.owners %}

/* Takes what others freed of an owner's spans. Returns whether there was something. */
static bool own_receive(size_t owner)
{
    void *block;
    size_t bytes = 0U;

    if (atomic_load_explicit(&own_queues[owner].first, memory_order_relaxed) == NULL) {
        return false;
    }
    block = atomic_exchange(&own_queues[owner].first, NULL);
    while (block != NULL) {
        void *const next = *(void **)block;
        const own_number number = own_list_of(block);

        bytes += own_sizes[number].bytes;
        own_keep(block, number);
        block = next;
    }
    (void)atomic_fetch_sub_explicit(&own_queues[owner].bytes, bytes, memory_order_relaxed);
    return true;
}

/* Sends a block to the thread whose span it is in. Returns false where that is the calling one, or takes no more. */
static bool own_send(void *block, size_t number)
{
    const size_t owner = own_told(block) / 256U;
    void *first;

    if ((owner == 0U) || (owner == own.owner) ||
        (atomic_load_explicit(&own_queues[owner].threads, memory_order_relaxed) == 0U) ||
        (atomic_load_explicit(&own_queues[owner].bytes, memory_order_relaxed) >= own_share())) {
        return false;
    }
    (void)atomic_fetch_add_explicit(&own_queues[owner].bytes, own_sizes[number].bytes, memory_order_relaxed);
    first = atomic_load_explicit(&own_queues[owner].first, memory_order_relaxed);
    do {
        *(void **)block = first;
    } while (!atomic_compare_exchange_weak(&own_queues[owner].first, &first, block));
    if (atomic_load(&own_queues[owner].threads) == 0U) {
        (void)own_receive(owner);
    }
    return true;
}

/* In the child of a fork: no thread is left but the calling one. */
static void own_alone(void)
{
    for (size_t owner = 1U; owner <= SPAN_OWNERS; owner++) {
        atomic_store_explicit(&own_queues[owner].threads, (owner == own.owner) ? 1U : 0U, memory_order_relaxed);
    }
}
{%- endif %}

/* The calling thread ends: its lists go to the heap. */
static void end_own_lists(void *lists)
{
    (void)lists;
{%- if threads.owners %}
    (void)atomic_fetch_sub(&own_queues[own.owner].threads, 1U);
    if (atomic_load(&own_queues[own.owner].threads) == 0U) {
        (void)own_receive(own.owner);
    }
    own.owner = 0U;
{%- endif %}
    for (size_t number = 1U; number <= OWN_LISTS; number++) {
        own_give(number, 0U);
        own.each[number].granted = 0U;
    }
    own.granted = 0U;
    own.state = ENDS;
    (void)atomic_fetch_sub_explicit(&own_threads, 1U, memory_order_relaxed);
}

/* Fetches blocks of a list from the heap: one, or some where other threads may wait; returns one of them, or NULL. */
static void *own_fetch(size_t number)
{
    size_t count = 1U;
    size_t fetched;
    void *block = NULL;
    bool is_held;

    if ((number == 0U) || !has_own_lists()) {
        return NULL;
    }
{%- if threads.owners %}
    if (own_receive(own.owner)) {
        block = own_pop(&own.each[number]);
        if (block != NULL) {
            return block;
        }
    }
{%- endif %}
    if (!IS_ALONE && (own_sizes[number].fetched > 1U)) {
        count = own_sizes[number].fetched;
        own_grant(number, count);
        if (count > 1U + own.each[number].granted) {
            count = 1U + own.each[number].granted;
        }
    }
    is_held = take_lock_if_shared();
    if (is_ready()) {
{%- if threads.owners %}
        {{ n }}_of_malloc.span_rings = (Index)(own.owner * SPAN_CLASSES);
{%- endif %}
        block = {{ n }}_allocate(&{{ n }}_of_malloc, own_sizes[number].request);
    }
    fetched = (block != NULL) ? 1U : count;
    while (fetched < count) {
        void *const further = {{ n }}_allocate(&{{ n }}_of_malloc, own_sizes[number].request);

        if (further == NULL) {
            break;
        }
        own_push(&own.each[number], further);
        fetched++;
    }
{%- if threads.owners %}
    {{ n }}_of_malloc.span_rings = 0U;
{%- endif %}
    give_lock_if(is_held);
    if (block != NULL) {
        (void)atomic_fetch_add_explicit(&own_bytes_out, fetched * own_sizes[number].bytes, memory_order_relaxed);
    }
    return block;
}

/* Frees a block of which its list may hold no more, or which is for no list{% if threads.owners %} or another thread's span{% endif %}. */
static __attribute__((noinline)) void own_free(void *block, size_t number)
{
    if ((number != 0U) && has_own_lists()) {
{%- if threads.owners %}
        if (!own_send(block, number)) {
            own_keep(block, number);
        }
{%- else %}
        own_keep(block, number);
{%- endif %}
    } else {
        const bool is_held = take_lock_if_shared();

        {{ n }}_free(&{{ n }}_of_malloc, block);
{%- if purge %}
        purge_freed(1);
{%- endif %}
        give_lock_if(is_held);
    }
}
