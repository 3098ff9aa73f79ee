/* SPDX-License-Identifier: Apache-2.0 */
/* What a compiler waits for: parse, verify, place and sync of generated level-2 kernels of 1,000 to 100,000
 * operations, how the time grows, and a whole `pto check` of a small file beside a process that does nothing.
 * The goals of issue and manual: 1,000 operations in 5 ms, 100,000 in 1 s, a check in 10 ms, growth as the
 * number of operations.
 *
 *     bench_program [PTO, the command] [--quick]
 */
#include "limits.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pto/pto.h>

extern char **environ;

enum { STAGES = 4 };
static const char *const stage_names[STAGES] = {"parse", "verify", "place", "sync"};

/* ---- a kernel -------------------------------------------------------------------------------- */

typedef struct text {
    char *data;
    size_t size, room;
} text;

#define ADD(t, ...)                                                                                          \
    do {                                                                                                     \
        if ((t)->room - (t)->size < 1024) {                                                                  \
            (t)->room = 2 * (t)->room + 4096;                                                                \
            (t)->data = realloc((t)->data, (t)->room);                                                       \
            if (!(t)->data)                                                                                  \
                exit(1);                                                                                     \
        }                                                                                                    \
        (t)->size += (size_t)snprintf((t)->data + (t)->size, (t)->room - (t)->size, __VA_ARGS__);            \
    } while (0)

static uint64_t next(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Groups of a load, some vector instructions on a few tiles, a reduction and a store, every tenth group in a
 * loop; a fifth of the operations are tiles and views. */
static text kernel(int operations) {
    text t = {0};
    uint64_t state = 42;
    int count = 8, tile = 0;
    ADD(&t, "!m = !pto.tensor_view<?x64xf32>\n!p = !pto.partition_tensor_view<16x64xf32>\n"
            "!t = !pto.tile_buf<vec, 16x64xf32>\n!c = !pto.tile_buf<vec, 16x1xf32, blayout=col_major>\n"
            "module {\nfunc.func @kernel(%%x: !pto.ptr<f32>, %%y: !pto.ptr<f32>) attributes {pto.entry} {\n"
            "%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n"
            "%%c4 = arith.constant 4 : index\n%%c16 = arith.constant 16 : index\n"
            "%%c64 = arith.constant 64 : index\n%%n = arith.constant 1600000 : index\n"
            "%%xs = pto.make_tensor_view %%x, shape = [%%n, %%c64], strides = [%%c64, %%c1] : !m\n"
            "%%ys = pto.make_tensor_view %%y, shape = [%%n, %%c64], strides = [%%c64, %%c1] : !m\n");
    while (count < operations) {
        bool loop = next(&state) % 10 == 0;
        int first = tile, body = 6 + (int)(next(&state) % 10);
        for (int i = 0; i < 4; i++)
            ADD(&t, "%%t%d = pto.alloc_tile : !t\n", tile++);
        ADD(&t, "%%r%d = pto.alloc_tile : !c\n", first);
        ADD(&t, "%%o%d = arith.constant %d : index\n", first, 16 * (first / 4));
        if (loop)
            ADD(&t, "scf.for %%i%d = %%c0 to %%c4 step %%c1 {\n", first);
        ADD(&t,
            "%%xp%d = pto.partition_view %%xs, offsets = [%%o%d, %%c0], sizes = [%%c16, %%c64] : !m -> !p\n"
            "%%yp%d = pto.partition_view %%ys, offsets = [%%o%d, %%c0], sizes = [%%c16, %%c64] : !m -> !p\n"
            "pto.tload ins(%%xp%d : !p) outs(%%t%d : !t)\n",
            first, first, first, first, first, first);
        for (int i = 0; i < body; i++) {
            int a = first + (int)(next(&state) % 2), b = first + (int)(next(&state) % 4),
                d = first + 1 + (int)(next(&state) % 3);
            static const char *const names[] = {"tadd", "tsub", "tmul", "tmax"};
            ADD(&t, "pto.%s ins(%%t%d, %%t%d : !t, !t) outs(%%t%d : !t)\n", names[next(&state) % 4], a,
                i ? b : a, d);
        }
        ADD(&t,
            "pto.trowmax ins(%%t%d, %%t%d : !t, !t) outs(%%r%d : !c)\n"
            "pto.trowexpandsub ins(%%t%d, %%r%d : !t, !c) outs(%%t%d : !t)\n"
            "pto.tstore ins(%%t%d : !t) outs(%%yp%d : !p)\n",
            first + 1, first + 3, first, first + 1, first, first + 2, first + 2, first);
        if (loop)
            ADD(&t, "}\n");
        count += 12 + body + loop;
    }
    ADD(&t, "return\n}\n}\n");
    return t;
}

/* ---- times ----------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of `turns`, for each stage; false, with the diagnostics told, when the kernel is refused. */
static bool measure(const text *t, int turns, double best[STAGES]) {
    const pto_verify_options options = {.target = PTO_TARGET_A2A3, .has_target = true};
    for (int turn = 0; turn < turns; turn++) {
        double at[STAGES + 1];
        pto_diag_list *diags = pto_diag_list_create();
        at[0] = now();
        pto_program *program = pto_program_parse("kernel.pto", t->data, t->size, NULL, diags);
        at[1] = now();
        pto_status status = program ? pto_program_verify(program, &options, diags) : PTO_ERR_REFUSED;
        at[2] = now();
        if (status == PTO_OK)
            status = pto_program_pass(program, "place", &options, diags);
        at[3] = now();
        if (status == PTO_OK)
            status = pto_program_pass(program, "sync", &options, diags);
        at[4] = now();
        for (int s = 0; s < STAGES; s++)
            if (!turn || at[s + 1] - at[s] < best[s])
                best[s] = at[s + 1] - at[s];
        pto_program_destroy(program);
        if (status != PTO_OK) {
            fprintf(stderr, "%s\n", pto_status_name(status));
            char message[2048];
            pto_diag_render_buffer(diags, NULL, message, sizeof message);
            fputs(message, stderr);
            pto_diag_list_destroy(diags);
            return false;
        }
        pto_diag_list_destroy(diags);
    }
    return true;
}

static bool spawn(char *const arguments[]) {
    pid_t pid;
    int status;
    return posix_spawnp(&pid, arguments[0], NULL, NULL, arguments, environ) == 0 &&
           waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static double process(char *const arguments[]) {
    double best = -1;
    for (int turn = 0; turn < 100; turn++) {
        double start = now();
        if (!spawn(arguments))
            return -1;
        double seconds = now() - start;
        best = best < 0 || seconds < best ? seconds : best;
    }
    return best;
}

static int row(const char *what, double value, const char *unit, double goal) {
    printf("%-44s %10.2f %-3s %8.2f%s\n", what, value, unit, goal, value > goal ? "  above" : "");
    return value > goal;
}

int main(int argc, char **argv) {
    char beside[4096];
    const char *command = NULL;
    bool quick = false;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--quick"))
            quick = true;
        else
            command = argv[i];
    if (!command) { /* build/release/bench/bench_program: build/release/bin/pto */
        const char *slash = strrchr(argv[0], '/');
        snprintf(beside, sizeof beside, "%.*s../bin/pto", slash ? (int)(slash - argv[0] + 1) : 0, argv[0]);
        command = beside;
    }
    static const int sizes[] = {1000, 10000, 100000};
    int count = quick ? 2 : 3, missed = 0;
    double total[3] = {0};
    printf("%-10s", "operations");
    for (int s = 0; s < STAGES; s++)
        printf(" %10s", stage_names[s]);
    printf(" %10s  ns per operation\n", "total");
    for (int n = 0; n < count; n++) {
        text t = kernel(sizes[n]);
        double best[STAGES] = {0};
        if (!measure(&t, n == 2 ? 3 : n == 1 ? 10 : 50, best))
            return 1;
        printf("%-10d", sizes[n]);
        for (int s = 0; s < STAGES; s++) {
            printf(" %7.2f ms", 1e3 * best[s]);
            total[n] += best[s];
        }
        printf(" %7.2f ms  %.0f\n", 1e3 * total[n], 1e9 * total[n] / sizes[n]);
        free(t.data);
    }
    printf("\n%-44s %10s %-3s %8s\n", "", "measured", "", "goal");
    missed += row("1,000 operations", 1e3 * total[0], "ms", 5);
    missed += row("10,000 beside 1,000, per operation", total[1] / total[0] / 10, "x", 1.5);
    if (count == 3) {
        missed += row("100,000 operations", 1e3 * total[2], "ms", 1000);
        missed += row("100,000 beside 10,000, per operation", total[2] / total[1] / 10, "x", 1.5);
    }
    char file[] = "/tmp/bench_program_XXXXXX";
    int fd = mkstemp(file);
    text small = kernel(40);
    if (fd < 0 || write(fd, small.data, small.size) != (ssize_t)small.size)
        return 1;
    close(fd);
    char *check[] = {(char *)(uintptr_t)command, "check", "--target", "a2a3", file, NULL},
         *nothing[] = {"true", NULL};
    double seconds = process(check), least = process(nothing);
    unlink(file);
    free(small.data);
    if (seconds < 0 || least < 0) {
        fprintf(stderr, "%s check: not run\n", command);
        return 1;
    }
    missed += row("process: pto check of 40 operations", 1e3 * seconds, "ms", 10);
    printf("%-44s %10.2f ms\n", "process: true", 1e3 * least);
    printf("\n%d of the goals missed\n", missed);
    return 0;
}
