/* SPDX-License-Identifier: Apache-2.0 */
/* Element types that only TileOp blocks have (part 70, 5.1). They stand behind the public ones: no text names
 * them, no call form takes them, kernels compute them where the block machine calls. */
#ifndef PTO_NUMBER_ELEMENT_TYPES_H
#define PTO_NUMBER_ELEMENT_TYPES_H

#include <pto/types.h>

#define PTO_TF32 ((pto_dtype)20)
#define PTO_HF32 ((pto_dtype)21)
#define PTO_E3M2 ((pto_dtype)22) /* low 6 bits of a byte */
#define PTO_E2M3 ((pto_dtype)23)
#define PTO_HIF4 ((pto_dtype)24)
#define PTO_U4 ((pto_dtype)25)
enum { PTO_ELEMENT_COUNT = 26 }; /* of tables that are indexed with any element type */

_Static_assert(PTO_DTYPE_COUNT == 20, "the element types of blocks follow the public ones");

#endif
