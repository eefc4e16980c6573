
/* On the way of every request: a call would cost as much as what it does. */
#if defined(__GNUC__)
#define IN_PLACE static inline __attribute__((always_inline))
#else
#define IN_PLACE static inline
#endif
