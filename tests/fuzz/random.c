/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target of fuzz/ on random changes of given files: no coverage feedback, but no libFuzzer
 * either, so that every build runs the targets in its tests, and millions of inputs a minute can be tried.
 *
 *     random_NAME RUNS SEED FINDING [-DICTIONARY] FILE-OR-DIRECTORY...
 *
 * A run takes one file, changes it in one to eight places (bytes, numbers, words of the dictionary, lines of
 * this and other files) and calls the target. An input that harms is written to FINDING; the exit status is
 * then that of the signal. The same numbers give the same inputs. */
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 4096, MOST = 4096, SECONDS = 60 };

typedef struct bytes {
    uint8_t data[LONGEST];
    size_t size;
} bytes;

static struct {
    bytes *file[MOST], *word[MOST];
    size_t files, words;
    const char *finding;
    uint64_t state;
    bytes current; /* the input of this run, for the signal handler */
} run;

static uint64_t next(void) { /* splitmix64 */
    uint64_t z = run.state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t below(size_t n) { return n ? (size_t)(next() % n) : 0; }

/* ---- inputs ---- */

static void add(bytes **list, size_t *count, const uint8_t *data, size_t size) {
    if (*count >= MOST || size > LONGEST || !(list[*count] = malloc(sizeof(bytes))))
        return;
    memcpy(list[*count]->data, data, size);
    list[(*count)++]->size = size;
}

static bool read_file(const char *path) {
    static uint8_t data[LONGEST + 1];
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    add(run.file, &run.files, data, size); /* larger ones are left out */
    return true;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool read_directory(const char *path) {
    static char *name[MOST];
    size_t count = 0;
    DIR *directory = opendir(path);
    if (!directory)
        return false;
    for (struct dirent *entry; (entry = readdir(directory)) && count < MOST;)
        if (entry->d_name[0] != '.') {
            size_t size = strlen(path) + strlen(entry->d_name) + 2;
            if ((name[count] = malloc(size)))
                snprintf(name[count++], size, "%s/%s", path, entry->d_name);
        }
    closedir(directory);
    qsort(name, count, sizeof *name, by_name);
    for (size_t i = 0; i < count; i++) {
        read_file(name[i]);
        free(name[i]);
    }
    return true;
}

/* A line of the dictionary: "word" with \" \\ \xNN. */
static void read_word(const char *line) {
    uint8_t word[LONGEST];
    size_t size = 0;
    const char *at = strchr(line, '"');
    if (line[0] == '#' || !at)
        return;
    for (at++; *at && *at != '"' && size < sizeof word; at++) {
        unsigned byte;
        if (at[0] == '\\' && at[1] == 'x' && sscanf(at + 2, "%2x", &byte) == 1) {
            word[size++] = (uint8_t)byte;
            at += 3;
        } else {
            at += at[0] == '\\' && at[1];
            word[size++] = (uint8_t)*at;
        }
    }
    add(run.word, &run.words, word, size);
}

static bool read_dictionary(const char *path) {
    char line[2 * LONGEST];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        read_word(line);
    return file && !fclose(file);
}

static bool read_inputs(const char *path) {
    struct stat status;
    if (path[0] == '-')
        return read_dictionary(path + 1);
    return !stat(path, &status) && (S_ISDIR(status.st_mode) ? read_directory(path) : read_file(path));
}

/* ---- changes ---- */

/* Puts other bytes in the place of some; what does not fit is left out. */
static void replace(bytes *in, size_t at, size_t old, const uint8_t *data, size_t size) {
    if (at > in->size || old > in->size - at || in->size - old + size > LONGEST)
        return;
    memmove(in->data + at + size, in->data + at + old, in->size - at - old);
    memcpy(in->data + at, data, size);
    in->size += size - old;
}

typedef struct range {
    size_t begin, end;
} range;

/* Some line with its end; in files without lines, some piece. */
static range line_of(const bytes *in) {
    size_t begin = below(in->size), end;
    for (size_t i = 0; i < 200 && begin > 0 && in->data[begin - 1] != '\n'; i++)
        begin--;
    for (end = begin; end < in->size && end - begin < 300 && in->data[end] != '\n';)
        end++;
    return (range){begin, end < in->size ? end + 1 : end};
}

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static void change_number(bytes *in) {
    static const char *const numbers[] = {"0",          "1",
                                          "-1",         "2",
                                          "7",          "8",
                                          "15",         "16",
                                          "31",         "32",
                                          "64",         "127",
                                          "128",        "255",
                                          "256",        "512",
                                          "4096",       "65535",
                                          "65536",      "2147483647",
                                          "4294967296", "9223372036854775807"};
    size_t at = below(in->size), end;
    for (size_t i = 0; i < in->size && !is_digit(in->data[at]); i++)
        at = at + 1 < in->size ? at + 1 : 0;
    if (!in->size || !is_digit(in->data[at]))
        return;
    while (at > 0 && is_digit(in->data[at - 1]))
        at--;
    for (end = at; end < in->size && is_digit(in->data[end]);)
        end++;
    const char *number = numbers[below(sizeof numbers / sizeof *numbers)];
    replace(in, at, end - at, (const uint8_t *)number, strlen(number));
}

/* One name (%x, @f, a word) in the place of another one of the same file. */
static range word_of(const bytes *in) {
    size_t begin = below(in->size), end;
    while (begin > 0 && (in->data[begin - 1] > '/' || in->data[begin - 1] == '%') &&
           in->data[begin - 1] != ':')
        begin--;
    for (end = begin;
         end < in->size && (in->data[end] > '/' || in->data[end] == '%') && in->data[end] != ':';)
        end++;
    return (range){begin, end};
}

static void change(bytes *in) {
    const bytes *other = run.file[below(run.files)];
    uint8_t byte = (uint8_t)next();
    range a = line_of(in), b = line_of(other);
    size_t at = below(in->size), span = below(1 + below(32));
    static uint8_t copy[LONGEST];
    switch (below(14)) {
    case 0: /* a bit */
        if (in->size)
            in->data[at] ^= (uint8_t)(1u << below(8));
        break;
    case 1: /* a byte */
        replace(in, at, at < in->size, &byte, 1);
        break;
    case 2: /* one more byte */
        replace(in, at, 0, &byte, 1);
        break;
    case 3: /* some bytes less */
        replace(in, at, span < in->size - at ? span : in->size - at, copy, 0);
        break;
    case 4: /* a line less */
        replace(in, a.begin, a.end - a.begin, copy, 0);
        break;
    case 5: /* a line twice, elsewhere */
        memcpy(copy, in->data + a.begin, a.end - a.begin);
        replace(in, line_of(in).begin, 0, copy, a.end - a.begin);
        break;
    case 6: /* a line of another file more */
        replace(in, a.begin, 0, other->data + b.begin, b.end - b.begin);
        break;
    case 7: /* a line of another file instead */
        replace(in, a.begin, a.end - a.begin, other->data + b.begin, b.end - b.begin);
        break;
    case 8: /* the head of one, the tail of another */
        replace(in, at, in->size - at, other->data + b.begin, other->size - b.begin);
        break;
    case 9:
    case 10:
        change_number(in);
        break;
    case 11: /* a word of the dictionary */
        if (run.words) {
            const bytes *word = run.word[below(run.words)];
            range old = word_of(in);
            replace(in, old.begin, next() & 1 ? old.end - old.begin : 0, word->data, word->size);
        }
        break;
    default: /* a name of the file instead of another one */
        a = word_of(in);
        b = word_of(in);
        memcpy(copy, in->data + b.begin, b.end - b.begin);
        replace(in, a.begin, a.end - a.begin, copy, b.end - b.begin);
        break;
    }
}

/* ---- the runs ---- */

static void write_finding(void) {
    FILE *file = fopen(run.finding, "wb");
    if (file) {
        fwrite(run.current.data, 1, run.current.size, file);
        fclose(file);
    }
}

static void harmed(int number) {
    static const char told[] = "random: this input harms: see the finding\n";
    ssize_t written = write(2, told, sizeof told - 1);
    (void)written;
    write_finding();
    signal(number, SIG_DFL);
    raise(number);
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: %s RUNS SEED FINDING [-DICTIONARY] FILE-OR-DIRECTORY...\n", argv[0]);
        return 2;
    }
    const unsigned long long runs = strtoull(argv[1], NULL, 10);
    run.state = strtoull(argv[2], NULL, 10);
    run.finding = argv[3];
    for (int i = 4; i < argc; i++)
        if (!read_inputs(argv[i])) {
            fprintf(stderr, "random: cannot read %s\n", argv[i]);
            return 2;
        }
    if (!run.files) {
        fprintf(stderr, "random: no input of at most %d bytes\n", LONGEST);
        return 2;
    }
    const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], harmed);
    const time_t start = time(NULL);
    for (unsigned long long i = 0; i < runs; i++) {
        run.current = *run.file[below(run.files)];
        for (size_t changes = 1 + below(8); changes > 0; changes--)
            change(&run.current);
        alarm(SECONDS);                                                   /* no input takes so long */
        uint8_t *exact = malloc(run.current.size ? run.current.size : 1); /* so that a tool sees an overrun */
        if (!exact)
            return 2;
        memcpy(exact, run.current.data, run.current.size);
        LLVMFuzzerTestOneInput(exact, run.current.size);
        free(exact);
    }
    printf("%llu runs on changes of %zu files in %.0f s: no finding\n", runs, run.files,
           difftime(time(NULL), start));
    for (size_t i = 0; i < run.files; i++)
        free(run.file[i]);
    for (size_t i = 0; i < run.words; i++)
        free(run.word[i]);
    return 0;
}
