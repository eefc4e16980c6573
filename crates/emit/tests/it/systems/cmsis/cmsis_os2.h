/* A stand-in that we wrote for tests: of the published interface of CMSIS-RTOS2, the names that the wrapper uses. */
#ifndef CMSIS_OS2_H
#define CMSIS_OS2_H

#include <stdint.h>

int32_t osKernelLock(void);
int32_t osKernelRestoreLock(int32_t lock);

#endif
