/* A part of the stand-in. */
#ifndef FREERTOS_H
#define FREERTOS_H

typedef struct {
    int count;
} portMUX_TYPE;

#define portMUX_INITIALIZER_UNLOCKED { 0 }

void enter_critical(portMUX_TYPE *mux);
void exit_critical(portMUX_TYPE *mux);
#define portENTER_CRITICAL_SAFE(mux) enter_critical(mux)
#define portEXIT_CRITICAL_SAFE(mux) exit_critical(mux)

#endif
