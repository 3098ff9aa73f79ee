/* SPDX-License-Identifier: Apache-2.0 */
/* PTO kernels in C: the instructions as upper-case macros, as the documents write them.
 *
 *     PTO_TILE(x, Vec, float, 16, 16);
 *     PTO_TILE(out, Vec, float, 16, 16);
 *     TASSIGN(x, 0x1000);
 *     TRELU(out, x);
 *
 * Operands stand in the order of the C++ intrinsics, destination first; optional scratch tiles may be
 * left out where a call form without them exists. Tiles and global tensors are one-element arrays (as mpz_t
 * is), so a name passes its address; with a pto_tile or pto_global of another kind pass `&tile`. Every macro
 * returns a pto_status; refusals are collected in the diagnostics of the current core (pto_core_diags). */
#ifndef PTO_PTO_INST_H
#define PTO_PTO_INST_H

#ifdef __cplusplus
#error "C++ kernels include <pto/pto-inst.hpp>; <pto/pto-inst.h> is for C"
#endif

#include <pto/agent.h>
#include <pto/async.h>
#include <pto/check.h>
#include <pto/core.h>
#include <pto/launch.h>

/* ---- declaring tiles and tensors ---------------------------------------------------------------- */

#define PTO_LOC_OF_Vec PTO_LOC_VEC
#define PTO_LOC_OF_Mat PTO_LOC_MAT
#define PTO_LOC_OF_Left PTO_LOC_LEFT
#define PTO_LOC_OF_Right PTO_LOC_RIGHT
#define PTO_LOC_OF_Acc PTO_LOC_ACC
#define PTO_LOC_OF_Bias PTO_LOC_BIAS
#define PTO_LOC_OF_Scaling PTO_LOC_SCALING

#define PTO_DTYPE_OF_int8_t PTO_S8
#define PTO_DTYPE_OF_uint8_t PTO_U8
#define PTO_DTYPE_OF_int16_t PTO_S16
#define PTO_DTYPE_OF_uint16_t PTO_U16
#define PTO_DTYPE_OF_int32_t PTO_S32
#define PTO_DTYPE_OF_uint32_t PTO_U32
#define PTO_DTYPE_OF_int64_t PTO_S64
#define PTO_DTYPE_OF_uint64_t PTO_U64
#define PTO_DTYPE_OF_half PTO_F16
#define PTO_DTYPE_OF_float16_t PTO_F16
#define PTO_DTYPE_OF_bfloat16_t PTO_BF16
#define PTO_DTYPE_OF_float PTO_F32
#define PTO_DTYPE_OF_float32_t PTO_F32

/* PTO_TILE(name, Vec, float, rows, cols): a flat row-major tile, valid region = capacity. */
#define PTO_TILE(name, loc, element, rows, cols)                                                             \
    pto_tile name[1] = {                                                                                     \
        pto_tile_make(pto_tile_type_make(PTO_LOC_OF_##loc, PTO_DTYPE_OF_##element, rows, cols))}
/* The same with valid extents known at run time, changed by pto_tile_set_valid. */
#define PTO_TILE_VALID(name, loc, element, rows, cols, valid_rows, valid_cols)                               \
    pto_tile name[1] = {pto_tile_make_valid(                                                                 \
        pto_tile_type_make(PTO_LOC_OF_##loc, PTO_DTYPE_OF_##element, rows, cols), valid_rows, valid_cols)}
/* A flat column-major tile (one column of scalars for TROWEXPAND<op>). */
#define PTO_TILE_DN(name, loc, element, rows, cols)                                                          \
    pto_tile name[1] = {pto_tile_make(pto_tile_type_dn(PTO_LOC_OF_##loc, PTO_DTYPE_OF_##element, rows, cols))}
/* An Nz tile: blocks of 16 rows x 32 bytes, column by column (L1 operands of a matrix multiply). */
#define PTO_TILE_NZ(name, loc, element, rows, cols)                                                          \
    pto_tile name[1] = {pto_tile_make(pto_tile_type_nz(PTO_LOC_OF_##loc, PTO_DTYPE_OF_##element, rows, cols))}
/* Operands and result of a matrix multiply (00-model, 5); TileLeft follows the target of the current core. */
#define PTO_TILE_LEFT(name, element, rows, cols)                                                             \
    pto_tile name[1] = {pto_tile_make(pto_tile_type_left(pto_core_options(pto_core_current())->target,       \
                                                         PTO_DTYPE_OF_##element, rows, cols))}
#define PTO_TILE_RIGHT(name, element, rows, cols)                                                            \
    pto_tile name[1] = {pto_tile_make(pto_tile_type_right(PTO_DTYPE_OF_##element, rows, cols))}
#define PTO_TILE_ACC(name, element, rows, cols)                                                              \
    pto_tile name[1] = {pto_tile_make(pto_tile_type_acc(PTO_DTYPE_OF_##element, rows, cols))}

/* A convolution tile: PTO_CONV_TILE(x, Mat, half, NC1HWC0, 1, 2, 28, 28, 16). Its parameters are the fields
 * of x_conv: x_conv->filter_h = 3. */
#define PTO_CONV_TILE(name, loc, element, layout, ...)                                                       \
    pto_conv name##_conv[1] = {pto_conv_make(PTO_LAYOUT_##layout,                                            \
                                             (int32_t)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)),  \
                                             (const int32_t[]){__VA_ARGS__})};                               \
    pto_tile name[1] = {                                                                                     \
        pto_tile_make(pto_tile_type_conv(PTO_LOC_OF_##loc, PTO_DTYPE_OF_##element, name##_conv))}

/* PTO_GLOBAL(name, pointer, float, rows, cols): a dense row-major matrix in global memory. */
#define PTO_GLOBAL(name, pointer, element, rows, cols)                                                       \
    pto_global name[1] = {                                                                                   \
        pto_global_make_2d(pointer, PTO_DTYPE_OF_##element, PTO_LAYOUT_ND, rows, cols, cols)}
/* The same with a distance between rows, in elements. */
#define PTO_GLOBAL_STRIDED(name, pointer, element, rows, cols, row_stride)                                   \
    pto_global name[1] = {                                                                                   \
        pto_global_make_2d(pointer, PTO_DTYPE_OF_##element, PTO_LAYOUT_ND, rows, cols, row_stride)}
/* Column-major: element (r, c) at c * rows + r. */
#define PTO_GLOBAL_DN(name, pointer, element, rows, cols)                                                    \
    pto_global name[1] = {                                                                                   \
        pto_global_make_2d(pointer, PTO_DTYPE_OF_##element, PTO_LAYOUT_DN, rows, cols, rows)}

/* ---- calling instructions ------------------------------------------------------------------------ */

/* One argument of a call, as the macros make it. */
typedef struct pto_call_arg {
    pto_operand_kind kind;
    union {
        pto_tile *tile;
        pto_global *global;
        pto_scalar scalar;
        pto_merge_counts *counts;
    };
} pto_call_arg;

/* Executes an instruction on the current core: the call form is chosen by the kinds of the arguments, which
 * stand in C++ order; optional operands and trailing attributes may be missing. PTO_ERR_REFUSED when no form
 * fits. */
PTO_API pto_status pto_call(pto_op op, const pto_call_arg *args, size_t count, const char *file, int line);

static inline pto_call_arg pto_arg_tile(pto_tile *tile) {
    return (pto_call_arg){.kind = PTO_OPERAND_TILE, .tile = tile};
}
static inline pto_call_arg pto_arg_global(pto_global *global) {
    return (pto_call_arg){.kind = PTO_OPERAND_GLOBAL, .global = global};
}
static inline pto_call_arg pto_arg_counts(pto_merge_counts *counts) {
    return (pto_call_arg){.kind = PTO_OPERAND_COUNTS, .counts = counts};
}
static inline pto_call_arg pto_arg_float(double value) {
    return (pto_call_arg){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_F64, .f = value}};
}
static inline pto_call_arg pto_arg_int(long long value) {
    return (pto_call_arg){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_S64, .i = value}};
}
static inline pto_call_arg pto_arg_uint(unsigned long long value) {
    return (pto_call_arg){.kind = PTO_OPERAND_SCALAR, .scalar = {.dtype = PTO_U64, .i = (int64_t)value}};
}

#define PTO_ARG(x)                                                                                           \
    _Generic((x), pto_tile *                                                                                 \
             : pto_arg_tile, pto_global *                                                                    \
             : pto_arg_global, pto_merge_counts *                                                            \
             : pto_arg_counts, float                                                                         \
             : pto_arg_float, double                                                                         \
             : pto_arg_float, unsigned long                                                                  \
             : pto_arg_uint, unsigned long long                                                              \
             : pto_arg_uint, default                                                                         \
             : pto_arg_int)(x)

#define PTO_ARGS_1(a) PTO_ARG(a)
#define PTO_ARGS_2(a, ...) PTO_ARG(a), PTO_ARGS_1(__VA_ARGS__)
#define PTO_ARGS_3(a, ...) PTO_ARG(a), PTO_ARGS_2(__VA_ARGS__)
#define PTO_ARGS_4(a, ...) PTO_ARG(a), PTO_ARGS_3(__VA_ARGS__)
#define PTO_ARGS_5(a, ...) PTO_ARG(a), PTO_ARGS_4(__VA_ARGS__)
#define PTO_ARGS_6(a, ...) PTO_ARG(a), PTO_ARGS_5(__VA_ARGS__)
#define PTO_ARGS_7(a, ...) PTO_ARG(a), PTO_ARGS_6(__VA_ARGS__)
#define PTO_ARGS_8(a, ...) PTO_ARG(a), PTO_ARGS_7(__VA_ARGS__)
#define PTO_ARGS_SELECT(_1, _2, _3, _4, _5, _6, _7, _8, name, ...) name
#define PTO_ARGS(...)                                                                                        \
    PTO_ARGS_SELECT(__VA_ARGS__, PTO_ARGS_8, PTO_ARGS_7, PTO_ARGS_6, PTO_ARGS_5, PTO_ARGS_4, PTO_ARGS_3,     \
                    PTO_ARGS_2, PTO_ARGS_1, unused)                                                          \
    (__VA_ARGS__)

#define PTO_CALL(op, ...)                                                                                    \
    pto_call(op, (const pto_call_arg[]){PTO_ARGS(__VA_ARGS__)},                                              \
             sizeof((const pto_call_arg[]){PTO_ARGS(__VA_ARGS__)}) / sizeof(pto_call_arg), __FILE__,         \
             __LINE__)

/* Flags, barriers and buffer tokens as the documents write them (00-model, 11.2, 11.7). Instructions run in
 * program order, one after the other, so they order nothing here; the checkers of <pto/check.h> need them. */
#define PIPE_S PTO_PIPE_S
#define PIPE_V PTO_PIPE_V
#define PIPE_M PTO_PIPE_M
#define PIPE_MTE1 PTO_PIPE_MTE1
#define PIPE_MTE2 PTO_PIPE_MTE2
#define PIPE_MTE3 PTO_PIPE_MTE3
#define PIPE_FIX PTO_PIPE_FIX
#define PIPE_ALL PTO_PIPE_ALL
enum { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
#define set_flag(src, dst, id) PTO_HERE(pto_agent_flag_set(src, dst, id))
#define wait_flag(src, dst, id) PTO_HERE(pto_agent_flag_wait(src, dst, id))
#define pipe_barrier(pipe) PTO_HERE(pto_agent_pipe_barrier(pipe))
#define get_buf(pipe, id, mode) PTO_HERE(pto_agent_token_get(pipe, id))
#define rls_buf(pipe, id, mode) PTO_HERE(pto_agent_token_release(pipe, id))
/* Cross-core signals; a2a3: ffts_cross_core_sync and wait_flag_dev, a5: set_intra_block and wait_intra_block.
 */
#define set_intra_block(pipe, id) PTO_HERE(pto_agent_signal_on(pipe, id))
#define wait_intra_block(pipe, id) PTO_HERE(pto_agent_signal_wait_on(pipe, id))
/* Events have passed when TSYNC(events...) is reached (00-model, 11.3). */
#define TSYNC(...) ((void)0)
#define TPREFETCH_ASYNC(src, context) pto_tprefetch_async(pto_core_current(), src, context)

#include <pto/ops.h>
#include <pto/inst_macros.h> /* generated: TADD(...), TRELU(...), one macro per instruction */

#endif
