/*
 * Resolves scalars as go-yaml v2 does (resolve.go). The first character decides what a plain scalar
 * can be, so ordinary text costs one table lookup. An explicit tag asks for a type and may not fit.
 */
#include "json/yaml/yaml_scalar.h"

static const struct {
    struct str full;
    enum scalar_tag tag;
    const char *name;
} tags[] = {
    {STR_INIT("tag:yaml.org,2002:str"),       SCALAR_TAG_STR,       "!!str"      },
    {STR_INIT("tag:yaml.org,2002:int"),       SCALAR_TAG_INT,       "!!int"      },
    {STR_INIT("tag:yaml.org,2002:float"),     SCALAR_TAG_FLOAT,     "!!float"    },
    {STR_INIT("tag:yaml.org,2002:bool"),      SCALAR_TAG_BOOL,      "!!bool"     },
    {STR_INIT("tag:yaml.org,2002:null"),      SCALAR_TAG_NULL,      "!!null"     },
    {STR_INIT("tag:yaml.org,2002:timestamp"), SCALAR_TAG_TIMESTAMP, "!!timestamp"},
    {STR_INIT("tag:yaml.org,2002:binary"),    SCALAR_TAG_BINARY,    "!!binary"   },
    {STR_INIT("tag:yaml.org,2002:merge"),     SCALAR_TAG_MERGE,     "!!merge"    },
};

#define WORD_MAX 5

/* As doubles; the macros of math.h are floats. */
#define INF          __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

/* Words with a meaning. A word is compared as one integer, so the array is padded with NULs. */
static const struct word {
    char text[sizeof(uint64_t)];
    enum scalar_type type;
    double value; /* truth of a boolean, or the number */
} words[] = {
    {"y",     SCALAR_BOOL,       1           },
    {"Y",     SCALAR_BOOL,       1           },
    {"yes",   SCALAR_BOOL,       1           },
    {"Yes",   SCALAR_BOOL,       1           },
    {"YES",   SCALAR_BOOL,       1           },
    {"true",  SCALAR_BOOL,       1           },
    {"True",  SCALAR_BOOL,       1           },
    {"TRUE",  SCALAR_BOOL,       1           },
    {"on",    SCALAR_BOOL,       1           },
    {"On",    SCALAR_BOOL,       1           },
    {"ON",    SCALAR_BOOL,       1           },
    {"n",     SCALAR_BOOL,       0           },
    {"N",     SCALAR_BOOL,       0           },
    {"no",    SCALAR_BOOL,       0           },
    {"No",    SCALAR_BOOL,       0           },
    {"NO",    SCALAR_BOOL,       0           },
    {"false", SCALAR_BOOL,       0           },
    {"False", SCALAR_BOOL,       0           },
    {"FALSE", SCALAR_BOOL,       0           },
    {"off",   SCALAR_BOOL,       0           },
    {"Off",   SCALAR_BOOL,       0           },
    {"OFF",   SCALAR_BOOL,       0           },
    {"~",     SCALAR_NULL,       0           },
    {"null",  SCALAR_NULL,       0           },
    {"Null",  SCALAR_NULL,       0           },
    {"NULL",  SCALAR_NULL,       0           },
    {".nan",  SCALAR_NOT_FINITE, NOT_A_NUMBER},
    {".NaN",  SCALAR_NOT_FINITE, NOT_A_NUMBER},
    {".NAN",  SCALAR_NOT_FINITE, NOT_A_NUMBER},
    {".inf",  SCALAR_NOT_FINITE, INF         },
    {".Inf",  SCALAR_NOT_FINITE, INF         },
    {".INF",  SCALAR_NOT_FINITE, INF         },
    {"+.inf", SCALAR_NOT_FINITE, INF         },
    {"+.Inf", SCALAR_NOT_FINITE, INF         },
    {"+.INF", SCALAR_NOT_FINITE, INF         },
    {"-.inf", SCALAR_NOT_FINITE, -INF        },
    {"-.Inf", SCALAR_NOT_FINITE, -INF        },
    {"-.INF", SCALAR_NOT_FINITE, -INF        },
};

/* What the first character allows a plain scalar to be. */
enum hint { HINT_TEXT, HINT_WORD, HINT_DOT, HINT_SIGN, HINT_DIGIT };

static const unsigned char hints[256] = {
    ['0' ... '9'] = HINT_DIGIT, ['+'] = HINT_SIGN, ['-'] = HINT_SIGN, ['.'] = HINT_DOT,
    ['~'] = HINT_WORD,          ['y'] = HINT_WORD, ['Y'] = HINT_WORD, ['n'] = HINT_WORD,
    ['N'] = HINT_WORD,          ['t'] = HINT_WORD, ['T'] = HINT_WORD, ['f'] = HINT_WORD,
    ['F'] = HINT_WORD,          ['o'] = HINT_WORD, ['O'] = HINT_WORD,
};

static enum hint hint_of(char first)
{
    return (enum hint)hints[(unsigned char)first];
}

/* libyaml expands "!!int" to its full form before it reports a tag. */
enum scalar_tag scalar_tag_from(struct str tag)
{
    for (size_t i = 0; i < COUNT(tags); i++)
        if (str_eq(tags[i].full, tag))
            return tags[i].tag;
    return tag.len ? SCALAR_TAG_OTHER : SCALAR_TAG_NONE;
}

const char *scalar_tag_name(enum scalar_tag tag)
{
    for (size_t i = 0; i < COUNT(tags); i++)
        if (tags[i].tag == tag)
            return tags[i].name;
    return "";
}

const char *scalar_type_name(const struct scalar *scalar)
{
    switch (scalar->type) {
    case SCALAR_NULL:
        return "!!null";
    case SCALAR_BOOL:
        return "!!bool";
    case SCALAR_NUMBER:
        return scalar->number.type == SCALAR_FLOAT ? "!!float" : "!!int";
    case SCALAR_NOT_FINITE:
        return "!!float";
    case SCALAR_TIMESTAMP:
        return "!!timestamp";
    case SCALAR_BINARY:
        return "!!binary";
    default:
        return "!!str";
    }
}

/* A text that ends in NUL is excluded, since it would equal the padded word. */
static const struct word *find_word(struct str text)
{
    uint64_t wanted = 0, seen;
    if (text.len > WORD_MAX || text.ptr[text.len - 1] == '\0')
        return NULL;
    memcpy(&wanted, text.ptr, text.len);
    for (const struct word *word = words; word < words + COUNT(words); word++) {
        memcpy(&seen, word->text, sizeof(seen));
        if (seen == wanted)
            return word;
    }
    return NULL;
}

static struct scalar word_to_scalar(const struct word *word)
{
    switch (word->type) {
    case SCALAR_BOOL:
        return (struct scalar){.type = SCALAR_BOOL, .boolean = word->value != 0};
    case SCALAR_NOT_FINITE:
        return (struct scalar){.type = SCALAR_NOT_FINITE, .real = word->value};
    default:
        return (struct scalar){.type = word->type};
    }
}

/* The type of the text without a tag. Timestamps stay text unless wants_timestamp is set. */
static struct scalar guess_scalar(struct str text, bool wants_timestamp)
{
    const struct scalar string = {.type = SCALAR_STRING};
    if (text.len == 0)
        return (struct scalar){.type = SCALAR_NULL};
    const enum hint hint = hint_of(text.ptr[0]);
    if (hint == HINT_TEXT)
        return string;
    const struct word *word = hint == HINT_DIGIT ? NULL : find_word(text);
    if (word)
        return word_to_scalar(word);
    if (hint == HINT_WORD)
        return string;
    if (wants_timestamp && scalar_is_timestamp(text))
        return (struct scalar){.type = SCALAR_TIMESTAMP};
    const struct scalar_number number =
        hint == HINT_DOT ? scalar_number_read_fraction(text) : scalar_number_read(text);
    return number.type ? (struct scalar){.type = SCALAR_NUMBER, .number = number} : string;
}

/* !!float turns an integer into a float, but not one above int64, as in go-yaml. */
static bool accept_float(struct scalar *scalar)
{
    if (scalar->type == SCALAR_NOT_FINITE)
        return true;
    if (scalar->type != SCALAR_NUMBER || scalar->number.type == SCALAR_UINT)
        return false;
    scalar->number =
        (struct scalar_number){SCALAR_FLOAT, .real = scalar_number_to_double(scalar->number)};
    return true;
}

/* Quoted text without a tag is a string. Tags for strings and unknown tags keep the text. */
bool scalar_resolve(enum scalar_tag tag, bool plain, struct str text, struct scalar *ret_scalar)
{
    *ret_scalar = (struct scalar){.type = SCALAR_STRING};
    switch (tag) {
    case SCALAR_TAG_NONE:
        if (plain && (text.len == 0 || hint_of(text.ptr[0]) != HINT_TEXT))
            *ret_scalar = guess_scalar(text, false);
        return true;
    case SCALAR_TAG_BINARY:
        ret_scalar->type = SCALAR_BINARY;
        return true;
    case SCALAR_TAG_STR:
    case SCALAR_TAG_MERGE:
    case SCALAR_TAG_OTHER:
        return true;
    default:
        break;
    }
    *ret_scalar = guess_scalar(text, tag == SCALAR_TAG_TIMESTAMP);
    switch (tag) {
    case SCALAR_TAG_INT:
        return ret_scalar->type == SCALAR_NUMBER && ret_scalar->number.type != SCALAR_FLOAT;
    case SCALAR_TAG_FLOAT:
        return accept_float(ret_scalar);
    case SCALAR_TAG_BOOL:
        return ret_scalar->type == SCALAR_BOOL;
    case SCALAR_TAG_NULL:
        return ret_scalar->type == SCALAR_NULL;
    default:
        return ret_scalar->type == SCALAR_TIMESTAMP;
    }
}
