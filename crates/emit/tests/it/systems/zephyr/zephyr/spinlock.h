/* A part of the stand-in. */
#ifndef ZEPHYR_SPINLOCK_H
#define ZEPHYR_SPINLOCK_H

struct k_spinlock {
    int held;
};
typedef struct {
    int key;
} k_spinlock_key_t;

k_spinlock_key_t k_spin_lock(struct k_spinlock *l);
void k_spin_unlock(struct k_spinlock *l, k_spinlock_key_t key);

#endif
