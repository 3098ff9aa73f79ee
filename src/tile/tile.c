/* SPDX-License-Identifier: Apache-2.0 */
/* Element addresses of the six tile layouts and the cutting of rectangles into runs (00-model, 4). */
#include "tile/tile.h"

int64_t pto_tile_offset(const pto_tile_type *type, int32_t row, int32_t col) {
    int64_t r = row, c = col, rows = type->rows, cols = type->cols;
    if (rows == 1) /* a plain vector in every layout, boxed ones included */
        return c;
    bool outer_row = type->blayout == PTO_ROW_MAJOR;
    if (type->slayout == PTO_NONE_BOX)
        return outer_row ? r * cols + c : c * rows + r;
    int32_t ir, ic;
    pto_tile_type_box(type, &ir, &ic);
    int64_t box_row = r / ir, in_row = r % ir, box_col = c / ic, in_col = c % ic;
    int64_t outer =
        outer_row ? box_row * cols * ir + box_col * ir * ic : box_col * rows * ic + box_row * ir * ic;
    int64_t inner = type->slayout == PTO_BOX_ROW_MAJOR ? in_row * ic + in_col : in_col * ir + in_row;
    return outer + inner;
}

/* A dimension of a rectangle: how often, and how far apart in each tile. */
typedef struct dim {
    int64_t extent;
    int64_t step[PTO_RUNS_MAX];
} dim;

/* Steps of one tile between box rows, box columns, and elements inside of a box. */
typedef struct tile_steps {
    int64_t box_row, box_col, in_row, in_col;
} tile_steps;

/* The box that iteration uses: in Nz the row step is IC from any row to the next, in Zn the column step
 * is IR, so there the box counts as one row high (one column wide) and has no partly valid end. */
static void iteration_box(const pto_tile_type *type, int32_t *ir, int32_t *ic) {
    pto_tile_type_box(type, ir, ic);
    if (type->slayout == PTO_BOX_ROW_MAJOR && type->blayout == PTO_COL_MAJOR)
        *ir = 1;
    else if (type->slayout == PTO_BOX_COL_MAJOR && type->blayout == PTO_ROW_MAJOR)
        *ic = 1;
}

static tile_steps steps_of(const pto_tile_type *type, int32_t iteration_ic) {
    if (type->rows == 1)
        return (tile_steps){.box_col = iteration_ic, .in_col = 1};
    int64_t rows = type->rows, cols = type->cols;
    if (type->slayout == PTO_NONE_BOX)
        return type->blayout == PTO_ROW_MAJOR ? (tile_steps){.box_row = cols, .box_col = 1}
                                              : (tile_steps){.box_row = 1, .box_col = rows};
    int32_t ir, ic;
    pto_tile_type_box(type, &ir, &ic);
    bool outer_row = type->blayout == PTO_ROW_MAJOR, inner_row = type->slayout == PTO_BOX_ROW_MAJOR;
    if (outer_row)
        return inner_row ? (tile_steps){cols * ir, (int64_t)ir * ic, ic, 1}
                         : (tile_steps){cols * ir, ir, 1, 0};
    return inner_row ? (tile_steps){ic, rows * ic, 0, 1} : (tile_steps){(int64_t)ir * ic, rows * ic, 1, ir};
}

/* Drops dimensions of extent 1 and merges neighbours that every tile holds one behind the other. */
static int merge(dim *dims, int count, int tiles) {
    int kept = 0;
    for (int d = 0; d < count; d++) {
        if (dims[d].extent == 1)
            continue;
        bool joins = kept > 0;
        for (int t = 0; joins && t < tiles; t++)
            joins = dims[d].step[t] == dims[kept - 1].step[t] * dims[kept - 1].extent;
        if (joins)
            dims[kept - 1].extent *= dims[d].extent;
        else
            dims[kept++] = dims[d];
    }
    return kept;
}

/* Sets up the group of one stage: bit 0 = the last, partly valid box row; bit 1 = box column. */
static bool begin_stage(pto_runs *runs, int stage) {
    const pto_tile_type *type = runs->type[0];
    for (int t = 1; type->rows == 1 && t < runs->tiles; t++)
        type = runs->type[t]; /* a one-row tile does not know the layout of the others */
    int32_t ir, ic;
    iteration_box(type, &ir, &ic);
    bool row_tail = stage & 1, col_tail = stage & 2;
    int64_t full_rows = runs->rows / ir, full_cols = runs->cols / ic;
    int64_t box_rows = row_tail ? 1 : full_rows, in_rows = row_tail ? runs->rows % ir : ir;
    int64_t box_cols = col_tail ? 1 : full_cols, in_cols = col_tail ? runs->cols % ic : ic;
    if (!box_rows || !in_rows || !box_cols || !in_cols)
        return false;
    /* innermost first, in the storage order of the layout */
    enum { BOX_ROW, BOX_COL, IN_ROW, IN_COL };
    bool inner_row = type->slayout != PTO_BOX_COL_MAJOR, outer_row = type->blayout == PTO_ROW_MAJOR;
    const int order[4] = {inner_row ? IN_COL : IN_ROW, inner_row ? IN_ROW : IN_COL,
                          outer_row ? BOX_COL : BOX_ROW, outer_row ? BOX_ROW : BOX_COL};
    dim dims[4];
    for (int d = 0; d < 4; d++) {
        dims[d].extent = order[d] == BOX_ROW   ? box_rows
                         : order[d] == BOX_COL ? box_cols
                         : order[d] == IN_ROW  ? in_rows
                                               : in_cols;
        for (int t = 0; t < runs->tiles; t++) {
            tile_steps s = steps_of(runs->type[t], ic);
            dims[d].step[t] = order[d] == BOX_ROW   ? s.box_row
                              : order[d] == BOX_COL ? s.box_col
                              : order[d] == IN_ROW  ? s.in_row
                                                    : s.in_col;
        }
    }
    for (int t = 0; t < runs->tiles; t++) {
        tile_steps s = steps_of(runs->type[t], ic);
        runs->start[t] = (row_tail ? full_rows * s.box_row : 0) + (col_tail ? full_cols * s.box_col : 0);
    }
    int count = merge(dims, 4, runs->tiles), first = 0;
    bool contiguous = count > 0;
    for (int t = 0; contiguous && t < runs->tiles; t++)
        contiguous = dims[0].step[t] == 1;
    runs->length = contiguous ? (int32_t)dims[0].extent : 1;
    if (contiguous)
        first = 1;
    /* at most two dimensions are left in every layout, see the test of all of them */
    dim none = {.extent = 1}, inner = first < count ? dims[first] : none,
        outer = first + 1 < count ? dims[first + 1] : none;
    runs->inner = inner.extent;
    runs->count = inner.extent * outer.extent;
    for (int t = 0; t < runs->tiles; t++) {
        runs->inner_step[t] = inner.step[t];
        runs->outer_step[t] = outer.step[t];
    }
    return true;
}

/* Layouts without boxes, which most tiles have: lines of consecutive elements, one behind the other where
 * they fill the pitch of every tile. A one-row tile does not know the layout of the others. */
static bool begin_flat(pto_runs *runs, const pto_tile_type *const *types, int tiles, int32_t rows,
                       int32_t cols) {
    const pto_tile_type *layout = types[0];
    for (int t = 0; t < tiles; t++) {
        if (types[t]->slayout != PTO_NONE_BOX)
            return false;
        if (layout->rows == 1)
            layout = types[t];
    }
    const bool row_lines = layout->blayout == PTO_ROW_MAJOR;
    const int32_t line = row_lines ? cols : rows, lines = row_lines ? rows : cols;
    bool joins = true;
    runs->tiles = tiles;
    runs->rows = rows;
    runs->cols = cols;
    runs->stage = 3; /* the only group */
    for (int t = 0; t < tiles; t++) {
        const int32_t pitch = row_lines ? types[t]->cols : types[t]->rows;
        joins = joins && pitch == line;
        runs->type[t] = types[t];
        runs->start[t] = 0;
        runs->inner_step[t] = pitch;
        runs->outer_step[t] = 0;
    }
    joins = joins || lines == 1;
    runs->length = joins ? line * lines : line;
    runs->inner = runs->count = joins ? 1 : lines;
    return true;
}

bool pto_runs_begin(pto_runs *runs, const pto_tile_type *const *types, int tiles, int32_t rows,
                    int32_t cols) {
    if (rows <= 0 || cols <= 0)
        return false;
    if (begin_flat(runs, types, tiles, rows, cols))
        return true;
    *runs = (pto_runs){.tiles = tiles, .rows = rows, .cols = cols, .stage = -1};
    for (int t = 0; t < tiles; t++)
        runs->type[t] = types[t];
    return pto_runs_next(runs);
}

bool pto_runs_next(pto_runs *runs) {
    while (runs->stage < 3)
        if (begin_stage(runs, ++runs->stage))
            return true;
    return false;
}
