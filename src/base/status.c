/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the status codes. */
#include <pto/status.h>

const char *pto_status_name(pto_status status) {
    switch (status) {
    case PTO_OK:
        return "ok";
    case PTO_ERR_REFUSED:
        return "refused";
    case PTO_ERR_USAGE:
        return "usage";
    case PTO_ERR_IO:
        return "io";
    case PTO_ERR_NOMEM:
        return "nomem";
    case PTO_ERR_LIMIT:
        return "limit";
    case PTO_ERR_CANCELLED:
        return "cancelled";
    case PTO_ERR_INTERNAL:
        return "internal";
    }
    return "unknown";
}

const char *pto_version(void) { return PTO_VERSION_STRING; }
