/* {{ name }}_threadx.h: the heap {{ name }} with the calls of a byte pool of {{ system.title }}, emitted by heapsmith {{ version }}. */
#ifndef {{ N }}_THREADX_H
#define {{ N }}_THREADX_H

#include "tx_api.h"

#include "{{ name }}_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As tx_byte_allocate: TX_SUCCESS, TX_PTR_ERROR, TX_SIZE_ERROR for 0 bytes, TX_NO_MEMORY. No thread waits for memory:
 * TX_WAIT_ERROR if `wait` is another than TX_NO_WAIT. */
UINT {{ n }}_byte_allocate(VOID **memory, ULONG bytes, ULONG wait);

/* As tx_byte_release: TX_SUCCESS or TX_PTR_ERROR. */
UINT {{ n }}_byte_release(VOID *memory);

/* Bytes that are free, in pieces; and the fewest that ever were. A null pointer asks for none. */
UINT {{ n }}_byte_info(ULONG *available, ULONG *min_available);

#ifdef __cplusplus
}
#endif

#endif
