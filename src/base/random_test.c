#include "base/random.h"

#include "testing/test.h"

/* The generator's published reference: first words of state {1, 2, 3, 4}. */
TEST(random_matches_the_reference)
{
    struct random random = {
        .state = {1, 2, 3, 4}
    };
    const uint64_t expected[] = {
        11520ULL, 0ULL, 1509978240ULL, 1215971899390074240ULL, 1216172134540287360ULL,
    };
    for (size_t i = 0; i < COUNT(expected); i++)
        CHECK_EQ(random_u64(&random), expected[i]);
}

TEST(random_repeats_for_a_seed)
{
    struct random first, second, other;
    random_init(&first, 0);
    random_init(&second, 0);
    random_init(&other, 1);
    size_t same = 0;
    for (int i = 0; i < 1000; i++) {
        const uint64_t word = random_u64(&first);
        CHECK_EQ(word, random_u64(&second));
        same += word == random_u64(&other);
    }
    CHECK_EQ(same, (size_t)0);
}

TEST(random_below_is_even)
{
    struct random random;
    random_init(&random, 7);
    for (uint64_t n = 1; n <= 10; n++) {
        size_t seen[10] = {0};
        for (size_t i = 0; i < 1000 * n; i++) {
            const uint64_t value = random_below(&random, n);
            CHECK(value < n);
            seen[value]++;
        }
        for (size_t i = 0; i < n; i++) {
            TEST_CASE("%zu of %zu", i, (size_t)n);
            CHECK(seen[i] > 850 && seen[i] < 1150);
        }
    }
    /* Two thirds of the range: half of the plain remainders would fall below n / 2. */
    const uint64_t wide = UINT64_MAX / 3 * 2;
    size_t low = 0;
    for (int i = 0; i < 10000; i++)
        low += random_below(&random, wide) < wide / 2;
    CHECK(low > 4800 && low < 5200);
}

TEST(random_double_is_below_one)
{
    struct random random;
    random_init(&random, 3);
    double sum = 0;
    for (int i = 0; i < 10000; i++) {
        const double value = random_double(&random);
        CHECK(value >= 0 && value < 1);
        sum += value;
    }
    CHECK(sum > 4900 && sum < 5100);
}

TEST(random_jitter_stays_in_range)
{
    const struct {
        const char *name;
        duration base;
        double factor;
        duration most;
    } cases[] = {
        {"a tenth",             10 * SECOND, 0.1, 11 * SECOND},
        {"zero means one",      10 * SECOND, 0,   20 * SECOND},
        {"negative means one",  10 * SECOND, -3,  20 * SECOND},
        {"nothing to spread",   0,           0.5, 0          },
        {"nothing below zero",  -5,          0.5, -5         },
        {"saturates",           FOREVER,     0.5, FOREVER    },
        {"saturates from half", FOREVER / 2, 100, FOREVER    },
    };
    struct random random;
    random_init(&random, 9);
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        for (int k = 0; k < 1000; k++) {
            const duration value = random_jitter(&random, cases[i].base, cases[i].factor);
            CHECK(value >= cases[i].base && value <= cases[i].most);
        }
    }
}

TEST(random_uuid_has_version_and_variant)
{
    struct random random;
    random_init(&random, 5);
    char text[RANDOM_UUID_LEN + 1], last[RANDOM_UUID_LEN + 1] = "";
    for (int i = 0; i < 1000; i++) {
        const struct str uuid = random_uuid(&random, text);
        TEST_CASE("%s", text);
        CHECK_EQ(uuid.len, (size_t)RANDOM_UUID_LEN);
        CHECK_EQ(text[14], '4');
        CHECK(strchr("89ab", text[19]) != NULL);
        for (size_t k = 0; k < uuid.len; k++) {
            const bool dash = k == 8 || k == 13 || k == 18 || k == 23;
            CHECK(strchr(dash ? "-" : "0123456789abcdef", text[k]) != NULL);
        }
        CHECK(strcmp(text, last) != 0);
        memcpy(last, text, sizeof(last));
    }
}

TEST(random_bytes_fill_exactly)
{
    struct random random;
    random_init(&random, 1);
    for (size_t len = 0; len < 40; len++) {
        unsigned char bytes[48];
        memset(bytes, 0xa5, sizeof(bytes));
        random_bytes(&random, bytes, len);
        for (size_t i = len; i < sizeof(bytes); i++)
            CHECK_EQ(bytes[i], (unsigned char)0xa5);
    }
}

TEST(random_secure_bytes_differ)
{
    unsigned char first[32] = {0}, second[32] = {0};
    random_bytes_secure(first, sizeof(first));
    random_bytes_secure(second, sizeof(second));
    CHECK(memcmp(first, second, sizeof(first)) != 0);
    random_bytes_secure(first, 0);
    struct random one, two;
    random_init_secure(&one);
    random_init_secure(&two);
    CHECK(random_u64(&one) != random_u64(&two));
}
