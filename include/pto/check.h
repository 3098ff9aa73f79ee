/* SPDX-License-Identifier: Apache-2.0 */
/* Checkers of kernels in C and C++ (docs/checkers.md): what the instructions of a core access, and what the
 * flags and barriers of its thread order, is watched; findings are diagnostics with both places. The same as
 * pto_run_options.checks for program texts.
 *
 * A launch: pto_launch_options.checks. A core of one's own: pto_watch_core. A whole process, without a line
 * of its own: PTO_CHECK=race,init,sync,memory (or all) in the environment; see the end of this header. */
#ifndef PTO_CHECK_H
#define PTO_CHECK_H

#include <pto/core.h>

PTO_BEGIN_DECLS

/* Checks by name, commas between: init, race, sync, memory, all, none. False when a name is none of them;
 * then *wrong is where it begins. */
PTO_API bool pto_check_parse(const char *text, uint32_t *checks, const char **wrong);

/* ---- suppressions ---- */

/* Lines `kind:pattern`. The kind is memory, init, race, sync, all or a rule id; the pattern is matched
 * against the rule id, the instructions, the argument and the file of a finding: * stands for anything, one
 * without it may stand anywhere in the name. # begins a comment. */
typedef struct pto_suppressions pto_suppressions;
/* NULL when a line is malformed (E0157, told in `diags` at `name`) or without memory. */
PTO_API pto_suppressions *pto_suppressions_parse(const char *name, const char *text, size_t len,
                                                 pto_diag_list *diags);
/* The same from a file. */
PTO_API pto_suppressions *pto_suppressions_load(const char *path, pto_diag_list *diags);
PTO_API void pto_suppressions_destroy(pto_suppressions *suppressions);

/* ---- watching cores ---- */

typedef struct pto_watch pto_watch;

/* The suppressions are borrowed, NULL = none. NULL without memory. A watch outlives its cores. */
PTO_API pto_watch *pto_watch_create(uint32_t checks, pto_suppressions *suppressions);
PTO_API void pto_watch_destroy(pto_watch *watch);
/* Every instruction of the core from now on, and the flags, barriers, tokens and signals (pto_agent_*) of the
 * thread whose current core it is. Its memories count as unwritten. Until the core is reset or destroyed. */
PTO_API pto_status pto_watch_core(pto_watch *watch, pto_core *core);
/* The core has ended its kernel: flags left up are told, what follows is a new kernel. */
PTO_API void pto_watch_end(pto_core *core);
/* Adds what was found since the last call to `diags`, as errors in the order of their places, and returns how
 * many these are. */
PTO_API size_t pto_watch_tell(pto_watch *watch, pto_diag_list *diags);

/* The place in the source of the thread's next instruction, flag or barrier; the macros of <pto/pto-inst.h>
 * and the C++ facade give it themselves. PTO_HERE(pto_trelu(core, &y, &x)) does for a function. */
PTO_API void pto_here(const char *file, int line);
#define PTO_HERE(call) (pto_here(__FILE__, __LINE__), (call))

/* ---- global memory that the host owns ---- */

/* Buffers of a watched process (the aclrt functions of the C++ facade use these). Zeroed, aligned to 64
 * bytes; NULL without memory. Under `memory` a buffer stands between guard bytes and is kept when it is
 * freed: leaks, double frees, wrong frees and uses after the free are found. Under `init` reads of bytes that
 * neither host nor kernel has written are. */
PTO_API void *pto_check_malloc(size_t bytes, const char *file, int line);
PTO_API void pto_check_free(void *buffer, const char *file, int line);
/* The host writes or reads a buffer, or a part of one; other memory is none of the checkers' business. */
PTO_API void pto_check_host_write(const void *at, size_t bytes, const char *file, int line);
PTO_API void pto_check_host_read(const void *at, size_t bytes, const char *file, int line);
/* Sets begin, end and name of a global tensor that lies in a buffer: the door then bounds it. */
PTO_API void pto_check_bound(pto_global *global);
/* The kernel's scalar unit accesses an element of a tile. */
PTO_API void pto_check_element(const pto_tile *tile, size_t offset_bytes, size_t bytes, bool write,
                               const char *file, int line);
/* The storage of an unassigned tile goes back to the heap. */
PTO_API void pto_check_forget(const void *storage, size_t bytes);

/* ---- a process under PTO_CHECK ---- */

/* Every core that is created from now on is watched. Once a process; PTO_ERR_USAGE when a name is unknown or
 * it was called before. `suppressions` is a file, NULL = none; a bad one is told with the first findings. */
PTO_API pto_status pto_check_process(const char *checks, const char *suppressions);
PTO_API bool pto_check_process_on(void);
/* pto_watch_tell of it; at_exit also tells leaks. */
PTO_API size_t pto_check_process_tell(pto_diag_list *diags, bool at_exit);

PTO_END_DECLS

/* The library reads no environment and prints nothing. This part of the program does: with PTO_CHECK set, it
 * starts the checkers before main() and at exit writes what they found to stderr; the exit status is then 3
 * (PTO_CHECK_EXIT). PTO_SUPPRESSIONS names a file, PTO_CHECK_JSON=1 gives JSON. PTO_NO_CHECK_ENVIRONMENT
 * leaves it out. */
#if !defined(PTO_NO_CHECK_ENVIRONMENT) && (defined(__GNUC__) || defined(__clang__))
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
#define PTO_CHECK_INLINE inline
#else
#define PTO_CHECK_INLINE static inline
#endif

PTO_CHECK_INLINE bool pto_check_write_(void *file, const char *data, size_t len) {
    return fwrite(data, 1, len, (FILE *)file) == len;
}
/* What was found since the last report, to stderr; true when there was something. */
PTO_CHECK_INLINE bool pto_check_report_(bool at_exit) {
    const char *json = getenv("PTO_CHECK_JSON");
    pto_diag_list *diags = pto_diag_list_create();
    const size_t count = pto_check_process_tell(diags, at_exit);
    if (pto_diag_first(diags)) {
        if (json && *json == '1')
            pto_diag_render_json(diags, pto_check_write_, stderr);
        else
            pto_diag_render(diags, NULL, pto_check_write_, stderr);
        if (count)
            fprintf(stderr, "pto: %lu finding%s of PTO_CHECK\n", (unsigned long)count, count == 1 ? "" : "s");
    }
    pto_diag_list_destroy(diags);
    return count > 0;
}
/* One flag for all units of the program. */
#ifdef __cplusplus
inline bool pto_check_found_ = false;
#else
__attribute__((weak)) bool pto_check_found_;
#endif
PTO_CHECK_INLINE void pto_check_end_(void) {
    if (pto_check_report_(true))
        pto_check_found_ = true;
    if (!pto_check_found_)
        return;
    const char *status = getenv("PTO_CHECK_EXIT");
    fflush(NULL);
    _Exit(status ? atoi(status) : 3);
}
__attribute__((constructor)) static void pto_check_start_(void) {
    const char *checks = getenv("PTO_CHECK");
    if (!checks || !*checks || pto_check_process_on())
        return;
    if (pto_check_process(checks, getenv("PTO_SUPPRESSIONS")) == PTO_OK)
        atexit(pto_check_end_);
    else
        fprintf(stderr, "pto: PTO_CHECK=%s: the checks are init, race, sync, memory, all and none\n", checks);
}
#undef PTO_CHECK_INLINE
#endif

#endif
