#include "base/sha1.h"

#include "testing/test.h"

/* Vectors of FIPS 180-4, and the example of RFC 6455, 1.3. */
TEST(sha1_vectors)
{
    const struct {
        const char *name;
        struct str bytes;
        struct str digest;
    } cases[] = {
        {"nothing",           STR(""),
         STR("\xda\x39\xa3\xee\x5e\x6b\x4b\x0d\x32\x55\xbf\xef\x95\x60\x18\x90\xaf\xd8\x07\x09")},
        {"one block",         STR("abc"),
         STR("\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d")},
        {"a WebSocket's key", STR("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"),
         STR("\xb3\x7a\x4f\x2c\xc0\x62\x4f\x16\x90\xf6\x46\x06\xcf\x38\x59\x45\xb2\xbe\xc4\xea")},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t digest[SHA1_LEN];
        TEST_CASE("%s", cases[i].name);
        sha1_of(cases[i].bytes, digest);
        CHECK_EQ(str_from((const char *)digest, SHA1_LEN), cases[i].digest);
    }
}
