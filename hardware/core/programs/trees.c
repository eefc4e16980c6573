/* A search tree whose nodes come and go: 24 bytes each, after the pointer programs of Olden. */
#include "machine.h"

#define KEYS 500u

struct node {
  struct node *left, *right;
  uint32_t key, count, low, high;
};

static struct node *insert(struct node *root, uint32_t key) {
  struct node **at = &root;
  while (*at != NULL && (*at)->key != key) {
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  if (*at == NULL) {
    struct node *made = take(sizeof *made);
    *made = (struct node){NULL, NULL, key, 0, key, key};
    *at = made;
  }
  (*at)->count++;
  return root;
}

static struct node *removed(struct node *root, uint32_t key) {
  struct node **at = &root;
  struct node *gone, **next;
  while (*at != NULL && (*at)->key != key) {
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  gone = *at;
  if (gone == NULL) {
    return root;
  }
  if (gone->left == NULL || gone->right == NULL) {
    *at = gone->left != NULL ? gone->left : gone->right;
  } else {
    struct node *successor;
    for (next = &gone->right; (*next)->left != NULL; next = &(*next)->left) {
    }
    successor = *next;
    *next = successor->right;
    successor->left = gone->left;
    successor->right = gone->right;
    *at = successor;
  }
  give(gone);
  return root;
}

static uint32_t sum(const struct node *root) {
  return root == NULL ? 0u : root->key * root->count + sum(root->left) + 3u * sum(root->right);
}

uint32_t program(void) {
  struct node *root = NULL;
  uint32_t state = 1, total = 0;
  for (uint32_t round = 0; round < 4; ++round) {
    for (uint32_t number = 0; number < KEYS; ++number) {
      root = insert(root, chance(&state, 2000));
    }
    total += sum(root);
    for (uint32_t number = 0; number < KEYS * 2; ++number) {
      root = removed(root, chance(&state, 2000));
    }
    total += sum(root);
  }
  return total;
}
