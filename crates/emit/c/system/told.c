
/* What may be defined: what must hold, and what becomes of a request that was refused. The lock is free then. */
#ifndef {{ N }}_SYSTEM_ASSERT
#define {{ N }}_SYSTEM_ASSERT(condition) ((void)0)
#endif
#ifndef {{ N }}_SYSTEM_OUT_OF_MEMORY
#define {{ N }}_SYSTEM_OUT_OF_MEMORY(size) ((void)0)
#endif
#define MUST(condition) {{ N }}_SYSTEM_ASSERT(condition)
#define REFUSED(size) {{ N }}_SYSTEM_OUT_OF_MEMORY(size)
