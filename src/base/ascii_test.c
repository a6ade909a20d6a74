#include "base/ascii.h"

#include <ctype.h>
#include <limits.h>

#include "testing/test.h"

/* The C locale, which a test program starts in, knows ASCII alone. */
TEST(ascii_classes_are_those_of_the_c_locale)
{
    for (int i = 0; i <= UCHAR_MAX; i++) {
        const char c = (char)i;
        TEST_CASE("the character %d", i);
        CHECK_EQ(ascii_is_digit(c), isdigit(i) != 0);
        CHECK_EQ(ascii_is_lower(c), islower(i) != 0);
        CHECK_EQ(ascii_is_upper(c), isupper(i) != 0);
        CHECK_EQ(ascii_is_letter(c), isalpha(i) != 0);
        CHECK_EQ(ascii_is_alphanumeric(c), isalnum(i) != 0);
        CHECK_EQ(ascii_is_hex(c), isxdigit(i) != 0);
        CHECK_EQ(ascii_hex_value(c) >= 0, isxdigit(i) != 0);
        CHECK_EQ(ascii_is_space(c), isspace(i) != 0);
        CHECK_EQ((unsigned char)ascii_to_lower(c), (unsigned char)tolower(i));
    }
}

TEST(ascii_hex_digits_have_values)
{
    const char digits[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    for (int i = 0; i < 16; i++) {
        CHECK_EQ(ascii_hex_value(digits[i]), i);
        CHECK_EQ(ascii_hex_value(upper[i]), i);
    }
}
