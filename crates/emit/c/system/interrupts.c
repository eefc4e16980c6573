
/* One thread at a time, and no interrupt: interrupts are off during a call, and then as they were before. What is defined as
 * {{ N }}_SYSTEM_LOCK() and {{ N }}_SYSTEM_UNLOCK() replaces that; the first may declare a variable that the second reads. */
#ifdef {{ N }}_SYSTEM_LOCK
#define LOCK() {{ N }}_SYSTEM_LOCK()
#define UNLOCK() {{ N }}_SYSTEM_UNLOCK()
#else
#if defined(__ARM_ARCH_PROFILE) && (__ARM_ARCH_PROFILE == 'M')
typedef uint32_t Interrupts;

static inline Interrupts interrupts_off(void)
{
    Interrupts before;

    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before) : : "memory");
    return before;
}

static inline void interrupts_as(Interrupts before)
{
    __asm__ volatile("msr primask, %0" : : "r"(before) : "memory");
}
#elif defined(__riscv)
typedef uintptr_t Interrupts;

static inline Interrupts interrupts_off(void)
{
    Interrupts before;

    __asm__ volatile("csrrci %0, mstatus, 8" : "=r"(before) : : "memory");
    return before;
}

static inline void interrupts_as(Interrupts before)
{
    __asm__ volatile("csrs mstatus, %0" : : "r"(before & 8U) : "memory");
}
#elif defined(__AVR__)
typedef uint8_t Interrupts;

static inline Interrupts interrupts_off(void)
{
    Interrupts before;

    __asm__ volatile("in %0, __SREG__\n\tcli" : "=r"(before) : : "memory");
    return before;
}

static inline void interrupts_as(Interrupts before)
{
    __asm__ volatile("out __SREG__, %0" : : "r"(before) : "memory");
}
#elif defined(__XTENSA__)
typedef uint32_t Interrupts;

static inline Interrupts interrupts_off(void)
{
    Interrupts before;

    __asm__ volatile("rsil %0, 3" : "=a"(before) : : "memory");
    return before;
}

static inline void interrupts_as(Interrupts before)
{
    __asm__ volatile("wsr.ps %0\n\trsync" : : "a"(before) : "memory");
}
#else
#error "define {{ N }}_SYSTEM_LOCK() and {{ N }}_SYSTEM_UNLOCK(): how to lock on this processor is not known"
#endif

#define LOCK() const Interrupts before_call = interrupts_off()
#define UNLOCK() interrupts_as(before_call)
#endif
