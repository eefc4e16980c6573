/* A stand-in that we wrote for tests: of the published interface of ThreadX, the names that the wrapper uses. */
#ifndef TX_API_H
#define TX_API_H

typedef unsigned int UINT;
typedef unsigned long ULONG;
typedef void VOID;

typedef struct {
    ULONG tx_byte_pool_available;
} TX_BYTE_POOL;

#define TX_NULL ((void *)0)
#define TX_SUCCESS 0x00U
#define TX_PTR_ERROR 0x03U
#define TX_WAIT_ERROR 0x04U
#define TX_SIZE_ERROR 0x05U
#define TX_NO_MEMORY 0x10U
#define TX_NO_WAIT 0UL
#define TX_WAIT_FOREVER 0xFFFFFFFFUL

unsigned int tx_interrupts_off(void);
void tx_interrupts_as(unsigned int before);
#define TX_INTERRUPT_SAVE_AREA unsigned int interrupt_save;
#define TX_DISABLE interrupt_save = tx_interrupts_off();
#define TX_RESTORE tx_interrupts_as(interrupt_save);

#endif
