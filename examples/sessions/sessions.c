/* A session store, as a web server has one: sessions come, are seen again, grow a cart, and end.
 *
 *   sessions [REQUESTS]        serves this number of requests of made-up visitors (100000), then stops
 *
 * It has a leak for docs/guides/server.md to find: of the texts that say where a visitor came from, one in 16 is
 * never freed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SESSIONS 256U

struct item {
    struct item *next;
    char name[20];
};

struct session {
    unsigned visits;
    char *origin;
    char *page;
    struct item *cart;
};

static struct session *sessions[MAX_SESSIONS];
static unsigned long state = 1;

/* A number below the bound; the same ones in every run. */
static unsigned draw(unsigned bound)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(state >> 33) % bound;
}

static void *checked(void *block)
{
    if (block == NULL) {
        fputs("sessions: no memory\n", stderr);
        exit(1);
    }
    return block;
}

static char *text(size_t length)
{
    char *made = checked(malloc(length + 1));

    memset(made, 'x', length);
    made[length] = '\0';
    return made;
}

static void end_session(struct session *session)
{
    while (session->cart != NULL) {
        struct item *next = session->cart->next;

        free(session->cart);
        session->cart = next;
    }
    free(session->origin);
    free(session->page);
    free(session);
}

static void remember_origin(struct session *session)
{
    if (session->visits % 16 != 0) { /* the leak: every 16th is forgotten, not freed */
        free(session->origin);
    }
    session->origin = text(16 + draw(48));
}

static void add_to_cart(struct session *session)
{
    struct item *item = checked(malloc(sizeof(struct item)));

    memcpy(item->name, "something to buy", 17);
    item->next = session->cart;
    session->cart = item;
}

static void serve(struct session **place)
{
    if (*place == NULL) {
        *place = checked(calloc(1, sizeof(struct session)));
    }
    (*place)->visits++;
    remember_origin(*place);
    free((*place)->page);
    (*place)->page = text(200 + draw(draw(8000) + 1));
    if (draw(4) == 0) {
        add_to_cart(*place);
    }
    if (draw(100) == 0) {
        end_session(*place);
        *place = NULL;
    }
}

int main(int argc, char **argv)
{
    unsigned long requests = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000UL;

    for (unsigned long request = 0; request < requests; request++) {
        serve(&sessions[draw(draw(MAX_SESSIONS) + 1)]);
    }
    for (unsigned place = 0; place < MAX_SESSIONS; place++) {
        if (sessions[place] != NULL) {
            end_session(sessions[place]);
        }
    }
    puts("served");
    return 0;
}
