/* A part of the stand-in. */
#ifndef ZEPHYR_SYS_SLIST_H
#define ZEPHYR_SYS_SLIST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct slist_node {
    struct slist_node *next;
} sys_snode_t;
typedef struct {
    sys_snode_t *head;
} sys_slist_t;

#define SYS_SLIST_STATIC_INIT(list) { NULL }

void sys_slist_append(sys_slist_t *list, sys_snode_t *node);
sys_snode_t *sys_slist_get(sys_slist_t *list);
bool sys_slist_find_and_remove(sys_slist_t *list, sys_snode_t *node);

#endif
