/* SPDX-License-Identifier: Apache-2.0 */
/* The status that every fallible call returns. The reasons in words are in a diagnostic list (pto/diag.h). */
#ifndef PTO_STATUS_H
#define PTO_STATUS_H

#include <pto/api.h>

PTO_BEGIN_DECLS

typedef enum pto_status {
    PTO_OK = 0,
    PTO_ERR_REFUSED,   /* the input breaks a rule; the diagnostic list says which */
    PTO_ERR_USAGE,     /* a wrong argument to the call itself */
    PTO_ERR_IO,        /* a file could not be opened, read or written */
    PTO_ERR_NOMEM,     /* the system has no memory left */
    PTO_ERR_LIMIT,     /* a limit that the caller set (bytes, steps, depth) was reached */
    PTO_ERR_CANCELLED, /* the caller asked for an end before the work was done */
    PTO_ERR_INTERNAL   /* a defect of the library; never the user's fault */
} pto_status;

/* The name of a status in lower case ("ok", "refused", ...); "unknown" for any other value. Static storage.
 */
PTO_API const char *pto_status_name(pto_status status);

/* The version of the library, "0.1.0". Static storage. */
PTO_API const char *pto_version(void);

PTO_END_DECLS

#endif
