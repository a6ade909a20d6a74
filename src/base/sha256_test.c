#include "base/sha256.h"

#include "testing/test.h"

/* Vectors of FIPS 180-4 and of the ClusterResourceSet hash. */
TEST(sha256_vectors)
{
    const struct {
        const char *name;
        struct str bytes;
        const char *hex;
    } cases[] = {
        {"nothing",        STR(""),                                                         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"one block",      STR("abc"),
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"                                                                                   },
        {"two blocks",     STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"                                                                                   },
        {"a resource",
         STR("metadata:\n name: resource-configmap\n namespace: default\nkind: ConfigMap\n"
             "apiVersion: v1"),
         "e385c6897ab8e3ff1be042d3797f4b7c2e4f39482d6c17c3a39b22efa04a682d"                                                                                   },
        {"several values", STR("xyz"),
         "3608bca1e44ea6c4d268eb6db02260269892c0b42b86bbf1e77a6fa16c3c9282"                                                                                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint8_t digest[SHA256_LEN];
        char text[SHA256_HEX_LEN + 1];
        TEST_CASE("%s", cases[i].name);
        sha256_of(cases[i].bytes, digest);
        CHECK_EQ(sha256_hex(digest, text), str_from_c(cases[i].hex));
    }
}

/* Where the pieces are cut makes no difference. */
TEST(sha256_of_pieces)
{
    char bytes[150];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)i;
    uint8_t whole[SHA256_LEN];
    sha256_of(str_from(bytes, sizeof(bytes)), whole);
    for (size_t cut = 0; cut <= sizeof(bytes); cut++) {
        SCOPED(sha256) sha = {0};
        uint8_t digest[SHA256_LEN];
        sha256_add(&sha, str_from(bytes, cut));
        sha256_add(&sha, (struct str){0});
        sha256_add(&sha, str_from(bytes + cut, sizeof(bytes) - cut));
        sha256_finish(&sha, digest);
        CHECK_EQ(memcmp(digest, whole, sizeof(whole)), 0);
    }
}

TEST(sha256_can_be_used_again_or_abandoned)
{
    SCOPED(sha256) sha = {0};
    uint8_t digest[SHA256_LEN], empty[SHA256_LEN];
    sha256_add(&sha, STR("abc"));
    sha256_finish(&sha, digest);
    sha256_finish(&sha, digest);
    sha256_of(STR(""), empty);
    CHECK_EQ(memcmp(digest, empty, sizeof(empty)), 0);
    sha256_add(&sha, STR("left unfinished, and released all the same"));
}

TEST(sha256_start_is_the_start_of_all_digits)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1], text[SHA256_HEX_LEN + 1];
    sha256_of(STR("abc"), digest);
    sha256_hex(digest, hex);
    CHECK_EQ(sha256_start(STR("abc"), 12, text), STR("ba7816bf8f01"));
    CHECK_EQ(text[12], '\0');
    CHECK_EQ(sha256_start(STR("abc"), SHA256_HEX_LEN, text), str_from_c(hex));
}
