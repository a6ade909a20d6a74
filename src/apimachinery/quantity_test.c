#include "apimachinery/quantity.h"

#include "apimachinery/rows_test.h"

/* The member as a number; absent when the call says that there is none. */
static void check_number(const struct json_value *row, const char *name, bool present,
                         int64_t number)
{
    int64_t expected = 0;
    const bool wanted = json_to_int64(json_path(row, name), &expected);
    CHECK_EQ(present, wanted);
    if (present)
        CHECK_EQ(number, expected);
}

static const struct str format_names[] = {
    [QUANTITY_DECIMAL_SI] = STR_INIT("DecimalSI"),
    [QUANTITY_BINARY_SI] = STR_INIT("BinarySI"),
    [QUANTITY_DECIMAL_EXPONENT] = STR_INIT("DecimalExponent"),
};

static void check_texts(const struct json_value *row, const struct quantity *quantity)
{
    SCOPED(buf) canonical = {.limit = 0};
    SCOPED(buf) text = {.limit = 0};
    quantity_write_canonical(&canonical, quantity);
    quantity_write(&text, quantity);
    CHECK_EQ(buf_str(&canonical), json_path_str(row, "canonical"));
    CHECK_EQ(buf_str(&text), json_path_str(row, "json"));
    if (json_get(row, STR("string")))
        CHECK_EQ(buf_str(&text), json_path_str(row, "string"));
    CHECK_EQ(format_names[quantity->format], json_path_str(row, "format"));
}

static void check_numbers(const struct json_value *row, const struct quantity *quantity)
{
    int64_t number = 0, value = 0;
    check_number(row, "sign", true, quantity_sign(quantity));
    const bool has_value = quantity_value(quantity, &value);
    check_number(row, "value", has_value, value);
    const bool has_milli = quantity_milli(quantity, &number);
    check_number(row, "milli", has_milli, number);
}

/* Both texts are read as the same number again. */
static void check_round_trip(const struct quantity *quantity)
{
    struct quantity again;
    SCOPED(buf) text = {.limit = 0};
    quantity_write_canonical(&text, quantity);
    CHECK_OK(quantity_read(buf_str(&text), &again));
    CHECK_EQ(quantity_cmp(quantity, &again), 0);
}

TEST(quantity_oracle)
{
    size_t rows = 0;
    ROWS_FOREACH(row, "oracle/quantities.jsonl")
    {
        struct quantity quantity;
        struct error *err = quantity_read(json_path_str(row, "in"), &quantity);
        rows++;
        if (json_get(row, STR("error"))) {
            CHECK(err);
            CHECK_EQ(str_from_c(err->message), json_path_str(row, "error"));
            error_free(err);
            continue;
        }
        CHECK_OK(err);
        check_texts(row, &quantity);
        check_numbers(row, &quantity);
        check_round_trip(&quantity);
    }
    CHECK_EQ(rows, (size_t)120);
}

TEST(quantity_order)
{
    const char *sorted[] = {"-1e30", "-9Ei", "-2Ki", "-2k", "-1.5", "-1m", "0",   "1n",
                            "1u",    "0.1",  "1",    "1.5", "1k",   "1Ki", "1e9", "1Gi",
                            "1E",    "1Ei",  "8Ei",  "10E", "1e30", "2e30"};
    for (size_t i = 0; i < COUNT(sorted); i++)
        for (size_t j = 0; j < COUNT(sorted); j++) {
            struct quantity a, b;
            TEST_CASE("%s, %s", sorted[i], sorted[j]);
            CHECK_OK(quantity_read(str_from_c(sorted[i]), &a));
            CHECK_OK(quantity_read(str_from_c(sorted[j]), &b));
            const int cmp = quantity_cmp(&a, &b);
            CHECK_EQ((cmp > 0) - (cmp < 0), (i > j) - (i < j));
        }
}

TEST(quantity_beyond_the_oracle)
{
    const struct {
        const char *in, *canonical;
    } cases[] = {
        {"1000E",                "1e21"                },
        {"-9Ei",                 "-9223372036854775807"},
        {"0.0000000019",         "2n"                  },
        {"-0.0000000011",        "-2n"                 },
        {"9.9999999999",         "10"                  },
        {"999999999.9999999999", "1G"                  },
        {"0.0000001Ki",          "102400n"             },
        {"1e2147483647",         "10e2147483646"       },
        {"1e-2147483648",        "1e-9"                },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct quantity quantity;
        SCOPED(buf) text = {.limit = 0};
        TEST_CASE("%s", cases[i].in);
        CHECK_OK(quantity_read(str_from_c(cases[i].in), &quantity));
        quantity_write_canonical(&text, &quantity);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].canonical));
    }
    struct quantity quantity;
    CHECK_ERROR(quantity_read(STR("1e2147483648"), &quantity), ERROR_PARSE);
    CHECK_ERROR(quantity_read(STR("1e99999999999999999999"), &quantity), ERROR_PARSE);
}

TEST(quantity_of_the_longest_text)
{
    char text[QUANTITY_TEXT_MAX + 1];
    struct quantity quantity;
    memset(text, '9', sizeof(text));
    CHECK_ERROR(quantity_read(str_from(text, sizeof(text)), &quantity), ERROR_PARSE);
    text[QUANTITY_TEXT_MAX - 2] = 'E';
    text[QUANTITY_TEXT_MAX - 1] = 'i';
    CHECK_OK(quantity_read(str_from(text, QUANTITY_TEXT_MAX), &quantity));
    SCOPED(buf) out = {.limit = 0};
    quantity_write(&out, &quantity);
    CHECK_EQ(buf_str(&out), STR("9223372036854775807"));
    text[0] = '.';
    CHECK_OK(quantity_read(str_from(text, QUANTITY_TEXT_MAX), &quantity));
}
