/* SPDX-License-Identifier: Apache-2.0 */
/* The block form on a reference page: template line, header words, attributes, types. */
#include "block/text.h"

#include "base/sink.h"

#include <string.h>

static void example_header(const pto_block_op *op, pto_block_header *header) {
    memset(header, 0, sizeof *header);
    header->op = op;
    while (!(op->types >> header->type & 1))
        header->type++;
    if (op->types >> BT_FP32 & 1)
        header->type = BT_FP32;
    header->datr[PTO_BLOCK_PAD] = PTO_BLOCK_PAD_NULL;
    header->datr[PTO_BLOCK_TYPE2] = PTO_BLOCK_TYPE_NONE;
    if (op->geometry == GEOMETRY_QUANT)
        header->datr[PTO_BLOCK_TYPE2] = BT_S8;
    const bool three = op->geometry == GEOMETRY_MATMUL, gemv = three && op->selector >= 0x10,
               one_row = op->geometry == GEOMETRY_SEQUENCE || op->geometry == GEOMETRY_MERGE;
    header->dim[0] = (pto_block_dim){true, 0, gemv ? 1 : 32};
    header->dim[1] = (pto_block_dim){true, 0, one_row ? 1 : 16};
    header->dim[2] = (pto_block_dim){three, 0, 32};
    header->source_count = op->tiles;
    for (int i = 0; i < op->tiles; i++)
        header->source[i] = (uint8_t)(op->tiles - 1 - i);
    header->result_count = op->results;
    for (int i = 0; i < op->results; i++) {
        header->result[i].queue = (uint8_t)(i & 3);
        header->result[i].size = op->geometry == GEOMETRY_HISTOGRAM ? 10 : 7; /* 16 rows of 256 counts */
    }
    header->reg_count = op->regs_most;
    for (int i = 0; i < op->regs_most; i++)
        header->reg[i] = (uint8_t)(2 + i);
}

bool pto_block_page(const char *name, pto_write_fn write, void *context) {
    bool any = false;
    pto_sink sink;
    pto_sink_init(&sink, write, context);
    const size_t length = strlen(name);
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        /* MGATHER shows MGATHER.MASK too */
        if (!pto_str_equal_ignore_case(pto_str_slice(pto_str_from(op->name), 0, length),
                                       pto_str_from(name)) ||
            (op->name[length] && op->name[length] != '.'))
            continue;
        static const char *const engine[] = {"TEPL", "TMA", "CUBE"};
        pto_block_header header;
        example_header(op, &header);
        char text[512];
        pto_block_out out = {text, sizeof text, 0};
        pto_block_out_template(&out, &header);
        pto_sink_printf(&sink, "\nblock form (70, 6), %s selector 0x%02x%s\n", engine[op->engine],
                        op->selector,
                        op->geometry == GEOMETRY_UNBUILT ? "; encoded, but execution is ILLEGAL" : "");
        pto_sink_text(&sink, "  ");
        pto_sink_text(&sink, text);
        pto_sink_char(&sink, '\n', 1);
        pto_block_instr instr[PTO_BLOCK_MAX_HEADER];
        const bool small[3] = {false};
        const int count = pto_block_expand(&header, small, instr);
        for (int k = 0; k < count; k++) {
            uint64_t word = 0;
            char line[128];
            pto_block_encode(&instr[k], &word);
            pto_block_print(&instr[k], line, sizeof line);
            pto_sink_printf(&sink, "    %08llx  %s\n", (unsigned long long)word, line);
        }
        pto_sink_text(&sink, "  types ");
        for (unsigned type = 0; type < 32; type++)
            if (op->types >> type & 1)
                pto_sink_printf(&sink, " %s", pto_block_type_name(type));
        static const char *const attribute[] = {"PadValue", "CMode", "DataType", "RMode",
                                                "Sat",      "Canon", "Layout",   "ByteId"};
        pto_sink_text(&sink, "\n  B.DATR");
        for (int bit = 0; bit < 8; bit++)
            if (op->attributes >> bit & 1)
                pto_sink_printf(&sink, " %s", attribute[bit]);
        pto_sink_text(&sink, op->attributes ? "\n" : " nothing\n");
        any = true;
    }
    return pto_sink_flush(&sink) && any;
}
