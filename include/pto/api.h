/* SPDX-License-Identifier: Apache-2.0 */
/* What every public header needs: symbol visibility, C++ linkage guards, printf checking. */
#ifndef PTO_API_H
#define PTO_API_H

#if defined(__GNUC__) || defined(__clang__)
#define PTO_API __attribute__((visibility("default")))
#define PTO_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define PTO_API
#define PTO_PRINTF(at, first)
#endif

#ifdef __cplusplus
#define PTO_BEGIN_DECLS extern "C" {
#define PTO_END_DECLS }
#else
#define PTO_BEGIN_DECLS
#define PTO_END_DECLS
#endif

#endif
