/* SPDX-License-Identifier: Apache-2.0 */
/* Block code: any bytes decode, print, assemble again, are checked, and run under a step limit. */
#include <pto/block.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > 4096)
        return 0;
    for (size_t at = 0; at + 2 <= size;) {
        pto_block_instr instr;
        uint64_t word;
        char line[256];
        if (pto_block_decode(data + at, size - at, &instr) != PTO_OK) {
            at += 2;
            continue;
        }
        if (pto_block_encode(&instr, &word) != PTO_OK || word != instr.word ||
            pto_block_print(&instr, line, sizeof line) >= sizeof line)
            abort();
        at += instr.bytes;
    }
    enum { MEMORY = 1 << 16 };
    static uint8_t pattern[MEMORY];
    uint8_t *memory = malloc(MEMORY);
    pto_block_machine *machine = pto_block_machine_create(NULL);
    if (!memory || !machine)
        abort();
    for (size_t i = 0; i < MEMORY; i++)
        pattern[i] = (uint8_t)(i * 37 >> 3);
    memcpy(memory, pattern, MEMORY);
    pto_block_map(machine, 0x10000, memory, MEMORY, false);
    for (unsigned reg = 1; reg < 24; reg++)
        pto_block_set_gpr(machine, reg, reg & 1 ? 0x10000 + 64 * reg : reg / 2);
    /* something in every queue */
    for (unsigned queue = 0; queue < 4; queue++) {
        const unsigned types[] = {1, 17, 4, 27};
        for (int k = 0; k < 2; k++) {
            const pto_block_tile tile = {.type = types[(queue + (unsigned)k) & 3],
                                         .bytes = 1024,
                                         .rows = 8,
                                         .cols = 16,
                                         .valid_rows = 8 - k,
                                         .valid_cols = 16 - k,
                                         .data = pattern + 512 * queue};
            pto_block_push(machine, queue, &tile);
        }
    }
    uint8_t *code = malloc(size + 1);
    if (!code)
        abort();
    memcpy(code, data, size);
    const pto_block_image image = {.address = 0x1000, .bytes = code, .size = size};
    pto_block_check(&image, NULL, NULL);
    if (pto_block_load(machine, &image) == PTO_OK)
        pto_block_run(machine, 300);
    pto_block_machine_destroy(machine);
    free(memory);
    free(code);
    return 0;
}
