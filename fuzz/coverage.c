/* Tells libFuzzer which code ran, in terms that gcc and clang have in common.
 *
 * Both compilers can call `__sanitizer_cov_trace_pc` at each edge; the counters that libFuzzer reads
 * only clang can make. So each call counts in a table of our own, at a place that its address gives,
 * and libFuzzer is told that the table is a module's counters. This file is linked into each compiled
 * module, and everything in it is hidden there: the one that libFuzzer itself has ends the process.
 */

#include <stdint.h>

#define PLACES (1u << 15)
#define HIDDEN __attribute__((visibility("hidden")))

struct place {
    uintptr_t address;
    uintptr_t flags;
};

extern const char __ehdr_start HIDDEN; /* where the module begins in memory, from the linker */
extern void __sanitizer_cov_8bit_counters_init(uint8_t *first, uint8_t *end);
extern void __sanitizer_cov_pcs_init(const uintptr_t *first, const uintptr_t *end);

static uint8_t counters[PLACES];
static struct place places[PLACES];

HIDDEN void __sanitizer_cov_trace_pc(void)
{
    uint64_t offset = (uintptr_t)__builtin_return_address(0) - (uintptr_t)&__ehdr_start;

    counters[(offset * 0x9E3779B97F4A7C15u) >> 49]++;
}

/* libFuzzer has these for integers only. */
HIDDEN void __sanitizer_cov_trace_cmpf(float one, float other) { (void)one, (void)other; }
HIDDEN void __sanitizer_cov_trace_cmpd(double one, double other) { (void)one, (void)other; }

__attribute__((constructor)) static void tell(void)
{
    for (unsigned place = 0; place < PLACES; place++)
        places[place].address = (uintptr_t)&counters[place];
    __sanitizer_cov_8bit_counters_init(counters, counters + PLACES);
    __sanitizer_cov_pcs_init((const uintptr_t *)places, (const uintptr_t *)(places + PLACES));
}
