/* SPDX-License-Identifier: Apache-2.0 */
/* Programs as text: parse, verify, print, convert, run (60-assembly). */
#ifndef PTO_PROGRAM_H
#define PTO_PROGRAM_H

#include <pto/core.h>
#include <pto/diag.h>
#include <pto/options.h>
#include <pto/schedule.h>

PTO_BEGIN_DECLS

/* A parsed module. Owns everything in it; the source text is copied. */
typedef struct pto_program pto_program;

/* The text forms (60, 0). */
typedef enum pto_dialect {
    PTO_DIALECT_AS,     /* PTO-AS */
    PTO_DIALECT_LEVEL1, /* SSA */
    PTO_DIALECT_LEVEL2, /* destination passing; level 3 = the same with addresses */
    PTO_DIALECT_GENERIC /* MLIR generic form */
} pto_dialect;
PTO_API const char *pto_dialect_name(pto_dialect dialect); /* "pto-as", "level1", "level2", "generic" */
PTO_API bool pto_dialect_from_name(const char *name, pto_dialect *dialect);

typedef struct pto_parse_options {
    pto_target target;    /* decides what 60, 3.4 rewrites (loc=left); see has_target */
    bool has_target;      /* false: the module's pto.target_arch decides, else cpu */
    bool keep_layouts;    /* nothing is rewritten: types stay as written, for tools that only translate */
    size_t byte_limit;    /* memory of the program; 0 = 1 GiB */
    uint32_t depth_limit; /* nesting of regions, types and attributes; 0 = 256 */
} pto_parse_options;

/* Parses any of the forms; the form is found from the text. Reports every error it can recover from. Returns
 * NULL only when nothing could be made (no memory); a program with errors has pto_diag_count(diags,
 * PTO_ERROR) > 0 and is only good for pto_program_verify, which checks the statements that stand, and for
 * destruction. `options` may be NULL. */
PTO_API pto_program *pto_program_parse(const char *name, const char *text, size_t len,
                                       const pto_parse_options *options, pto_diag_list *diags);
PTO_API void pto_program_destroy(pto_program *program);
PTO_API pto_dialect pto_program_dialect(const pto_program *program);

/* ---- bytecode (60, 5) ---- */

typedef struct pto_encode_options {
    bool strict; /* refuse what the opcodes of version 0 do not hold, instead of writing the generic operation
                  */
} pto_encode_options;
/* Writes a program of levels 2, 3 or of the generic form as PTO-BC version 0: the bytes that the released
 * encoder writes, wherever it writes any. PTO_ERR_REFUSED with PTO-E0260 for what the container cannot hold;
 * convert SSA forms first. `options` may be NULL. */
PTO_API pto_status pto_program_encode(const pto_program *program, const pto_encode_options *options,
                                      pto_write_fn write, void *context, pto_diag_list *diags);
/* Reads a PTO-BC file into a program of generic form, as pto_program_parse reads text (the options are the
 * same). NULL with PTO-E0261 when the container is not sound. */
PTO_API pto_program *pto_program_decode(const char *name, const void *bytes, size_t len,
                                        const pto_parse_options *options, pto_diag_list *diags);
PTO_API bool pto_bytes_are_bytecode(const void *bytes, size_t len);

/* The target that the program names in pto.target_arch (a3 -> a2a3); false when it names none. */
PTO_API bool pto_program_target(const pto_program *program, pto_target *target);

/* What the MLIR assembler checks (60, 3.10): nothing of it; its lists beside our rules; or it alone, without
 * the rules of the instructions and of tile types, to learn its verdict. */
typedef enum pto_ptoas { PTO_PTOAS_OFF, PTO_PTOAS_ADD, PTO_PTOAS_ONLY } pto_ptoas;

typedef struct pto_verify_options {
    pto_target target;
    bool has_target; /* false: the module's, else cpu */
    bool strict;     /* 60, 3.10.7 */
    pto_ptoas ptoas;
} pto_verify_options;
/* Every rule of the target; PTO_ERR_REFUSED with all errors in `diags`. */
PTO_API pto_status pto_program_verify(pto_program *program, const pto_verify_options *options,
                                      pto_diag_list *diags);

/* Verifies, and places the tiles of every entry as a run does: tells also when they do not fit (PTO-E0906).
 */
PTO_API pto_status pto_program_check(pto_program *program, const pto_verify_options *options,
                                     pto_diag_list *diags);

typedef struct pto_deep_options {
    pto_target target;
    bool has_target;
    uint32_t blocks;                       /* 0 = 1 */
    uint32_t checks;                       /* pto_check_kind; 0 = race, init and sync */
    struct pto_suppressions *suppressions; /* what is not to be told; borrowed, may be NULL */
} pto_deep_options;
/* The findings of the checkers without inputs, for every entry: control flow and addresses are followed,
 * instructions are checked and not executed. Scalars from arguments and from memory are unknown; where a
 * bound, a branch, an address or a flag depends on one, PTO-W1130 tells it and the rest of the entry is left.
 * What the followed part of a run would be refused for is told as well: PTO_ERR_REFUSED. `findings` receives
 * the number of findings; it and `options` may be NULL. */
PTO_API pto_status pto_program_check_deep(pto_program *program, const pto_deep_options *options,
                                          size_t *findings, pto_diag_list *diags);

/* Verifies, places the tiles of the entry (NULL = by the rule) as a run does, and writes the memory map: who
 * lies where and when, the peak of each memory and what lives at its fullest moment; as text, or as an SVG
 * picture. */
PTO_API pto_status pto_program_show_memory(pto_program *program, const char *entry,
                                           const pto_verify_options *options, bool picture,
                                           pto_write_fn write, void *context, pto_diag_list *diags);

/* Prints in a form; PTO_ERR_REFUSED with a diagnostic where the form cannot hold the program (60, 1-3). */
PTO_API pto_status pto_program_print(const pto_program *program, pto_dialect dialect, pto_write_fn write,
                                     void *context, pto_diag_list *diags);
/* A new program in another form with the same meaning, e.g. level 1 lowered to level 2 (60, 2). NULL on
 * refusal. */
PTO_API pto_program *pto_program_convert(const pto_program *program, pto_dialect dialect,
                                         pto_diag_list *diags);

/* ---- C++ (60, 6) ---- */

typedef enum pto_language {
    PTO_LANGUAGE_CPP,  /* C++17 over <pto/pto-inst.hpp> */
    PTO_LANGUAGE_BLOCK /* TileOp blocks, template lines (70, 4.1), of a straight-line entry: see below */
} pto_language;
/* Verifies, places the tiles of every entry as a run does and writes the module as a translation unit whose
 * kernels give the bits of pto_program_run on that target. PTO_ERR_REFUSED, with PTO-E0262 for what C++
 * cannot hold.
 * TileOp blocks: parameters arrive in a0..a7, in their order, pointers as addresses and scalars as the bits
 * of their type; the bits are those of a run on target cpu. PTO-E0264 for what has no block form that does
 * the same, PTO-W0265 for what differs only at a NaN or a zero divisor. `options` may be NULL. */
PTO_API pto_status pto_program_emit(pto_program *program, pto_language language,
                                    const pto_verify_options *options, pto_write_fn write, void *context,
                                    pto_diag_list *diags);

/* ---- passes ---- */

/* Verifies, then changes a program of levels 2, 3 or of the generic form:
 * "place"  gives every tile the address that a run on the target chooses (60, 4.7): level 2 becomes level 3;
 * "sync"   inserts the flags and barriers that the target needs and the program misses (60, 4.8; 00-model,
 *          11.6), for the addresses that the tiles have or will get. Nothing on target cpu, whose operations
 *          follow each other.
 * PTO_ERR_REFUSED with diagnostics when it is not legal, cannot be placed, or is in an SSA form, which has no
 * words for either (convert it to level 2 first); PTO_ERR_USAGE for another name. `options` may be NULL. */
PTO_API pto_status pto_program_pass(pto_program *program, const char *pass, const pto_verify_options *options,
                                    pto_diag_list *diags);

/* ---- running --------------------------------------------------------------------------------- */

/* What an entry's parameter takes. */
typedef enum pto_param_kind { PTO_PARAM_POINTER, PTO_PARAM_SCALAR, PTO_PARAM_TILE } pto_param_kind;
typedef struct pto_param {
    const char *name; /* without %; "" when unnamed */
    pto_param_kind kind;
    pto_dtype
        dtype; /* element or scalar type; PTO_DTYPE_NONE: an integer of another width (i1), or no number */
    unsigned bits; /* scalars: their width; 0 = no number, nothing that a run asks for (!pto.pipe, events) */
    bool signless; /* written i8, i16, ...: arrays of either signedness fit */
    bool read, written; /* pointers: what the body does with it, as far as it can be seen */
    /* pointers: the shape that the program gives it (largest view made of it), rank 0 when it is not known
     * before the run; tiles: rows, cols. An extent below 0 is the value of the scalar parameter
     * -1 - shape[i]. */
    int rank;
    int64_t shape[5];
} pto_param;

/* The entry function: by name, or the only one, or the only marked one (60, 3.2). NULL entry = by the rule.
 * PTO_ERR_REFUSED when there is none. `count` receives the number of parameters. */
PTO_API pto_status pto_program_entry_params(const pto_program *program, const char *entry,
                                            const pto_param **params, size_t *count, pto_diag_list *diags);

/* One argument, matched to a parameter by position. */
typedef struct pto_argument {
    /* pointers and tiles: the caller's buffer (tiles: dense row-major rows x cols, copied in and out) */
    void *data;
    size_t bytes;
    bool read_only;
    bool fresh; /* an output: PTO_CHECK_INIT tells the bytes of it that nobody writes */
    /* scalars: integers in i, floats in f, by the parameter's dtype */
    int64_t i;
    double f;
} pto_argument;

/* Called from the running threads, serialised; keep it quick. */
typedef struct pto_run_progress {
    uint32_t blocks_done, blocks; /* a vector core of a block counts as a block */
} pto_run_progress;

typedef struct pto_run_options {
    const char *entry; /* NULL = by the rule */
    pto_target target;
    bool has_target;
    uint32_t blocks;    /* 0 = 1 */
    uint32_t subblocks; /* vector cores of a block, 0 = 1: the entry runs once for each of them */
    uint32_t threads;   /* 0 = all processors, at most one a run of the entry */
    pto_simd_level simd;
    pto_numeric_options numeric;
    uint32_t checks; /* pto_check_kind; what they find stands in the diagnostics as errors, the run goes on */
    size_t *findings;                      /* receives their number, advice not counted; may be NULL */
    struct pto_suppressions *suppressions; /* what is not to be told; borrowed, may be NULL */
    /* another order than the program's: one thread; not together with checks, which hold for every order */
    pto_schedule schedule;
    /* checked between instructions: a non-zero value ends the run with PTO_ERR_CANCELLED */
    const volatile int *cancel;
    void (*progress)(void *user, const pto_run_progress *progress);
    void *progress_user;
    void (*print)(void *user, const char *text,
                  size_t len); /* TPRINT and pto.print, whole lines in block order */
    void *print_user;
} pto_run_options;

/* Runs the entry over all blocks: verified first, then placed (auto mode), lowered once, executed by
 * `threads` threads. Results are the same for every thread count. On an error other blocks are stopped; the
 * buffers then hold partial results and must not be used. */
PTO_API pto_status pto_program_run(pto_program *program, const pto_argument *arguments, size_t count,
                                   const pto_run_options *options, pto_diag_list *diags);

typedef struct pto_explore_options {
    uint64_t runs; /* schedules: the adversarial one, then random ones; 0 = 100 */
    uint64_t seed; /* of the first random one */
} pto_explore_options;
typedef struct pto_explore_result {
    uint64_t runs;     /* schedules that were compared */
    uint64_t executed; /* runs of the program in all, those of program order and of the search among them */
    bool differs;      /* an output differs from that of program order, or the run stopped */
    pto_schedule schedule; /* with which it does, as short as could be found */
} pto_explore_result;

/* Runs the entry in program order and then in other orders that the hardware would be free to choose, and
 * compares the bytes of all writable arguments. The first difference ends it: it is shrunk to two operations
 * that no edge ties and that, exchanged, change the outputs; `diags` receives both, as the race that they
 * are. Status PTO_OK also then; PTO_ERR_REFUSED when program order itself fails. The buffers hold their
 * inputs again afterwards. `threads`, `checks`, `schedule`, `print` and `progress` of `options` are not used;
 * `options`, `how` and `result` may be NULL. */
PTO_API pto_status pto_program_explore(pto_program *program, const pto_argument *arguments, size_t count,
                                       const pto_run_options *options, const pto_explore_options *how,
                                       pto_explore_result *result, pto_diag_list *diags);

PTO_END_DECLS
#endif
