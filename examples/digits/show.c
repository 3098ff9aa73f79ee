/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a few digits in the terminal with their predicted class and prints the accuracy:
 * show X.npy LABELS.npy CLASSES.npy [OTHER-CLASSES.npy]. With a second prediction, both must agree. Exit
 * status 1 below 95 %. */
#include <pto/pto.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool load(const char *path, char kind, uint8_t itemsize, uint64_t count, void **data) {
    pto_diag_list *diags = pto_diag_list_create();
    pto_npy_info info;
    bool ok = pto_npy_load(path, (size_t)1 << 30, &info, data, diags) == PTO_OK;
    if (ok && (info.kind != kind || info.itemsize != itemsize || info.count != count)) {
        fprintf(stderr, "%s: another type or shape than expected\n", path);
        ok = false;
    }
    char text[1024];
    pto_diag_render_buffer(diags, NULL, text, sizeof text);
    fputs(text, stderr);
    pto_diag_list_destroy(diags);
    return ok;
}

enum { DIGITS = 360, SHOWN = 6, SIDE = 8 };

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5) {
        fprintf(stderr, "usage: %s X.npy LABELS.npy CLASSES.npy [OTHER-CLASSES.npy]\n", argv[0]);
        return 2;
    }
    void *x = NULL, *labels = NULL, *classes = NULL, *other = NULL;
    if (!load(argv[1], 'i', 1, DIGITS * SIDE * SIDE, &x) || !load(argv[2], 'i', 4, DIGITS, &labels) ||
        !load(argv[3], 'i', 4, DIGITS, &classes) || (argc > 4 && !load(argv[4], 'i', 4, DIGITS, &other)))
        return 1;
    const int8_t *pixels = x;
    const int32_t *label = labels, *class = classes;
    for (int row = 0; row < SIDE; row++) {
        for (int d = 0; d < SHOWN; d++) {
            for (int c = 0; c < SIDE; c++) {
                int v = pixels[d * SIDE * SIDE + row * SIDE + c];
                char ink = " .:+*#"[v <= 0 ? 0 : v >= 16 ? 5 : 1 + v * 4 / 16];
                printf("%c%c", ink, ink);
            }
            fputs("  ", stdout);
        }
        putchar('\n');
    }
    for (int d = 0; d < SHOWN; d++)
        printf("    -> %d %-11s", class[d], class[d] == label[d] ? "" : "(wrong)");
    int right = 0;
    for (int i = 0; i < DIGITS; i++)
        right += class[i] == label[i];
    printf("\n\n%d of %d digits right: %.2f %%\n", right, DIGITS, 100.0 * right / DIGITS);
    bool same = !other || !memcmp(classes, other, DIGITS * sizeof(int32_t));
    if (other)
        printf("both predictions are %s\n", same ? "the same" : "DIFFERENT");
    free(x);
    free(labels);
    free(classes);
    free(other);
    return right * 100 >= 95 * DIGITS && same ? 0 : 1;
}
