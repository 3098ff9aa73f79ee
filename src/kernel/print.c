/* SPDX-License-Identifier: Apache-2.0 */
/* TPRINT (part 40, 6): the text that a device prints, on every target. */
#include "kernel/kernel.h"
#include "kernel/strided.h"
#include "number/half.h"
#include "tile/global.h"
#include "tile/tile.h"

#include <stdarg.h>
#include <stdio.h>

/* Text on its way to the host, sent in pieces. */
typedef struct printer {
    pto_kernel_host *host;
    pto_dtype dtype;
    int width, precision;
    size_t used;
    char text[1024];
} printer;

enum { LONGEST = 256 }; /* no single piece is longer */

static void flush(printer *p) {
    if (p->used)
        p->host->print(p->host->user, p->text, p->used);
    p->used = 0;
}

static void put(printer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(printer *p, const char *format, ...) {
    if (p->used > sizeof p->text - LONGEST)
        flush(p);
    va_list args;
    va_start(args, format);
    int length = vsnprintf(p->text + p->used, LONGEST, format, args);
    va_end(args);
    if (length > 0)
        p->used += (size_t)length < LONGEST ? (size_t)length : LONGEST - 1;
}

static void put_float(printer *p, double value) {
    char digits[LONGEST];
    if (value != value) { /* one text on every libc, and of every format */
        put(p, "%*s", p->width, "nan");
        return;
    }
    int length = snprintf(digits, sizeof digits, "%*.*f", p->width, p->precision, value);
    /* the decimal separator of the program's locale, which may be several bytes, becomes a point */
    int out = 0;
    for (int i = 0; i < length; i++) {
        char c = digits[i];
        bool plain = c == ' ' || c == '-' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
        if (plain)
            digits[out++] = c;
        else if (!out || digits[out - 1] != '.')
            digits[out++] = '.';
    }
    put(p, "%.*s", out, digits);
}

static void put_element(printer *p, uint64_t bits) {
    switch (p->dtype) {
    case PTO_F32:
        put_float(p, (double)pto_f32_from_bits((uint32_t)bits));
        break;
    case PTO_F16:
        put_float(p, (double)pto_f32_from_f16((uint16_t)bits));
        break;
    case PTO_U8:
    case PTO_U16:
    case PTO_U32:
        put(p, "%*u", p->width, (unsigned)bits);
        break;
    case PTO_S8:
        put(p, "%*d", p->width, (int)(int8_t)bits);
        break;
    case PTO_S16:
        put(p, "%*d", p->width, (int)(int16_t)bits);
        break;
    default:
        put(p, "%*d", p->width, (int)(int32_t)bits);
        break;
    }
}

static const char *type_name(pto_dtype dtype) {
    switch (dtype) {
    case PTO_U8:
        return "uint8";
    case PTO_S8:
        return "int8";
    case PTO_U16:
        return "uint16";
    case PTO_S16:
        return "int16";
    case PTO_U32:
        return "uint32";
    case PTO_S32:
        return "int32";
    case PTO_F16:
        return "float16";
    default:
        return "float32";
    }
}

/* Attribute `position` is the PrintFormat: Width8_Precision4, _Precision2, Width10_Precision6. */
static printer begin(const pto_kernel_call *call, int position, pto_dtype dtype) {
    int64_t format = pto_call_attr(call, position);
    return (printer){.host = call->host,
                     .dtype = dtype,
                     .width = format == 2 ? 10 : 8,
                     .precision = format == 1   ? 2
                                  : format == 2 ? 6
                                                : 4};
}

static const char *tile_layout(const pto_tile_type *type) {
    static const char *const names[2][3] = {{"ND", "Zz", "Zn"}, {"DN", "Nz", "Nn"}};
    return names[type->blayout == PTO_COL_MAJOR][type->slayout];
}

static const char *location(pto_loc loc) {
    static const char *const names[PTO_LOC_COUNT] = {"Vec",  "Mat",     "Left",      "Right",     "Acc",
                                                     "Bias", "Scaling", "ScaleLeft", "ScaleRight"};
    return names[loc];
}

/* `raw`: elements stand where the storage has them, whatever the layout. */
static void print_tile(const pto_kernel_call *call, int format, bool raw) {
    const pto_tile *tile = pto_call_tile(call, 0);
    const pto_tile_type *type = &tile->type;
    int32_t rows = type->rows, cols = type->cols, vr = tile->valid_rows, vc = tile->valid_cols;
    bool bar = vc > 0 && vc < cols;
    unsigned bits = pto_dtype_bits(type->dtype);
    printer p = begin(call, format, type->dtype);
    put(&p, "=== [TPRINT Tile] Data Type: %s, Layout: %s, TileType: %s ===\n", type_name(type->dtype),
        tile_layout(type), location(type->loc));
    put(&p, "  Shape: [%d, %d], Valid Shape: [%d, %d]\n", rows, cols, vr, vc);
    for (int32_t r = 0; r < rows; r++) {
        for (int32_t c = 0; c < cols; c++) {
            put(&p, "%s", c ? " " : "");
            int64_t offset = raw ? (int64_t)r * cols + c : pto_tile_offset(type, r, c);
            put_element(&p, pto_element_get(tile->data, bits, offset));
            if (bar && c == vc - 1)
                put(&p, "|");
        }
        put(&p, "\n");
        if (r == vr - 1 && vr < rows) { /* the line under the valid rows */
            for (int32_t c = 0; c < cols; c++)
                put(&p, "%s%.*s%s", c ? " " : "", p.width, "----------", bar && c == vc - 1 ? "|" : "");
            put(&p, "\n");
        }
    }
    flush(&p);
}

PTO_KERNEL(tprint) {
    print_tile(call, 1, false);
    return PTO_OK;
}

/* The ways of the devices: mat is dumped as it is, a vec tile comes out twice. */
PTO_KERNEL(tprint_tmp) {
    pto_loc loc = pto_call_tile(call, 0)->type.loc;
    bool device = call->target != PTO_TARGET_CPU;
    print_tile(call, 2, device && loc == PTO_LOC_MAT);
    if (device && loc == PTO_LOC_VEC)
        print_tile(call, 2, false);
    return PTO_OK;
}

static void put_value(printer *p, const pto_global *global, unsigned bits, int64_t offset, bool first) {
    put(p, "%s", first ? "" : " ");
    put_element(p, pto_element_get(global->data, bits, offset));
}

PTO_KERNEL(tprint_global) {
    const pto_global *global = pto_call_global(call, 0);
    static const char *const layouts[] = {"ND", "DN", "NZ"};
    const int64_t *n = global->shape, *s = global->stride;
    unsigned bits = pto_dtype_bits(global->dtype);
    printer p = begin(call, 1, global->dtype);
    put(&p, "=== [TPRINT GlobalTensor] Data Type: %s, Layout: %s ===\n", type_name(global->dtype),
        layouts[global->layout]);
    for (int d = 0; d < 5; d++)
        if (n[d] <= 0) {
            flush(&p);
            return PTO_OK;
        }
    if (global->layout == PTO_LAYOUT_NZ) {
        int64_t rows = n[2] * n[3], cols = n[1] * n[4]; /* n[0] is ignored */
        put(&p, "  Logical Shape: [%lld, %lld]\n", (long long)rows, (long long)cols);
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = 0; c < cols; c++)
                put_value(&p, global, bits,
                          r / n[3] * s[2] + c / n[4] * s[1] + r % n[3] * s[3] + c % n[4] * s[4], !c);
            put(&p, "\n");
        }
    } else {
        put(&p, "  Shape: [%lld, %lld, %lld, %lld, %lld]\n", (long long)n[0], (long long)n[1],
            (long long)n[2], (long long)n[3], (long long)n[4]);
        for (int64_t a = 0; a < n[0]; a++)
            for (int64_t b = 0; b < n[1]; b++)
                for (int64_t c = 0; c < n[2]; c++) {
                    put(&p, "  Batch [%lld, %lld, %lld]:\n", (long long)a, (long long)b, (long long)c);
                    for (int64_t r = 0; r < n[3]; r++) {
                        for (int64_t i = 0; i < n[4]; i++)
                            put_value(&p, global, bits, a * s[0] + b * s[1] + c * s[2] + r * s[3] + i * s[4],
                                      !i);
                        put(&p, "\n");
                    }
                }
    }
    flush(&p);
    return PTO_OK;
}
