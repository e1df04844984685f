// An allocation of n bytes is sampled with the probability 1 - exp(-n / mean), whatever was
// allocated before it. Bounds are six standard deviations: two tests in a thousand million fail by
// chance.

#include "stacks/sampling.h"
#include "support/expect.h"

enum { MEAN = 4096 };

/// 1 - exp(-x), from the series near 0, doubled.
static double probability(double x) {
    if (x < 1e-3)
        return x - x * x / 2 + x * x * x / 6;
    double half = probability(x / 2);
    return half * (2 - half);
}

static bool is_plausible(uint64_t hits, uint64_t tries, double chance) {
    double difference = (double)hits - (double)tries * chance;
    return difference * difference <= 36 * (double)tries * chance * (1 - chance) + 1;
}

static void without_a_mean_everything_is_sampled(void) {
    struct liveobj_sampler sampler = {0, 0};
    for (uint64_t bytes = 0; bytes < 1000; bytes++)
        EXPECT(liveobj_sampler_takes(&sampler, bytes));
}

TEST(the_probability_depends_on_the_size) {
    enum { TRIES = 2000000 };
    static const uint64_t sizes[] = {1, 16, 48, 1000, 4096, 10000, 50000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct liveobj_sampler sampler = {0, 0};
        uint64_t hits = 0;
        for (int n = 0; n < TRIES; n++)
            hits += liveobj_sampler_takes(&sampler, sizes[i]);
        EXPECT(is_plausible(hits, TRIES, probability((double)sizes[i] / MEAN)));
    }
}

TEST(the_probability_does_not_depend_on_other_allocations) {
    enum { TRIES = 3000000 };
    static const uint64_t sizes[] = {32, 3000, 64}; // the first always follows the small one
    struct liveobj_sampler sampler = {0, 0};
    uint64_t hits[3] = {0};
    for (int n = 0; n < TRIES; n++)
        hits[n % 3] += liveobj_sampler_takes(&sampler, sizes[n % 3]);
    for (size_t i = 0; i < 3; i++)
        EXPECT(is_plausible(hits[i], TRIES / 3, probability((double)sizes[i] / MEAN)));
}

/// Each run begins at another place: were the first mark always at the mean, small programs would
/// have no sample, or all the same one.
TEST(the_first_allocation_of_a_thread_is_sampled_like_any_other) {
    enum { THREADS = 200000 };
    static struct liveobj_sampler samplers[THREADS];
    uint64_t hits = 0;
    for (int n = 0; n < THREADS; n++)
        hits += liveobj_sampler_takes(&samplers[n], 1000);
    EXPECT(is_plausible(hits, THREADS, probability(1000.0 / MEAN)));
}

/// The share of distances greater than n times the mean is exp(-n).
TEST(distances_are_exponentially_distributed) {
    enum { MARKS = 1000000, MOST = 5 };
    struct liveobj_sampler sampler = {0, 0};
    uint64_t longer[MOST + 1] = {0};
    liveobj_sampler_renew(&sampler, 0);
    for (int n = 0; n < MARKS; n++) {
        liveobj_sampler_renew(&sampler, 0);
        for (uint64_t times = 1; times <= MOST; times++)
            longer[times] += sampler.distance > times * MEAN;
    }
    for (int times = 1; times <= MOST; times++)
        EXPECT(is_plausible(longer[times], MARKS, 1 - probability(times)));
}

TEST(a_large_mean_is_drawn_exactly) {
    enum { MARKS = 1000000 };
    static const uint64_t mean = (uint64_t)1 << 30;
    struct liveobj_sampler sampler = {0, 0};
    uint64_t shorter = 0;
    liveobj_sampling_start(mean);
    liveobj_sampler_renew(&sampler, 0);
    for (int n = 0; n < MARKS; n++) {
        liveobj_sampler_renew(&sampler, 0);
        shorter += sampler.distance <= mean / 1000;
    }
    EXPECT(is_plausible(shorter, MARKS, probability(1e-3)));
}

int main(void) {
    without_a_mean_everything_is_sampled();
    liveobj_sampling_start(MEAN);
    run_tests();
    return EXPECT_STATUS();
}
