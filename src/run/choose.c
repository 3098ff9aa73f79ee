/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread walks on, which operation is executed next. */
#include "run/scheduler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* ---- as text ------------------------------------------------------------------------------------- */

static bool parse_number(const char *text, const char **end, uint64_t *number) {
    char *stop;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &stop, 10);
    *end = stop;
    return !errno;
}

bool pto_schedule_parse(const char *text, pto_schedule *schedule) {
    const char *end = NULL;
    pto_schedule parsed = {0};
    if (!strcmp(text, "program")) {
        *schedule = parsed;
        return true;
    }
    if (!strncmp(text, "random:", 7)) {
        parsed.kind = PTO_SCHEDULE_RANDOM;
        if (!parse_number(text + 7, &end, &parsed.seed))
            return false;
    } else if (!strncmp(text, "adversarial", 11)) {
        parsed.kind = PTO_SCHEDULE_ADVERSARIAL;
        end = text + 11;
    } else {
        return false;
    }
    if (*end == ':' && (!parse_number(end + 1, &end, &parsed.prefix) || !parsed.prefix))
        return false;
    if (*end)
        return false;
    *schedule = parsed;
    return true;
}

void pto_schedule_words(const pto_schedule *schedule, char *out, size_t size) {
    int len =
        schedule->kind == PTO_SCHEDULE_RANDOM
            ? snprintf(out, size, "random:%llu", (unsigned long long)schedule->seed)
            : snprintf(out, size, "%s", schedule->kind == PTO_SCHEDULE_PROGRAM ? "program" : "adversarial");
    if (schedule->prefix && len > 0 && (size_t)len < size)
        snprintf(out + len, size - (size_t)len, ":%llu", (unsigned long long)schedule->prefix);
}

/* ---- choosing ------------------------------------------------------------------------------------ */

static uint64_t next_random(pto_scheduler *s) {
    uint64_t z = s->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint32_t below(pto_scheduler *s, uint32_t count) {
    return (uint32_t)((next_random(s) >> 32) * count >> 32);
}

/* How a random schedule behaves. UNIFORM: every choice alike. PIPES: every pipe has a rank, some change on
 * the way: one pipe runs far ahead of another. LATE: mostly what was issued last. */
enum { UNIFORM, PIPES, LATE, STYLES };

void pto_choose_begin(pto_scheduler *s) {
    s->random = s->plan.schedule.seed;
    s->style = (int)below(s, STYLES);
    s->walk_first = below(s, 3); /* of 16 choices 1, 8 or 15 walk */
    s->walk_first = s->walk_first * 7 + 1;
}

/* ---- program order ------------------------------------------------------------------------------- */

/* Place in program order. */
typedef struct place {
    uint32_t run;
    int64_t segment;
    uint32_t core, number;
} place;

static int compare(place a, place b) {
    if (a.run != b.run)
        return a.run < b.run ? -1 : 1;
    if (a.segment != b.segment)
        return a.segment < b.segment ? -1 : 1;
    if (a.core != b.core)
        return a.core < b.core ? -1 : 1;
    return a.number < b.number ? -1 : a.number > b.number;
}

static place place_of(const pto_event *e) { return (place){e->run, e->segment, e->core, e->number}; }

/* An addition of a later run waits for the earlier runs: the order of additions decides their rounding. */
static bool may_execute(const pto_scheduler *s, const pto_event *event) {
    if (!event->atomic)
        return true;
    for (uint32_t i = 0; i < s->slots; i++)
        if (s->slot[i]->active && s->slot[i]->run < event->run)
            return false;
    return true;
}

static pto_choice execute(pto_scheduler *s, size_t index) {
    return (pto_choice){
        .kind = PTO_CHOICE_EXECUTE, .ready = index, .slot = pto_scheduler_slot(s, s->ready[index]->run)};
}

static pto_choice start(pto_scheduler *s, uint32_t run) {
    for (uint32_t i = 0; i < s->slots; i++)
        if (!s->slot[i]->active)
            return (pto_choice){.kind = PTO_CHOICE_START, .run = run, .slot = s->slot[i]};
    return (pto_choice){.kind = PTO_CHOICE_NONE};
}

static bool has_room(const pto_scheduler *s) {
    return s->started - s->ended < s->slots && s->started < s->runs;
}

/* Of the runs that have not begun; there is one. */
static uint32_t first_to_start(pto_scheduler *s) {
    while (s->begun[s->first_run])
        s->first_run++;
    return s->first_run;
}

static uint32_t last_to_start(pto_scheduler *s) {
    while (s->begun[s->last_run])
        s->last_run--;
    return s->last_run;
}

static bool is_step(const pto_step *step, const pto_event *event) {
    return step && step->run == event->run && step->core == event->core && step->number == event->number;
}

/* What comes first in program order; `later` is left out. */
static pto_choice by_program(pto_scheduler *s, const pto_step *later) {
    pto_choice best = {.kind = PTO_CHOICE_NONE};
    place at = {0};
    for (size_t i = 0; i < s->ready_count; i++) {
        place p = place_of(s->ready[i]);
        if ((best.kind == PTO_CHOICE_NONE || compare(p, at) < 0) && !is_step(later, s->ready[i])) {
            best = execute(s, i);
            at = p;
        }
    }
    for (uint32_t i = 0; i < s->slots; i++)
        for (int core = 0; s->slot[i]->active && core < s->cores; core++) {
            pto_walker *w = &s->slot[i]->walker[core];
            place p = {s->slot[i]->run, w->machine.segment, (uint32_t)core, w->issued + 1};
            if (pto_walker_can_walk(w, &s->slot[i]->order) &&
                (best.kind == PTO_CHOICE_NONE || compare(p, at) < 0)) {
                best = (pto_choice){.kind = PTO_CHOICE_WALK, .slot = s->slot[i], .walker = w};
                at = p;
            }
        }
    if (has_room(s)) {
        uint32_t run = first_to_start(s);
        if (best.kind == PTO_CHOICE_NONE || run < at.run)
            return start(s, run);
    }
    return best;
}

/* ---- following a prefix --------------------------------------------------------------------------- */

/* Towards one step: start its run, walk until it is issued, execute it. NONE: it cannot be had. */
static pto_choice towards(pto_scheduler *s, const pto_step *step) {
    for (size_t i = 0; i < s->ready_count; i++)
        if (is_step(step, s->ready[i]))
            return execute(s, i);
    pto_block_slot *slot = pto_scheduler_slot(s, step->run);
    if (!slot)
        return has_room(s) && step->run < s->runs && !s->begun[step->run]
                   ? start(s, step->run)
                   : (pto_choice){.kind = PTO_CHOICE_NONE};
    for (int turn = 0; turn < s->cores; turn++) {
        /* the other core walks only when its signals or sections are missing */
        pto_walker *w = &slot->walker[turn ? 1 - step->core : step->core];
        bool issued = !turn && w->issued >= step->number;
        if (!issued && pto_walker_can_walk(w, &slot->order))
            return (pto_choice){.kind = PTO_CHOICE_WALK, .slot = slot, .walker = w};
    }
    return (pto_choice){.kind = PTO_CHOICE_NONE};
}

static pto_choice replay(pto_scheduler *s) {
    while (s->followed < s->plan.prefix_count) {
        pto_choice choice = towards(s, &s->plan.prefix[s->followed]);
        if (choice.kind == PTO_CHOICE_EXECUTE)
            s->followed++;
        if (choice.kind != PTO_CHOICE_NONE)
            return choice;
        s->followed = s->plan.prefix_count; /* the program has taken another path */
    }
    if (s->plan.hold && s->behind >= s->plan.hold_behind) {
        pto_choice choice = towards(s, s->plan.hold);
        if (choice.kind == PTO_CHOICE_EXECUTE || choice.kind == PTO_CHOICE_NONE)
            s->plan.hold = NULL;
        if (choice.kind != PTO_CHOICE_NONE)
            return choice;
    }
    pto_choice choice = by_program(s, s->plan.hold);
    if (choice.kind == PTO_CHOICE_NONE && s->plan.hold) {
        s->plan.hold = NULL;
        choice = by_program(s, NULL);
    }
    s->behind += choice.kind == PTO_CHOICE_EXECUTE;
    return choice;
}

/* ---- other orders --------------------------------------------------------------------------------- */

/* The last in program order that may be executed; NONE = none. */
static ptrdiff_t latest(const pto_scheduler *s) {
    ptrdiff_t best = NONE;
    for (size_t i = 0; i < s->ready_count; i++)
        if (may_execute(s, s->ready[i]) &&
            (best < 0 || compare(place_of(s->ready[i]), place_of(s->ready[best])) > 0))
            best = (ptrdiff_t)i;
    return best;
}

static ptrdiff_t any_ready(pto_scheduler *s) {
    uint32_t count = 0;
    ptrdiff_t chosen = NONE;
    for (size_t i = 0; i < s->ready_count; i++)
        if (may_execute(s, s->ready[i]) && !below(s, ++count))
            chosen = (ptrdiff_t)i;
    return chosen;
}

static ptrdiff_t highest(pto_scheduler *s) {
    ptrdiff_t best = NONE;
    uint32_t rank = 0;
    for (size_t i = 0; i < s->ready_count; i++) {
        const pto_event *e = s->ready[i];
        if (!may_execute(s, e))
            continue;
        uint32_t *own = &pto_scheduler_slot(s, e->run)->walker[e->core].priority[e->pipe];
        if (!*own || !below(s, 16))
            *own = 1 + below(s, UINT32_MAX - 1);
        if (best < 0 || *own > rank) {
            best = (ptrdiff_t)i;
            rank = *own;
        }
    }
    return best;
}

static pto_choice any_walk(pto_scheduler *s, bool last) {
    pto_choice chosen = {.kind = PTO_CHOICE_NONE};
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->slots; i++)
        for (int core = 0; s->slot[i]->active && core < s->cores; core++) {
            pto_walker *w = &s->slot[i]->walker[core];
            if (!pto_walker_can_walk(w, &s->slot[i]->order))
                continue;
            if (last ? !chosen.slot || s->slot[i]->run >= chosen.slot->run : !below(s, ++count))
                chosen = (pto_choice){.kind = PTO_CHOICE_WALK, .slot = s->slot[i], .walker = w};
        }
    return chosen;
}

/* One of the next few, or the last. */
static uint32_t run_to_start(pto_scheduler *s) {
    uint32_t run = first_to_start(s);
    if (s->keeps_order)
        return run;
    if (s->plan.schedule.kind == PTO_SCHEDULE_ADVERSARIAL)
        return last_to_start(s);
    for (uint32_t ahead = below(s, 4 * PTO_SCHEDULER_BLOCKS), i = run; ahead && i < s->runs; i++)
        if (!s->begun[i]) {
            run = i;
            ahead--;
        }
    return run;
}

static pto_choice by_other(pto_scheduler *s) {
    bool adversarial = s->plan.schedule.kind == PTO_SCHEDULE_ADVERSARIAL;
    if (has_room(s) && (adversarial || s->started == s->ended || !below(s, 4)))
        return start(s, run_to_start(s));
    pto_choice walk = any_walk(s, adversarial);
    if (walk.kind != PTO_CHOICE_NONE && (adversarial || below(s, 16) < s->walk_first))
        return walk;
    ptrdiff_t chosen = adversarial || (s->style == LATE && below(s, 4)) ? latest(s)
                       : s->style == PIPES                              ? highest(s)
                                                                        : any_ready(s);
    if (chosen >= 0)
        return execute(s, (size_t)chosen);
    if (walk.kind != PTO_CHOICE_NONE)
        return walk;
    return has_room(s) ? start(s, run_to_start(s)) : by_program(s, NULL);
}

pto_choice pto_choose(pto_scheduler *s) {
    const pto_schedule *schedule = &s->plan.schedule;
    if (schedule->kind == PTO_SCHEDULE_PROGRAM || s->followed < s->plan.prefix_count)
        return replay(s);
    if (schedule->prefix && s->executed >= schedule->prefix)
        return by_program(s, NULL);
    return by_other(s);
}
