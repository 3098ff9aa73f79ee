/* SPDX-License-Identifier: Apache-2.0 */
/* Is any of n floats infinite or NaN: are all bits of `exponent` set? A question of flags.h. */
#include "kernel/kernel.h"

#define SCAN(name, T)                                                                                        \
    static bool name(const void *data, T exponent, int64_t n) {                                              \
        const T *x = data;                                                                                   \
        T any = 0;                                                                                           \
        for (int64_t i = 0; i < n; i++)                                                                      \
            any |= (T)((T)(x[i] & exponent) == exponent);                                                    \
        return any != 0;                                                                                     \
    }
SCAN(scan_16, uint16_t)
SCAN(scan_32, uint32_t)
SCAN(scan_64, uint64_t)

bool PTO_KERNEL_SYMBOL(special)(const void *data, unsigned bits, uint64_t exponent, int64_t n);
bool PTO_KERNEL_SYMBOL(special)(const void *data, unsigned bits, uint64_t exponent, int64_t n) {
    return bits == 16   ? scan_16(data, (uint16_t)exponent, n)
           : bits == 32 ? scan_32(data, (uint32_t)exponent, n)
                        : scan_64(data, exponent, n);
}
