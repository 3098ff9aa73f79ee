/* SPDX-License-Identifier: Apache-2.0 */
/* TPREFETCH_ASYNC (part 30) and the C spellings of synchronisation. A prefetch brings a tensor into the L2
 * cache, which this machine has not: the event is none, and waiting for it is over at once. */
#ifndef PTO_ASYNC_H
#define PTO_ASYNC_H

#include <pto/core.h>

PTO_BEGIN_DECLS

typedef enum pto_dma_engine { PTO_DMA_SDMA = 0, PTO_DMA_URMA, PTO_DMA_RDMA } pto_dma_engine;

/* handle 0 = no transfer. */
typedef struct pto_async_event {
    uint64_t handle;
    pto_dma_engine engine;
} pto_async_event;

/* Where a session keeps its state; neither is read here. */
typedef struct pto_prefetch_context {
    void *workspace, *session;
} pto_prefetch_context;

/* No effect on any target; the event has handle 0. */
static inline pto_async_event pto_tprefetch_async(pto_core *core, const pto_global *src,
                                                  const pto_prefetch_context *context) {
    (void)core;
    (void)src;
    (void)context;
    return (pto_async_event){0, PTO_DMA_SDMA};
}
static inline bool pto_async_event_valid(pto_async_event event) { return event.handle != 0; }
/* True: nothing is on its way. */
static inline bool pto_async_event_wait(pto_async_event event) { return event.handle == 0; }
static inline bool pto_async_event_test(pto_async_event event) { return event.handle == 0; }

PTO_END_DECLS
#endif
