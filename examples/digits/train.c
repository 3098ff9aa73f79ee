/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trains the digits network, quantises it, writes weights and test data, and measures the quantised network.
 *
 *     zcat data/digits.csv.gz | train WEIGHTS_DIR DATA_DIR
 *         trains on the first 1437 lines, tests on the last 360
 *     zcat data/digits.csv.gz | train --choose
 *         cross-validates the settings on the first 1437 lines only
 *
 * Every run gives the same bytes: an own generator, no libm function that may differ in its last bit, one
 * thread, and no contraction (-ffp-contract=off). README.md describes the network.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pto/npy.h>

enum {
    SIDE = 8,
    PIXELS = SIDE * SIDE,
    CLASSES = 10,
    PADDED = 16, /* columns of the second layer: one 16-wide box of a matrix tile */
    HIDDEN_MOST = 64,
    TRAIN_LINES = 1437,
    TEST_LINES = 360,
    LINES = TRAIN_LINES + TEST_LINES,
    BATCH = 32,
    FOLDS = 6,
    FOLD_SEEDS = 2,
    PARAMS_MOST = PIXELS * HIDDEN_MOST + HIDDEN_MOST + HIDDEN_MOST * CLASSES + CLASSES
};

static const float PIXEL_TOP = 16.0f;        /* pixels are 0..16; training sees 0..1 */
static const float PADDING_BIAS = -30000.0f; /* a padding column must never be the largest */

typedef struct digits {
    int8_t pixel[LINES][PIXELS];
    int32_t label[LINES];
} digits;

typedef struct settings {
    int hidden;
    int epochs;
    float rate;  /* Adam step at the start; falls linearly to zero */
    float decay; /* decoupled weight decay */
    float shift; /* augmentation: largest shift in pixels */
    float warp;  /* augmentation: largest change of each entry of the 2x2 map */
} settings;

/* Found by --choose; the README gives its table. */
static const settings CHOSEN = {64, 1000, 5e-3f, 3e-2f, 1.0f, 0.2f};
static const uint64_t CHOSEN_SEED = 1;

/* One flat vector so that the optimiser is one loop; the pointers say what lies where. */
typedef struct network {
    int hidden;
    int count;
    float param[PARAMS_MOST];
} network;

typedef struct quantised {
    int hidden;
    float deq_scale;
    int8_t w1[PIXELS][HIDDEN_MOST];
    int32_t b1[HIDDEN_MOST];
    uint16_t w2[HIDDEN_MOST][PADDED]; /* binary16 */
    float b2[PADDED];
} quantised;

/* ---- random numbers: splitmix64 ---- */

static uint64_t random_bits(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Uniform in [-most, most). */
static float random_within(uint64_t *state, float most) {
    float unit = (float)(random_bits(state) >> 40) * (1.0f / 16777216.0f);
    return (2.0f * unit - 1.0f) * most;
}

static int random_below(uint64_t *state, int n) { return (int)(random_bits(state) % (uint64_t)n); }

/* ---- numbers ---- */

/* e^x for x <= 0 from basic operations, so that every platform trains the same weights. */
static double exp_of_negative(double x) {
    if (x < -700.0)
        return 0.0;
    const double ln2 = 0.69314718055994530942;
    double n = floor(x / ln2 + 0.5);
    double r = x - n * ln2;
    double sum = 1.0;
    for (int k = 14; k >= 1; k--)
        sum = 1.0 + sum * r / k;
    return ldexp(sum, (int)n);
}

/* binary32 to binary16, nearest even, saturating at 65504; the argument is never NaN here. */
static uint16_t half_of(float value) {
    uint16_t sign = value < 0.0f ? 0x8000u : 0u;
    double size = fabs((double)value);
    if (size >= 65504.0)
        return (uint16_t)(sign | 0x7BFFu);
    int exponent = -14;
    while (exponent < 15 && size >= ldexp(1.0, exponent + 1))
        exponent++;
    /* Units of the last place; rint rounds to nearest even in the default environment. A carry out of the
     * fraction steps the exponent by plain addition, and a subnormal is the case exponent -14 without the
     * hidden bit. */
    long units = (long)rint(ldexp(size, 10 - exponent));
    long code = ((long)(exponent + 14) << 10) + units;
    if (code > 0x7BFF)
        code = 0x7BFF;
    return (uint16_t)(sign | (uint16_t)code);
}

static float half_value(uint16_t code) {
    int exponent = (code >> 10) & 31;
    int fraction = code & 1023;
    double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    return (float)((code & 0x8000u) != 0 ? -size : size);
}

/* ---- data ---- */

static bool read_digits(FILE *in, digits *out) {
    for (int line = 0; line < LINES; line++) {
        for (int column = 0; column <= PIXELS; column++) {
            int value = 0;
            int top = column < PIXELS ? 16 : CLASSES - 1;
            if (fscanf(in, column == 0 ? "%d" : ",%d", &value) != 1 || value < 0 || value > top) {
                fprintf(stderr, "train: line %d, column %d: expected 0..%d\n", line + 1, column + 1, top);
                return false;
            }
            if (column < PIXELS)
                out->pixel[line][column] = (int8_t)value;
            else
                out->label[line] = value;
        }
    }
    return true;
}

static float pixel_or_zero(const int8_t *image, int row, int column) {
    if (row < 0 || row >= SIDE || column < 0 || column >= SIDE)
        return 0.0f;
    return (float)image[row * SIDE + column] / PIXEL_TOP;
}

/* A slightly shifted, stretched and sheared copy, sampled bilinearly. */
static void augment(const int8_t *image, const settings *set, uint64_t *random, float *out) {
    float a = 1.0f + random_within(random, set->warp), b = random_within(random, set->warp);
    float c = random_within(random, set->warp), d = 1.0f + random_within(random, set->warp);
    float down = random_within(random, set->shift), right = random_within(random, set->shift);
    const float centre = (SIDE - 1) / 2.0f;
    for (int row = 0; row < SIDE; row++) {
        for (int column = 0; column < SIDE; column++) {
            float y = (float)row - centre, x = (float)column - centre;
            float from_y = a * y + b * x + centre + down;
            float from_x = c * y + d * x + centre + right;
            int r = (int)floorf(from_y), k = (int)floorf(from_x);
            float fy = from_y - (float)r, fx = from_x - (float)k;
            float upper = (1.0f - fx) * pixel_or_zero(image, r, k) + fx * pixel_or_zero(image, r, k + 1);
            float lower =
                (1.0f - fx) * pixel_or_zero(image, r + 1, k) + fx * pixel_or_zero(image, r + 1, k + 1);
            out[row * SIDE + column] = (1.0f - fy) * upper + fy * lower;
        }
    }
}

/* ---- training in f32 ---- */

static float *layer1(network *net) { return net->param; }                         /* [PIXELS][hidden] */
static float *bias1(network *net) { return net->param + PIXELS * net->hidden; }   /* [hidden] */
static float *layer2(network *net) { return bias1(net) + net->hidden; }           /* [hidden][CLASSES] */
static float *bias2(network *net) { return layer2(net) + net->hidden * CLASSES; } /* [CLASSES] */

static void network_init(network *net, int hidden, uint64_t *random) {
    memset(net, 0, sizeof *net);
    net->hidden = hidden;
    net->count = PIXELS * hidden + hidden + hidden * CLASSES + CLASSES;
    for (int i = 0; i < PIXELS * hidden; i++)
        layer1(net)[i] = random_within(random, sqrtf(6.0f / PIXELS));
    for (int i = 0; i < hidden * CLASSES; i++)
        layer2(net)[i] = random_within(random, sqrtf(3.0f / (float)hidden));
}

/* Adds the gradient of the cross entropy of one image to grad. */
static void add_gradient(network *net, const float *x, int label, network *grad) {
    int hidden = net->hidden;
    float h[HIDDEN_MOST], dh[HIDDEN_MOST], score[CLASSES];
    memcpy(h, bias1(net), (size_t)hidden * sizeof *h);
    for (int i = 0; i < PIXELS; i++)
        for (int j = 0; j < hidden; j++)
            h[j] += x[i] * layer1(net)[i * hidden + j];
    memcpy(score, bias2(net), sizeof score);
    for (int j = 0; j < hidden; j++) {
        h[j] = h[j] > 0.0f ? h[j] : 0.0f;
        for (int c = 0; c < CLASSES; c++)
            score[c] += h[j] * layer2(net)[j * CLASSES + c];
    }

    float top = score[0];
    for (int c = 1; c < CLASSES; c++)
        top = score[c] > top ? score[c] : top;
    double part[CLASSES], sum = 0.0;
    for (int c = 0; c < CLASSES; c++)
        sum += part[c] = exp_of_negative((double)score[c] - (double)top);
    for (int c = 0; c < CLASSES; c++)
        score[c] = (float)(part[c] / sum) - (c == label ? 1.0f : 0.0f);

    for (int c = 0; c < CLASSES; c++)
        bias2(grad)[c] += score[c];
    for (int j = 0; j < hidden; j++) {
        float back = 0.0f;
        for (int c = 0; c < CLASSES; c++) {
            layer2(grad)[j * CLASSES + c] += h[j] * score[c];
            back += layer2(net)[j * CLASSES + c] * score[c];
        }
        dh[j] = h[j] > 0.0f ? back : 0.0f;
        bias1(grad)[j] += dh[j];
    }
    for (int i = 0; i < PIXELS; i++)
        for (int j = 0; j < hidden; j++)
            layer1(grad)[i * hidden + j] += x[i] * dh[j];
}

/* Lines [skip_from, skip_to) are left out; an empty range trains on all of the training part. */
static void train(network *net, const digits *data, const settings *set, uint64_t seed, int skip_from,
                  int skip_to) {
    static const float KEEP1 = 0.9f, KEEP2 = 0.999f, SMALL = 1e-8f;
    uint64_t random = seed;
    network_init(net, set->hidden, &random);
    network grad = *net;
    float first[PARAMS_MOST] = {0}, second[PARAMS_MOST] = {0};
    float power1 = 1.0f, power2 = 1.0f;

    int order[TRAIN_LINES], count = 0;
    for (int line = 0; line < TRAIN_LINES; line++)
        if (line < skip_from || line >= skip_to)
            order[count++] = line;
    int batches = count / BATCH, steps = set->epochs * batches;

    for (int step = 0; step < steps; step++) {
        if (step % batches == 0) {
            for (int i = count - 1; i > 0; i--) {
                int other = random_below(&random, i + 1), kept = order[i];
                order[i] = order[other];
                order[other] = kept;
            }
        }
        memset(grad.param, 0, sizeof grad.param);
        for (int i = 0; i < BATCH; i++) {
            int line = order[step % batches * BATCH + i];
            float x[PIXELS];
            augment(data->pixel[line], set, &random, x);
            add_gradient(net, x, data->label[line], &grad);
        }
        float rate = set->rate * (float)(steps - step) / (float)steps;
        power1 *= KEEP1;
        power2 *= KEEP2;
        for (int i = 0; i < net->count; i++) {
            float g = grad.param[i] / BATCH;
            first[i] = KEEP1 * first[i] + (1.0f - KEEP1) * g;
            second[i] = KEEP2 * second[i] + (1.0f - KEEP2) * g * g;
            float along = first[i] / (1.0f - power1);
            float size = sqrtf(second[i] / (1.0f - power2)) + SMALL;
            net->param[i] -= rate * (along / size + set->decay * net->param[i]);
        }
    }
}

/* ---- quantisation, and the network exactly as the PTO program computes it ---- */

static void quantise(network *net, quantised *q) {
    int hidden = net->hidden;
    float most = 0.0f;
    for (int i = 0; i < PIXELS * hidden; i++)
        most = fmaxf(most, fabsf(layer1(net)[i]));
    float step = most / 127.0f;

    memset(q, 0, sizeof *q);
    q->hidden = hidden;
    q->deq_scale = step / PIXEL_TOP;
    for (int i = 0; i < PIXELS; i++)
        for (int j = 0; j < hidden; j++)
            q->w1[i][j] = (int8_t)rintf(layer1(net)[i * hidden + j] / step);
    for (int j = 0; j < hidden; j++) {
        q->b1[j] = (int32_t)rintf(bias1(net)[j] / q->deq_scale);
        for (int c = 0; c < CLASSES; c++)
            q->w2[j][c] = half_of(layer2(net)[j * CLASSES + c]);
    }
    for (int c = 0; c < PADDED; c++)
        q->b2[c] = c < CLASSES ? bias2(net)[c] : PADDING_BIAS;
}

/* TADDDEQRELU on one element. |acc + bias| stays far below 2^24 here, so nothing wraps. */
static uint16_t add_dequantise_relu(int32_t acc, int32_t bias, float deq_scale) {
    float f = (float)(acc + bias);
    f = f * 0x1p-17f;
    f = f * deq_scale;
    f = f * 0x1p17f;
    return half_of(f > 0.0f ? f : 0.0f);
}

/* The class of one image; *margin is how far the winner is above the next. */
static int classify(const quantised *q, const int8_t *x, float *margin) {
    float score[PADDED];
    memcpy(score, q->b2, sizeof score); /* the addend comes first in the sum */
    for (int j = 0; j < q->hidden; j++) {
        int32_t acc = 0;
        for (int i = 0; i < PIXELS; i++)
            acc += (int32_t)x[i] * (int32_t)q->w1[i][j];
        float h = half_value(add_dequantise_relu(acc, q->b1[j], q->deq_scale));
        /* A product of two halves is exact in f32, so a fused and a separate multiply-add agree. */
        for (int c = 0; c < PADDED; c++)
            score[c] += h * half_value(q->w2[j][c]);
    }
    int best = 0;
    for (int c = 1; c < PADDED; c++)
        if (score[c] > score[best])
            best = c;
    *margin = INFINITY;
    for (int c = 0; c < PADDED; c++)
        if (c != best)
            *margin = fminf(*margin, score[best] - score[c]);
    return best;
}

static int count_right(const quantised *q, const digits *data, int from, int to) {
    int right = 0;
    for (int line = from; line < to; line++) {
        float margin;
        right += classify(q, data->pixel[line], &margin) == data->label[line];
    }
    return right;
}

/* ---- output ---- */

static bool write_npy(const char *dir, const char *name, char kind, uint8_t item_size, uint64_t rows,
                      uint64_t columns, const void *items) {
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/%s", dir, name);
    if (length < 0 || (size_t)length >= sizeof path) {
        fprintf(stderr, "train: %s: name too long\n", name);
        return false;
    }
    pto_npy_info info = {.kind = kind, .itemsize = item_size, .rank = 2, .shape = {rows, columns}};
    pto_status status = pto_npy_describe(&info, NULL);
    if (status == PTO_OK)
        status = pto_npy_save(path, &info, items, NULL);
    if (status != PTO_OK)
        fprintf(stderr, "train: %s: cannot write (%s)\n", path, pto_status_name(status));
    return status == PTO_OK;
}

static bool write_weights(const char *dir, const quantised *q) {
    static int8_t w1[PIXELS * HIDDEN_MOST];
    for (int i = 0; i < PIXELS; i++)
        memcpy(w1 + i * q->hidden, q->w1[i], (size_t)q->hidden);
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/deq_scale.txt", dir);
    FILE *out = length > 0 && (size_t)length < sizeof path ? fopen(path, "w") : NULL;
    bool good = out != NULL && fprintf(out, "%.9g\n", (double)q->deq_scale) > 0;
    if (out != NULL)
        good = fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "train: cannot write deq_scale.txt in %s\n", dir);
    uint64_t hidden = (uint64_t)q->hidden;
    return good && write_npy(dir, "w1.npy", 'i', 1, PIXELS, hidden, w1) &&
           write_npy(dir, "b1.npy", 'i', 4, 1, hidden, q->b1) &&
           write_npy(dir, "w2.npy", 'f', 2, hidden, PADDED, q->w2) &&
           write_npy(dir, "b2.npy", 'f', 4, 1, PADDED, q->b2);
}

static void report(const quantised *q, const digits *data) {
    int confusion[CLASSES][PADDED] = {{0}};
    float closest = INFINITY;
    int right = 0;
    for (int line = TRAIN_LINES; line < LINES; line++) {
        float margin;
        int class = classify(q, data->pixel[line], &margin);
        confusion[data->label[line]][class]++;
        right += class == data->label[line];
        closest = fminf(closest, margin);
    }
    printf("hidden %d, deq_scale %.9g\n", q->hidden, (double)q->deq_scale);
    printf("training part: %d of %d right\n", count_right(q, data, 0, TRAIN_LINES), TRAIN_LINES);
    printf("test part: %d of %d right (%.2f %%), smallest margin %.3g\n", right, TEST_LINES,
           100.0 * right / TEST_LINES, (double)closest);
    printf("confusion (row: true class, column: answer)\n");
    for (int i = 0; i < CLASSES; i++) {
        printf("%d:", i);
        for (int c = 0; c < CLASSES; c++)
            printf(" %3d", confusion[i][c]);
        printf("\n");
    }
}

/* Contiguous folds, because the test lines are a contiguous block too and neighbouring lines may be alike. */
static int cross_validate(const digits *data, const settings *set) {
    int right = 0;
    for (int fold = 0; fold < FOLDS; fold++) {
        int from = TRAIN_LINES * fold / FOLDS, to = TRAIN_LINES * (fold + 1) / FOLDS;
        for (uint64_t seed = 1; seed <= FOLD_SEEDS; seed++) {
            static network net;
            static quantised q;
            train(&net, data, set, seed, from, to);
            quantise(&net, &q);
            right += count_right(&q, data, from, to);
        }
    }
    return right;
}

static void choose(const digits *data) {
    static const settings candidates[] = {
        {64, 1000, 5e-3f, 3e-2f, 0.0f, 0.0f},  {32, 1000, 5e-3f, 3e-2f, 1.0f, 0.2f},
        {64, 1000, 3e-3f, 1e-1f, 0.7f, 0.2f},  {64, 1000, 3e-3f, 1e-1f, 0.7f, 0.3f},
        {64, 1000, 5e-3f, 3e-2f, 0.6f, 0.25f}, {64, 1000, 5e-3f, 3e-2f, 1.0f, 0.2f},
    };
    printf("hidden  epochs  rate   decay  shift  warp  right of %d held out\n", TRAIN_LINES * FOLD_SEEDS);
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        const settings *set = &candidates[i];
        int right = cross_validate(data, set);
        printf("%6d  %6d  %5.3f  %5.3f  %5.2f  %4.2f  %d (%.2f %%)\n", set->hidden, set->epochs,
               (double)set->rate, (double)set->decay, (double)set->shift, (double)set->warp, right,
               100.0 * right / (TRAIN_LINES * FOLD_SEEDS));
        fflush(stdout);
    }
}

int main(int count, char **argument) {
    static digits data;
    static network net;
    static quantised q;
    bool choosing = count == 2 && strcmp(argument[1], "--choose") == 0;
    if (!choosing && count != 3) {
        fprintf(stderr,
                "usage: train WEIGHTS_DIR DATA_DIR < digits.csv\n       train --choose < digits.csv\n");
        return 2;
    }
    if (!read_digits(stdin, &data))
        return 1;
    if (choosing) {
        choose(&data);
        return 0;
    }
    train(&net, &data, &CHOSEN, CHOSEN_SEED, 0, 0);
    quantise(&net, &q);
    report(&q, &data);
    bool good =
        write_weights(argument[1], &q) &&
        write_npy(argument[2], "digits_test_x.npy", 'i', 1, TEST_LINES, PIXELS, data.pixel[TRAIN_LINES]) &&
        write_npy(argument[2], "digits_test_y.npy", 'i', 4, TEST_LINES, 1, &data.label[TRAIN_LINES]);
    return good ? 0 : 1;
}
