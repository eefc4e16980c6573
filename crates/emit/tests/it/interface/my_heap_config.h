#ifndef MY_HEAP_CONFIG_H
#define MY_HEAP_CONFIG_H

#define MY_HEAP_LOCK(heap) const int before = locked++; must(before == 0, "no lock is taken twice"); locks++
#define MY_HEAP_UNLOCK(heap) (must(before == 0 && locked == 1, "what is unlocked was locked"), locked = 0)
#define MY_HEAP_OUT_OF_MEMORY(heap, size) (must(!locked, "the lock is free"), refusals++, last_refused = (size))

#endif
