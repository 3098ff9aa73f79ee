/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every emitted kernel that is linked in beside the program that it was made from, on the same bytes,
 * and compares all buffers. A program that no try of arguments lets run is compiled only. */
#include "emit/kernel.hpp"

#include <pto/agent.h>
#include <pto/common/debug.h>
#include <pto/diag.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

using namespace emitted;

namespace {

std::string program_text(const char *path, int part) {
    std::ifstream in(path, std::ios::binary);
    std::string all((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const std::string mark = "// -----\n";
    size_t begin = 0;
    for (int i = 0; i < part; i++)
        begin = all.find(mark, begin) + mark.size();
    return all.substr(begin, all.find(mark, begin) - begin);
}

/* Ways to fill arguments: small numbers, indices, zeros; scalars from a list. */
struct Way {
    int fill;
    int64_t scalar;
    uint32_t blocks;
};
const Way ways[] = {{0, 4, 1}, {0, 1, 1}, {1, 16, 1}, {1, 0, 1}, {2, 8, 1}, {2, 2, 1}, {2, 32, 1}, {2, 3, 1}};

struct Data {
    std::vector<std::vector<unsigned char>> bytes;
    std::vector<pto_argument> arguments;
    std::vector<Argument> kernel;
};

void fill(std::vector<unsigned char> &bytes, pto_dtype dtype, int how, std::mt19937 &random) {
    const unsigned size = pto_dtype_bits(dtype) / 8;
    for (size_t i = 0; size && how < 2 && i + size <= bytes.size(); i += size) {
        const int small = how ? static_cast<int>(random() % 2) : static_cast<int>(random() % 9) - 4;
        uint64_t raw = 0;
        if (pto_dtype_is_float(dtype))
            raw = pto_number_from_double(dtype, how ? small : small * 0.37 + 0.01, PTO_CAST_RINT, true);
        else
            raw = static_cast<uint64_t>(pto_dtype_is_signed(dtype) || how ? small : small + 4);
        std::memcpy(&bytes[i], &raw, size);
    }
}

Data make(const pto_param *params, size_t count, const Way &way) {
    std::mt19937 random(7);
    Data d;
    for (size_t i = 0; i < count; i++) {
        const pto_param &p = params[i];
        pto_argument a = {};
        Argument k = {};
        d.bytes.emplace_back();
        if (p.kind == PTO_PARAM_SCALAR) {
            a.i = k.i = p.name && std::strstr(p.name, "block") ? 0 : way.scalar;
            a.f = k.f = 1.5;
            k.scalar = true;
        } else {
            int64_t elements = 1, lead = 1;
            for (int r = 0; r < p.rank; r++) {
                const int64_t extent = p.shape[r] < 0 ? way.scalar : p.shape[r];
                lead = r ? lead : extent;
                elements *= extent;
            }
            size_t bytes = static_cast<size_t>(elements) * pto_dtype_bits(p.dtype) / 8;
            if (!p.rank || (p.kind == PTO_PARAM_POINTER && bytes < 1 << 16))
                bytes = 1 << 16;
            k.lead = elements ? static_cast<int64_t>(bytes * 8 / pto_dtype_bits(p.dtype)) /
                                    (elements / (lead ? lead : 1))
                              : 0;
            d.bytes.back().resize(bytes);
            fill(d.bytes.back(), p.dtype, way.fill, random);
        }
        d.arguments.push_back(a);
        d.kernel.push_back(k);
    }
    for (size_t i = 0; i < count; i++) {
        d.arguments[i].data = d.kernel[i].data = d.bytes[i].data();
        d.arguments[i].bytes = d.bytes[i].size();
    }
    return d;
}

struct Launch {
    const Kernel *kernel;
    const Argument *arguments;
    std::string error, rule;

    static void run(void *user) {
        auto *self = static_cast<Launch *>(user);
        try {
            self->kernel->call(self->arguments);
            if (pto_agent_flags_end(true) != PTO_OK)
                self->rule = self->error = "PTO-E0922";
        } catch (const pto::Error &error) {
            self->error = error.what();
            self->rule = error.rule();
        }
    }
};

/* kernels print to stdout */
FILE *report;
int failures, ran, compiled, misused;

void complain(const Kernel &k, const std::string &what) {
    failures++;
    std::fprintf(report, "%s, part %d, %s, @%s: %s\n", k.path, k.part, pto_target_name(k.target), k.entry,
                 what.c_str());
}

/* Flags that a run in program order does not look at, but the facade does. */
bool misuses_flags(pto_program *program, const Kernel &k, Data data) {
    pto_diag_list *diags = pto_diag_list_create();
    size_t findings = 0;
    pto_run_options options = {};
    options.entry = k.entry;
    options.target = k.target;
    options.has_target = true;
    options.checks = PTO_CHECK_SYNC;
    options.findings = &findings;
    for (size_t i = 0; i < data.bytes.size(); i++)
        data.arguments[i].data = data.bytes[i].data();
    pto_program_run(program, data.arguments.data(), data.arguments.size(), &options, diags);
    pto_diag_list_destroy(diags);
    return findings > 0;
}

bool try_way(pto_program *program, const Kernel &k, const pto_param *params, size_t count, const Way &way) {
    Data ours = make(params, count, way), theirs = make(params, count, way);
    pto_diag_list *diags = pto_diag_list_create();
    pto_run_options options = {};
    options.entry = k.entry;
    options.target = k.target;
    options.has_target = true;
    options.threads = 1;
    const pto_status status = pto_program_run(program, ours.arguments.data(), count, &options, diags);
    pto_diag_list_destroy(diags);
    if (status != PTO_OK)
        return false;
    Launch launch = {&k, theirs.kernel.data(), "", ""};
    pto_agent_launch(1, 1, Launch::run, &launch);
    if (!launch.rule.empty()) {
        const bool flags =
            launch.rule.compare(0, 8, "PTO-E092") == 0 && misuses_flags(program, k, make(params, count, way));
        if (!flags)
            complain(k, launch.error);
        misused += flags;
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (ours.bytes[i] != theirs.bytes[i]) {
            size_t at = 0;
            while (ours.bytes[i][at] == theirs.bytes[i][at])
                at++;
            complain(k, "argument " + std::to_string(i) + " differs from byte " + std::to_string(at) + " on");
        }
    ran++;
    return true;
}

void run(const Kernel &k) {
    const std::string text = program_text(k.path, k.part);
    pto_diag_list *diags = pto_diag_list_create();
    pto_parse_options parse = {};
    parse.target = k.target;
    parse.has_target = true;
    pto_program *program = pto_program_parse(k.path, text.data(), text.size(), &parse, diags);
    const pto_param *params = nullptr;
    size_t count = 0;
    if (pto_program_entry_params(program, k.entry, &params, &count, diags) != PTO_OK) {
        complain(k, "no entry");
    } else {
        bool done = false;
        for (const Way &way : ways)
            done = done || try_way(program, k, params, count, way);
        if (!done) {
            compiled++;
            if (std::getenv("EMIT_VERBOSE"))
                std::fprintf(report, "compiled only: %s %d %s @%s\n", k.path, k.part,
                             pto_target_name(k.target), k.entry);
        }
    }
    pto_program_destroy(program);
    pto_diag_list_destroy(diags);
}

} // namespace

int main(int argc, char **argv) {
    report = argc > 1 ? std::fopen(argv[1], "w") : stderr;
    if (!report)
        return 2;
    for (const Kernel &k : kernels())
        run(k);
    std::fprintf(report, "%zu kernels: %d ran with equal bits, %d misuse flags, %d compiled only, %d wrong\n",
                 kernels().size(), ran - failures, misused, compiled, failures);
    return failures || kernels().empty() ? 1 : 0;
}
