/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a row softmax in C, without a text: verifies it for every target, prints it, runs it and compares
 * with double precision. builder-softmax [-p]: with -p also prints the program with its flags. Exit status 1
 * above 16 ulp (target cpu adds a row from left to right). */
#include <pto/builder.h>
#include <pto/pto.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, COLS = 512, GROUP = 8 };

/* y[r, :] = exp(x[r, :] - max) / sum, GROUP rows at a time; the blocks of a run share the groups. */
static pto_program *softmax(pto_diag_list *diags) {
    pto_builder *b = pto_builder_create(diags);
    const pto_type *f32 = pto_build_ptr_type(b, PTO_F32), *index = pto_build_index_type(b);
    const pto_type *i64 = pto_build_int_type(b, 64);
    const pto_build_param params[] = {{"x", f32}, {"y", f32}};
    const pto_tile_type rows = pto_tile_type_make(PTO_LOC_VEC, PTO_F32, GROUP, COLS);
    const pto_tile_type column = pto_tile_type_dn(PTO_LOC_VEC, PTO_F32, GROUP, 1);
    pto_value *arg[2] = {0};
    pto_build_function(b, "softmax", true, params, 2, arg);

    pto_value *zero = pto_build_index(b, 0), *one = pto_build_index(b, 1);
    pto_value *all = pto_build_index(b, ROWS), *cols = pto_build_index(b, COLS);
    pto_value *group = pto_build_index(b, GROUP), *groups = pto_build_index(b, ROWS / GROUP);
    pto_value *extents[] = {all, cols}, *strides[] = {cols, one};
    pto_value *x = pto_build_tensor_view(b, arg[0], 2, extents, strides);
    pto_value *y = pto_build_tensor_view(b, arg[1], 2, extents, strides);
    pto_value *block = pto_build_operation(b, "pto.get_block_idx", NULL, 0, i64, NULL, 0);
    pto_value *blocks = pto_build_operation(b, "pto.get_block_num", NULL, 0, i64, NULL, 0);
    pto_value *first = pto_build_cast(b, "arith.index_cast", block, index);
    pto_value *step = pto_build_cast(b, "arith.index_cast", blocks, index);
    pto_value *t = pto_build_tile(b, &rows, NULL, NULL, NULL),
              *e = pto_build_tile(b, &rows, NULL, NULL, NULL);
    pto_value *tmp = pto_build_tile(b, &rows, NULL, NULL, NULL);
    pto_value *max = pto_build_tile(b, &column, NULL, NULL, NULL),
              *sum = pto_build_tile(b, &column, NULL, NULL, NULL);

    pto_value *i = pto_build_for(b, first, groups, step, 0, NULL, NULL);
    pto_value *row = pto_build_arith(b, "arith.muli", i, group);
    pto_value *offsets[] = {row, zero}, *sizes[] = {group, cols};
    pto_value *from = pto_build_partition(b, x, 2, offsets, sizes);
    pto_value *to = pto_build_partition(b, y, 2, offsets, sizes);
    pto_build_instr(b, PTO_FORM_TLOAD, (pto_value *[]){t, from}, 2, NULL, 0);
    pto_build_instr(b, PTO_FORM_TROWMAX, (pto_value *[]){max, t, tmp}, 3, NULL, 0);
    pto_build_instr(b, PTO_FORM_TROWEXPANDEXPDIF, (pto_value *[]){e, t, max}, 3, NULL, 0);
    pto_build_instr(b, PTO_FORM_TROWSUM, (pto_value *[]){sum, e, tmp}, 3, NULL, 0);
    pto_build_instr(b, PTO_FORM_TROWEXPANDDIV, (pto_value *[]){e, e, sum}, 3, NULL, 0);
    pto_build_instr(b, PTO_FORM_TSTORE, (pto_value *[]){to, e}, 2, NULL, 0);
    pto_build_end_for(b, 0, NULL, NULL);
    pto_build_end_function(b);
    return pto_builder_finish(b); /* one check for all of them */
}

static bool to_file(void *file, const char *data, size_t len) { return fwrite(data, 1, len, file) == len; }

static double worst_ulp(const float *x, const float *y) {
    double worst = 0;
    for (int r = 0; r < ROWS; r++, x += COLS, y += COLS) {
        double max = -INFINITY, sum = 0;
        for (int c = 0; c < COLS; c++)
            max = fmax(max, (double)x[c]);
        for (int c = 0; c < COLS; c++)
            sum += exp((double)x[c] - max);
        for (int c = 0; c < COLS; c++) {
            double exact = exp((double)x[c] - max) / sum;
            double ulp = (double)nextafterf((float)exact, INFINITY) - (double)(float)exact;
            worst = fmax(worst, fabs((double)y[c] - exact) / ulp);
        }
    }
    return worst;
}

/* For one target: verified, run by three blocks, compared. */
static pto_status try(pto_program *program, pto_target target, const float *x, float *y, double *ulp,
                      pto_diag_list *diags) {
    const pto_verify_options verify = {.target = target, .has_target = true};
    const pto_run_options run = {.target = target, .has_target = true, .blocks = 3};
    const size_t bytes = (size_t)ROWS * COLS * sizeof *y;
    const pto_argument arguments[] = {{.data = (void *)(uintptr_t)x, .bytes = bytes, .read_only = true},
                                      {.data = y, .bytes = bytes}};
    memset(y, 0, bytes);
    pto_status status = pto_program_verify(program, &verify, diags);
    if (status == PTO_OK)
        status = pto_program_run(program, arguments, 2, &run, diags);
    if (status == PTO_OK)
        *ulp = worst_ulp(x, y);
    return status;
}

int main(int argc, char **argv) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_program *program = softmax(diags);
    float *x = malloc(sizeof(float) * ROWS * COLS), *y = malloc(sizeof(float) * ROWS * COLS);
    pto_status status = program && x && y ? PTO_OK : PTO_ERR_REFUSED;
    double worst = 0;
    uint64_t state = 1;
    for (int i = 0; status == PTO_OK && i < ROWS * COLS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = ((float)(state >> 40) / 16777216.0f - 0.5f) * 8.0f;
    }
    for (int target = 0; status == PTO_OK && target < PTO_TARGET_COUNT; target++) {
        double ulp = 0;
        status = try(program, (pto_target)target, x, y, &ulp, diags);
        if (status == PTO_OK)
            printf("%s: largest error %.2f ulp\n", pto_target_name((pto_target)target), ulp);
        worst = fmax(worst, ulp);
    }
    if (status == PTO_OK && argc > 1 && !strcmp(argv[1], "-p")) {
        const pto_verify_options a5 = {.target = PTO_TARGET_A5, .has_target = true};
        status = pto_program_pass(program, "sync", &a5, diags);
        if (status == PTO_OK)
            status = pto_program_print(program, PTO_DIALECT_LEVEL2, to_file, stdout, diags);
    }
    if (status != PTO_OK) {
        char text[4096];
        pto_diag_render_buffer(diags, NULL, text, sizeof text);
        fputs(text, stderr);
    }
    free(x);
    free(y);
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
    return status == PTO_OK && worst <= 16 ? 0 : 1;
}
