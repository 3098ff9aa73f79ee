/* SPDX-License-Identifier: Apache-2.0 */
/* pto explain: what a rule says and how to fix what breaks it. */
#include "cli.h"

static int run(int argc, char **argv) {
    bool json = false;
    const cli_option options[] = {{"--json", 0, NULL, &json}};
    int status;
    if (!cli_parse(&cli_explain, &argc, argv, options, 1, &status))
        return status;
    if (!argc) {
        if (json)
            pto_rule_json(NULL, cli_write, stdout);
        else
            pto_rule_list(cli_write, stdout);
        return cli_finish(CLI_OK);
    }
    for (int i = 0; i < argc; i++) {
        if (i && !json)
            putchar('\n');
        pto_status result =
            json ? pto_rule_json(argv[i], cli_write, stdout) : pto_rule_page(argv[i], cli_write, stdout);
        if (result == PTO_ERR_USAGE) {
            const char *near = pto_rule_suggest(argv[i]);
            return cli_usage(&cli_explain, near ? "unknown rule %s; did you mean %s?" : "unknown rule %s",
                             argv[i], near);
        }
    }
    return cli_finish(CLI_OK);
}

const cli_command cli_explain = {"explain", "what a rule says, for which target, how to fix it",
                                 "usage: pto explain [RULE-ID...] [--json]\n\n"
                                 "Prints the rule behind a diagnostic. Without an id, the list of rules.\n\n"
                                 "  --json   as a JSON array\n\n"
                                 "example\n  pto explain PTO-E0323\n",
                                 run};
