/* SPDX-License-Identifier: Apache-2.0 */
/* The block form on reference pages, of every operation: the words are those of its template line, begin with
 * the image of 70, 5.2 and 6, and come back as the line; the line is a legal block, and no other one than the
 * types and attributes that the page names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "block/encoding.h"
#include "reference/block.h"
#include "support/block_testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool collect(void *context, const char *data, size_t len) {
    char *text = context;
    strncat(text, data, len);
    return true;
}

static void assemble(const char *text, pto_block_image *image) {
    pto_source source;
    pto_source_init(&source, "page.s", text, strlen(text));
    pto_diag_list *diags = pto_diag_list_create();
    if (pto_block_assemble(&source, NULL, diags, image) != PTO_OK)
        fail_msg("%s: %s", text, pto_diag_first(diags)->message);
    pto_diag_list_destroy(diags);
    pto_source_release(&source);
}

/* One section of a page. */
typedef struct section {
    char heading[128], line[256], types[256], attributes[128];
    int words;
    uint32_t word[16];
    char physical[16][128];
} section;

static const char *line_of(const char *at, char *line, size_t size) {
    const size_t n = strcspn(at, "\n");
    assert_true(n < size);
    memcpy(line, at, n);
    line[n] = 0;
    return at + n + (at[n] == '\n');
}

static void keep(char *to, size_t size, const char *text) {
    assert_true(strlen(text) < size);
    memcpy(to, text, strlen(text) + 1);
}

/* Of several sections on a page the one with this operation. */
static void section_of(const char *name, section *s) {
    static char page[1 << 16];
    char line[512];
    *page = 0;
    assert_true(pto_block_page(name, collect, page));
    const size_t length = strlen(name);
    for (const char *at = page; *at;) {
        memset(s, 0, sizeof *s);
        at = line_of(at, line, sizeof line);
        assert_string_equal(line, "");
        at = line_of(at, s->heading, sizeof s->heading);
        at = line_of(at, line, sizeof line);
        keep(s->line, sizeof s->line, line + 2);
        int skip = 0;
        for (at = line_of(at, line, sizeof line);
             sscanf(line, "    %8x  %n", &s->word[s->words], &skip) == 1 && skip;
             at = line_of(at, line, sizeof line), skip = 0) {
            keep(s->physical[s->words], sizeof *s->physical, line + skip);
            s->words++;
        }
        assert_memory_equal(line, "  types ", 8);
        keep(s->types, sizeof s->types, line + 8);
        at = line_of(at, line, sizeof line);
        assert_memory_equal(line, "  B.DATR ", 9);
        keep(s->attributes, sizeof s->attributes, line + 9);
        const char *own = strchr(s->physical[0], ' '); /* BSTART.TEPL TADD, FP32 */
        if (own && !strncmp(own + 1, name, length) && own[1 + length] == ',')
            return;
    }
    fail_msg("the page of %s does not show it", name);
}

static void same_image(const char *text, const section *s) {
    pto_block_image image;
    assemble(text, &image);
    if (image.size != 4 * (size_t)s->words)
        fail_msg("%s: %d words, the page has %d", text, (int)image.size / 4, s->words);
    for (int i = 0; i < s->words; i++) {
        uint32_t word = 0;
        for (int k = 0; k < 4; k++)
            word |= (uint32_t)image.bytes[4 * i + k] << (8 * k);
        if (word != s->word[i])
            fail_msg("%s: word %d is %08x, the page says %08x", text, i, word, s->word[i]);
    }
    char back[1024] = "", wanted[300];
    pto_block_disassemble(&image, &(pto_block_options){.fold = true}, collect, back);
    snprintf(wanted, sizeof wanted, "    %s\n", s->line);
    assert_string_equal(back, wanted);
    pto_block_image_free(&image);
}

/* Is it one of the words of the list? */
static bool names(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static void every_operation(void **state) {
    (void)state;
    static const uint32_t base[] = {0x00019181, 0x00011181, 0x00031181};
    static const char *const engine[] = {"TEPL", "TMA", "CUBE"};
    int shown = 0;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++, shown++) {
        const pto_block_op *op = pto_block_op_get(i);
        section s;
        section_of(op->name, &s);
        char heading[128], physical[2048] = "";
        snprintf(heading, sizeof heading, "block form (70, 6), %s selector 0x%02x", engine[op->engine],
                 op->selector);
        assert_memory_equal(s.heading, heading, strlen(heading));
        assert_int_equal(strstr(s.heading, "ILLEGAL") != NULL, op->geometry == GEOMETRY_UNBUILT);
        const uint32_t type = s.word[0] >> 27;
        assert_int_equal(s.word[0], base[op->engine] | (uint32_t)op->selector << 20 | type << 27);
        assert_true(names(s.types, reference_block_name(type)));
        same_image(s.line, &s);
        for (int k = 0; k < s.words; k++) {
            strcat(physical, s.physical[k]);
            strcat(physical, "\n");
        }
        same_image(physical, &s);
    }
    assert_int_equal(shown, 106 + 9 + 13);
}

/* The line of the page as a block: its sources are missing, which is step 7 of 70, 7.3; all before is sound.
 * Without sources it runs. */
static void every_line_is_legal(void **state) {
    (void)state;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        section s;
        section_of(op->name, &s);
        char text[300];
        snprintf(text, sizeof text, "%s\nC.BSTOP", s.line);
        block_bench b = block_bench_make(text, NULL);
        pto_block_set_gpr(b.machine, 2, op->engine == ENGINE_TMA ? BLOCK_MEMORY : 1);
        pto_block_set_gpr(b.machine, 3, op->engine == ENGINE_TMA ? 256 : 1);
        const pto_status status = pto_block_run(b.machine, 100);
        const char *rule = op->geometry == GEOMETRY_UNBUILT  ? "PTO-E1620"
                           : op->tiles                       ? "PTO-E1644"
                           : op->geometry == GEOMETRY_ACCCVT ? "PTO-E1652"
                                                             : "";
        if (status != (*rule ? PTO_ERR_REFUSED : PTO_OK) ||
            strcmp(pto_block_last_fault(b.machine)->rule, rule))
            fail_msg("%s: %s %s", text, pto_block_last_fault(b.machine)->rule,
                     pto_block_last_fault(b.machine)->text);
        block_bench_drop(&b);
    }
}

/* A type is on the page exactly where the machine takes it, a field of B.DATR likewise. */
static void types_and_attributes(void **state) {
    (void)state;
    static const struct {
        const char *name, *field;
    } attributes[] = {{"CMode", "GE"}, {"RMode", "RNE"}, {"Sat", "Sat"}};
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        const pto_block_op *op = pto_block_op_get(i);
        if (op->geometry == GEOMETRY_UNBUILT)
            continue;
        section s;
        section_of(op->name, &s);
        char text[1024];
        for (unsigned type = 0; type < 32; type++) {
            if (!reference_block_name(type))
                continue;
            int length = snprintf(text, sizeof text, ".word 0x%08x\n", (s.word[0] & 0x07ffffff) | type << 27);
            for (int k = 1; k < s.words; k++)
                length += snprintf(text + length, sizeof text - (size_t)length, ".word 0x%08x\n", s.word[k]);
            snprintf(text + length, sizeof text - (size_t)length, "C.BSTOP");
            block_bench b = block_bench_make(text, NULL);
            pto_block_run(b.machine, 100);
            const bool refused = !strcmp(pto_block_last_fault(b.machine)->rule, "PTO-E1643");
            if (refused == names(s.types, reference_block_name(type)))
                fail_msg("%s on %s: the page differs from the machine", op->name, reference_block_name(type));
            block_bench_drop(&b);
        }
        for (int a = 0; a < 3; a++) {
            int length = snprintf(text, sizeof text, "%s\nB.DATR %s\n", s.physical[0], attributes[a].field);
            for (int k = 1; k < s.words; k++)
                if (strncmp(s.physical[k], "B.DATR", 6) != 0)
                    length += snprintf(text + length, sizeof text - (size_t)length, "%s\n", s.physical[k]);
            snprintf(text + length, sizeof text - (size_t)length, "C.BSTOP");
            block_bench b = block_bench_make(text, NULL);
            pto_block_run(b.machine, 100);
            const bool refused = !strcmp(pto_block_last_fault(b.machine)->rule, "PTO-E1641");
            if (refused == names(s.attributes, attributes[a].name))
                fail_msg("%s with %s: the page differs from the machine", op->name, attributes[a].field);
            block_bench_drop(&b);
        }
    }
}

/* Any attributes, dimensions and bindings of any operation: the words come back from the folded line and from
 * the physical ones. */
static void folded_lines_come_back(void **state) {
    (void)state;
    int folded = 0, all = 0;
    for (size_t i = 0; i < PTO_BLOCK_OP_COUNT; i++) {
        section s;
        section_of(pto_block_op_get(i)->name, &s);
        for (int round = 0; round < 100; round++, all++) {
            char text[2048], back[2048] = "";
            int length = snprintf(text, sizeof text, ".word 0x%08x\n", s.word[0]);
            const uint32_t random = (uint32_t)block_random();
            if (random & 3) { /* B.DATR: some fields, reserved codes left out */
                const uint32_t kept = (uint32_t)block_random();
                uint32_t word = 0x19f01023;
                if (kept & 1)
                    word = (word & ~0x18000000u) | (random & 0x18000000u);
                if (kept & 2)
                    word |= (random >> 5) % 6 << 29;
                if (kept & 4)
                    word = (word & ~0x01f00000u) | (random >> 8) % 15 << 20;
                if (kept & 8)
                    word |= random & 0x00038000u;
                if (kept & 16)
                    word |= (random >> 12) % 16 << 7;
                if (kept & 32)
                    word |= random & 0x06000000u;
                length += snprintf(text + length, sizeof text - (size_t)length, ".word 0x%08x\n", word);
            }
            for (uint32_t k = 0; k < 3; k++)
                if (block_random() & 3)
                    length += snprintf(text + length, sizeof text - (size_t)length, ".word 0x%08x\n",
                                       0x43u | k << 12 | (uint32_t)(block_random() % 24) << 15 |
                                           (uint32_t)(block_random() & (random & 4 ? 0xfff00f80u : 0)));
            for (int k = 1; k < s.words; k++)
                if (strncmp(s.physical[k], "B.DIM", 5) != 0 && strncmp(s.physical[k], "B.DATR", 6) != 0)
                    length +=
                        snprintf(text + length, sizeof text - (size_t)length, ".word 0x%08x\n", s.word[k]);
            pto_block_image image, again;
            assemble(text, &image);
            for (int fold = 0; fold < 2; fold++) {
                *back = 0;
                pto_block_disassemble(&image, &(pto_block_options){.fold = fold}, collect, back);
                assemble(back, &again);
                if (again.size != image.size || memcmp(again.bytes, image.bytes, image.size))
                    fail_msg("%s comes from %s", back, text);
                pto_block_image_free(&again);
            }
            folded += strstr(back, "BSTART") == NULL;
            pto_block_image_free(&image);
        }
    }
    print_message("%d of %d headers fold\n", folded, all);
    assert_true(2 * folded > all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation),
        cmocka_unit_test(every_line_is_legal),
        cmocka_unit_test(types_and_attributes),
        cmocka_unit_test(folded_lines_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
