/* The scheduler's part of the stand-in. */
#ifndef TASK_H
#define TASK_H

#include "FreeRTOS.h"

void vTaskSuspendAll(void);
BaseType_t xTaskResumeAll(void);

#endif
