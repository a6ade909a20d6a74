#include "json/yaml_scalar.h"

#include <math.h>

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

/* Words with a meaning, by type; real is used by the last three. */
static const struct word {
    struct str text;
    enum scalar_type type;
    double value;
} words[] = {
    {STR_INIT("y"),     SCALAR_BOOL,       1        },
    {STR_INIT("Y"),     SCALAR_BOOL,       1        },
    {STR_INIT("yes"),   SCALAR_BOOL,       1        },
    {STR_INIT("Yes"),   SCALAR_BOOL,       1        },
    {STR_INIT("YES"),   SCALAR_BOOL,       1        },
    {STR_INIT("true"),  SCALAR_BOOL,       1        },
    {STR_INIT("True"),  SCALAR_BOOL,       1        },
    {STR_INIT("TRUE"),  SCALAR_BOOL,       1        },
    {STR_INIT("on"),    SCALAR_BOOL,       1        },
    {STR_INIT("On"),    SCALAR_BOOL,       1        },
    {STR_INIT("ON"),    SCALAR_BOOL,       1        },
    {STR_INIT("n"),     SCALAR_BOOL,       0        },
    {STR_INIT("N"),     SCALAR_BOOL,       0        },
    {STR_INIT("no"),    SCALAR_BOOL,       0        },
    {STR_INIT("No"),    SCALAR_BOOL,       0        },
    {STR_INIT("NO"),    SCALAR_BOOL,       0        },
    {STR_INIT("false"), SCALAR_BOOL,       0        },
    {STR_INIT("False"), SCALAR_BOOL,       0        },
    {STR_INIT("FALSE"), SCALAR_BOOL,       0        },
    {STR_INIT("off"),   SCALAR_BOOL,       0        },
    {STR_INIT("Off"),   SCALAR_BOOL,       0        },
    {STR_INIT("OFF"),   SCALAR_BOOL,       0        },
    {STR_INIT("~"),     SCALAR_NULL,       0        },
    {STR_INIT("null"),  SCALAR_NULL,       0        },
    {STR_INIT("Null"),  SCALAR_NULL,       0        },
    {STR_INIT("NULL"),  SCALAR_NULL,       0        },
    {STR_INIT(".nan"),  SCALAR_NOT_FINITE, NAN      },
    {STR_INIT(".NaN"),  SCALAR_NOT_FINITE, NAN      },
    {STR_INIT(".NAN"),  SCALAR_NOT_FINITE, NAN      },
    {STR_INIT(".inf"),  SCALAR_NOT_FINITE, INFINITY },
    {STR_INIT(".Inf"),  SCALAR_NOT_FINITE, INFINITY },
    {STR_INIT(".INF"),  SCALAR_NOT_FINITE, INFINITY },
    {STR_INIT("+.inf"), SCALAR_NOT_FINITE, INFINITY },
    {STR_INIT("+.Inf"), SCALAR_NOT_FINITE, INFINITY },
    {STR_INIT("+.INF"), SCALAR_NOT_FINITE, INFINITY },
    {STR_INIT("-.inf"), SCALAR_NOT_FINITE, -INFINITY},
    {STR_INIT("-.Inf"), SCALAR_NOT_FINITE, -INFINITY},
    {STR_INIT("-.INF"), SCALAR_NOT_FINITE, -INFINITY},
};

#define WORD_MAX 5

/* What the first character allows the text to be. */
enum hint { HINT_TEXT, HINT_WORD, HINT_DOT, HINT_NUMBER };

static enum hint hint_of(char first)
{
    switch (first) {
    case '0' ... '9':
    case '+':
    case '-':
        return HINT_NUMBER;
    case '.':
        return HINT_DOT;
    case 'y':
    case 'Y':
    case 'n':
    case 'N':
    case 't':
    case 'T':
    case 'f':
    case 'F':
    case 'o':
    case 'O':
    case '~':
        return HINT_WORD;
    default:
        return HINT_TEXT;
    }
}

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

static bool find_word(struct str text, struct scalar *ret_scalar)
{
    if (text.len > WORD_MAX)
        return false;
    for (const struct word *word = words; word < words + COUNT(words); word++) {
        if (!str_eq(word->text, text))
            continue;
        ret_scalar->type = word->type;
        if (word->type == SCALAR_BOOL)
            ret_scalar->boolean = word->value != 0;
        else if (word->type == SCALAR_NOT_FINITE)
            ret_scalar->real = word->value;
        return true;
    }
    return false;
}

/* The type that the text has by itself; a timestamp only where one is asked for. */
static struct scalar guess(struct str text, bool wants_timestamp)
{
    struct scalar scalar = {.type = SCALAR_STRING};
    if (text.len == 0)
        return (struct scalar){.type = SCALAR_NULL};
    const enum hint hint = hint_of(text.ptr[0]);
    if (hint == HINT_TEXT || find_word(text, &scalar) || hint == HINT_WORD)
        return scalar;
    if (hint == HINT_NUMBER && wants_timestamp && scalar_is_timestamp(text))
        return (struct scalar){.type = SCALAR_TIMESTAMP};
    const struct scalar_number number =
        hint == HINT_DOT ? scalar_number_read_fraction(text) : scalar_number_read(text);
    if (number.type)
        scalar = (struct scalar){.type = SCALAR_NUMBER, .number = number};
    return scalar;
}

/* A float tag turns an integer into a float, but not one above int64. */
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

bool scalar_resolve(enum scalar_tag tag, bool plain, struct str text, struct scalar *ret_scalar)
{
    *ret_scalar = (struct scalar){.type = SCALAR_STRING};
    switch (tag) {
    case SCALAR_TAG_NONE:
        if (plain)
            *ret_scalar = guess(text, false);
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
    *ret_scalar = guess(text, tag == SCALAR_TAG_TIMESTAMP);
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
