/* SPDX-License-Identifier: Apache-2.0 */
/* The softmax of softmax.pto as a C kernel: softmax IN.npy OUT.npy [BLOCKS [TARGET]]. */
#include <pto/pto-inst.h>
#include <pto/pto.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 8, COLS = 1024 };

typedef struct matrices {
    float *x, *y;
    uint32_t rows;
} matrices;

/* One block: every blocks-th group of eight rows. The flags and barriers order the pipes on the NPU
 * (00-model, 11); PTO_CHECK=all tells where one is missing. */
static void softmax_kernel(void *argument) {
    const matrices *m = argument;
    PTO_TILE(x, Vec, float, ROWS, COLS);
    PTO_TILE(e, Vec, float, ROWS, COLS);
    PTO_TILE(tmp, Vec, float, ROWS, COLS);
    PTO_TILE_DN(max, Vec, float, ROWS, 1);
    PTO_TILE_DN(sum, Vec, float, ROWS, 1);
    TASSIGN(x, 0x00000);
    TASSIGN(e, 0x08000);
    TASSIGN(tmp, 0x10000);
    TASSIGN(max, 0x18000);
    TASSIGN(sum, 0x18020);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); /* x is free */
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0); /* so is e */
    for (uint32_t group = pto_block_idx(); group < m->rows / ROWS; group += pto_block_num()) {
        PTO_GLOBAL(in, m->x + (size_t)group * ROWS * COLS, float, ROWS, COLS);
        PTO_GLOBAL(out, m->y + (size_t)group * ROWS * COLS, float, ROWS, COLS);
        wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        TLOAD(x, in);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        pipe_barrier(PIPE_V);
        TROWMAX(max, x, tmp);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        pipe_barrier(PIPE_V);
        TROWEXPANDEXPDIF(e, x, max);
        set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
        pipe_barrier(PIPE_V);
        TROWSUM(sum, e, tmp);
        pipe_barrier(PIPE_V);
        TROWEXPANDDIV(e, e, sum);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(out, e);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
}

static bool write_stderr(void *context, const char *data, size_t len) {
    (void)context;
    return fwrite(data, 1, len, stderr) == len;
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "usage: %s IN.npy OUT.npy [BLOCKS [TARGET]]\n", argv[0]);
        return 2;
    }
    pto_launch_options options = {.blocks = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1};
    if (argc > 4 && !pto_target_from_name(argv[4], &options.core.target)) {
        fprintf(stderr, "unknown target %s\n", argv[4]);
        return 2;
    }
    pto_diag_list *diags = pto_diag_list_create();
    pto_npy_info info;
    void *x = NULL;
    float *y = NULL;
    pto_status status = pto_npy_load(argv[1], (size_t)1 << 32, &info, &x, diags);
    bool fits = status == PTO_OK && info.kind == 'f' && info.itemsize == 4 && info.rank == 2 &&
                info.shape[0] % ROWS == 0 && info.shape[0] <= UINT32_MAX && info.shape[1] == COLS;
    if (status == PTO_OK && !fits) {
        fprintf(stderr, "%s: not an f32 array of N x %d with N a multiple of %d\n", argv[1], COLS, ROWS);
        status = PTO_ERR_USAGE;
    }
    if (status == PTO_OK) {
        y = calloc(info.bytes ? (size_t)info.bytes : 1, 1);
        status = y ? PTO_OK : PTO_ERR_NOMEM;
    }
    if (status == PTO_OK) {
        matrices m = {x, y, (uint32_t)info.shape[0]};
        status = pto_launch(&options, softmax_kernel, &m, diags);
    }
    if (status == PTO_OK) {
        info.big_endian = info.fortran_order = false;
        status = pto_npy_save(argv[2], &info, y, diags);
    }
    pto_diag_render(diags, NULL, write_stderr, NULL);
    pto_diag_list_destroy(diags);
    free(x);
    free(y);
    return status == PTO_OK ? 0 : 1;
}
