/* SPDX-License-Identifier: Apache-2.0 */
/* TileOp blocks on the command line: what run and check do with .s and .bin files. */
#ifndef PTO_CLI_BLOCK_H
#define PTO_CLI_BLOCK_H

#include "cli.h"

/* Does the file hold block assembly (.s) or block code (.bin)? */
bool cli_is_block(const char *path);
/* pto run on such a file: its own options. */
int cli_block_run(int argc, char **argv);
pto_status cli_block_check(const char *path, bool json);

#endif
