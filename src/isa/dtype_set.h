/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of element types, for rules whose types depend on more than the table can say. */
#ifndef PTO_ISA_DTYPE_SET_H
#define PTO_ISA_DTYPE_SET_H

#include <pto/types.h>

#define DTYPES(dtype) (UINT32_C(1) << (dtype))
/* "std9" of part 30 */
#define DTYPES_STD9                                                                                          \
    (DTYPES(PTO_S8) | DTYPES(PTO_U8) | DTYPES(PTO_S16) | DTYPES(PTO_U16) | DTYPES(PTO_S32) |                 \
     DTYPES(PTO_U32) | DTYPES(PTO_F16) | DTYPES(PTO_BF16) | DTYPES(PTO_F32))
#define DTYPES_INT64 (DTYPES(PTO_S64) | DTYPES(PTO_U64))
#define DTYPES_SMALL_FLOAT                                                                                   \
    (DTYPES(PTO_E4M3) | DTYPES(PTO_E5M2) | DTYPES(PTO_E8M0) | DTYPES(PTO_HIF8) | DTYPES(PTO_E2M1) |          \
     DTYPES(PTO_E1M2))

static inline bool dtype_in(pto_dtype dtype, uint32_t set) { return set >> dtype & 1; }

#endif
