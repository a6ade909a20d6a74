/*
 * Sets of characters: collecting ranges, and reading classes and escapes.
 *
 * A class is a list of ranges in any order, which may overlap, until regexp_class_normalize() sorts
 * and joins them. The names and the messages are those of Go's regexp/syntax package. Functions
 * called take_… read from the front of *rest and move it behind what they have read.
 */
#include "base/regexp/regexp_class.h"

#include "base/array.h"
#include "base/ascii.h"

void regexp_class_add(struct regexp_class *class, uint32_t low, uint32_t high)
{
    ARRAY_PUSH(class->items, class->count, class->capacity, (struct regexp_range){low, high});
}

void regexp_class_done(struct regexp_class *class)
{
    mem_free(class->items);
}

/* Adds the part of the range that lies in [low, high], shifted. */
static void add_common(struct regexp_class *class, struct regexp_range range, uint32_t low,
                       uint32_t high, int32_t shift)
{
    const uint32_t from = range.low > low ? range.low : low;
    const uint32_t to = range.high < high ? range.high : high;
    if (from <= to)
        regexp_class_add(class, (uint32_t)((int32_t)from + shift), (uint32_t)((int32_t)to + shift));
}

/* Ranges that are added here lie behind count and are not folded again. */
void regexp_class_fold(struct regexp_class *class)
{
    const size_t count = class->count;
    for (size_t i = 0; i < count; i++) {
        add_common(class, class->items[i], 'a', 'z', 'A' - 'a');
        add_common(class, class->items[i], 'A', 'Z', 'a' - 'A');
    }
}

static int range_cmp(const void *a, const void *b)
{
    const struct regexp_range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

void regexp_class_normalize(struct regexp_class *class)
{
    size_t count = 0;
    if (class->count)
        qsort(class->items, class->count, sizeof(class->items[0]), range_cmp);
    for (size_t i = 0; i < class->count; i++) {
        const struct regexp_range range = class->items[i];
        struct regexp_range *last = count ? &class->items[count - 1] : NULL;
        if (!last || range.low > last->high + 1)
            class->items[count++] = range;
        else if (range.high > last->high)
            last->high = range.high;
    }
    class->count = count;
}

/* Adds every character that is not in the other class, which is normalized on the way. */
static void add_negated(struct regexp_class *class, struct regexp_class *other)
{
    uint32_t next = 0;
    regexp_class_normalize(other);
    for (size_t i = 0; i < other->count; i++) {
        if (other->items[i].low > next)
            regexp_class_add(class, next, other->items[i].low - 1);
        if (other->items[i].high >= next)
            next = other->items[i].high + 1;
    }
    if (next <= RUNE_MAX)
        regexp_class_add(class, next, RUNE_MAX);
}

/*
 * Names of classes and pairs of first and last characters. The first three are Perl's \d, \s and
 * \w.
 */
static const struct {
    struct str name;
    const char *ends;
} named[] = {
    {STR_INIT("d"),      "09"            },
    {STR_INIT("s"),      "\t\n\f\r  "    },
    {STR_INIT("w"),      "09AZ__az"      },
    {STR_INIT("alnum"),  "09AZaz"        },
    {STR_INIT("alpha"),  "AZaz"          },
    {STR_INIT("blank"),  "\t\t  "        },
    {STR_INIT("cntrl"),  "\1\037\177\177"},
    {STR_INIT("digit"),  "09"            },
    {STR_INIT("graph"),  "!~"            },
    {STR_INIT("lower"),  "az"            },
    {STR_INIT("print"),  " ~"            },
    {STR_INIT("punct"),  "!/:@[`{~"      },
    {STR_INIT("space"),  "\t\r  "        },
    {STR_INIT("upper"),  "AZ"            },
    {STR_INIT("word"),   "09AZ__az"      },
    {STR_INIT("xdigit"), "09AFaf"        },
};

/* False when no class has this name. */
static bool add_named(struct regexp_class *class, struct str name, bool negated)
{
    for (size_t i = 0; i < COUNT(named); i++) {
        if (!str_eq(named[i].name, name))
            continue;
        SCOPED(regexp_class) set = {.items = NULL};
        for (const char *end = named[i].ends; *end; end += 2)
            regexp_class_add(negated ? &set : class, (uint32_t)end[0], (uint32_t)end[1]);
        if (negated)
            add_negated(class, &set);
        return true;
    }
    return false;
}

/* The upper-case letter of a class means its negation. */
bool regexp_class_take_perl(struct str *rest, struct regexp_class *class)
{
    if (rest->len < 2 || rest->ptr[0] != '\\' || !memchr("dDsSwW", rest->ptr[1], 6))
        return false;
    const char letter = (char)(rest->ptr[1] | 0x20);
    add_named(class, str_from(&letter, 1), rest->ptr[1] != letter);
    *rest = str_skip(*rest, 2);
    return true;
}

/* The name behind "\p": a letter, or what is in braces; false when there is no such thing. */
static bool take_category(struct str *rest, struct str *ret_name)
{
    struct str behind = str_skip(*rest, 2);
    if (!behind.len)
        return false;
    if (behind.ptr[0] != '{') {
        *ret_name = str_slice(behind, 0, 1);
        *rest = str_skip(behind, 1);
        return true;
    }
    behind = str_skip(behind, 1);
    if (!str_cut(&behind, '}', ret_name))
        return false;
    *rest = behind;
    return true;
}

struct error *regexp_class_take_unicode(struct str *rest, struct regexp_class *class,
                                        bool *ret_taken)
{
    const struct str start = *rest;
    SCOPED(regexp_class) set = {.items = NULL};
    struct str name;
    *ret_taken = rest->len >= 2 && rest->ptr[0] == '\\' && (rest->ptr[1] | 0x20) == 'p';
    if (!*ret_taken)
        return NULL;
    if (!take_category(rest, &name))
        return regexp_syntax_error("invalid character class range", start);
    const bool inverted = str_starts_with(name, STR("^"));
    if (class->count > REGEXP_RANGES_MAX)
        return regexp_syntax_error("expression too large", start);
    if (!regexp_unicode_add(&set, str_skip(name, inverted)))
        return regexp_syntax_error("invalid character class range",
                                   str_slice(start, 0, start.len - rest->len));
    if ((start.ptr[1] == 'P') != inverted) {
        add_negated(class, &set);
        return NULL;
    }
    for (size_t i = 0; i < set.count; i++)
        regexp_class_add(class, set.items[i].low, set.items[i].high);
    return NULL;
}

/* "\x41" with two digits, or "\x{1F600}" with any number of them. */
static struct error *take_hex(struct str *rest, uint32_t *ret_rune)
{
    struct str digits = str_slice(*rest, 2, 4);
    size_t used = 4;
    if (digits.len && digits.ptr[0] == '{') {
        struct str behind = str_skip(*rest, 3);
        if (!str_cut(&behind, '}', &digits) || digits.len == 0)
            return regexp_syntax_error("invalid escape sequence", *rest);
        used = 3 + digits.len + 1;
    } else if (digits.len < 2) {
        return regexp_syntax_error("invalid escape sequence", *rest);
    }
    uint32_t rune = 0;
    for (size_t i = 0; i < digits.len; i++) {
        const int digit = ascii_hex_value(digits.ptr[i]);
        rune = rune * 16 + (uint32_t)digit;
        if (digit < 0 || rune > RUNE_MAX)
            return regexp_syntax_error("invalid escape sequence", str_slice(*rest, 0, used));
    }
    *rest = str_skip(*rest, used);
    *ret_rune = rune;
    return NULL;
}

/*
 * "\0", "\012", "\123": up to three digits. A single digit from 1 on would refer to a group, which
 * Go does not have; it is not taken.
 */
static bool take_octal(struct str *rest, uint32_t *ret_rune)
{
    const struct str digits = str_skip(*rest, 1);
    if (digits.ptr[0] != '0' && (digits.len < 2 || digits.ptr[1] < '0' || digits.ptr[1] > '7'))
        return false;
    uint32_t rune = 0;
    size_t i = 0;
    for (; i < digits.len && i < 3 && digits.ptr[i] >= '0' && digits.ptr[i] <= '7'; i++)
        rune = rune * 8 + (uint32_t)(digits.ptr[i] - '0');
    *rest = str_skip(digits, i);
    *ret_rune = rune;
    return true;
}

/* Any ASCII punctuation may be escaped. Letters and digits may not, unless they have a meaning. */
struct error *regexp_class_take_escape(struct str *rest, uint32_t *ret_rune)
{
    static const char letters[] = "aftnrv", runes[] = "\a\f\t\n\r\v";
    if (rest->len < 2)
        return regexp_syntax_error("trailing backslash at end of expression", STR(""));
    const char c = rest->ptr[1], *letter = memchr(letters, c, sizeof(letters) - 1);
    if (c == 'x')
        return take_hex(rest, ret_rune);
    if (c >= '0' && c <= '7' && take_octal(rest, ret_rune))
        return NULL;
    if (!letter && (ascii_is_alphanumeric(c) || (c & 0x80)))
        return regexp_syntax_error("invalid escape sequence", str_slice(*rest, 0, 2));
    *ret_rune = (uint32_t)(letter ? runes[letter - letters] : c);
    *rest = str_skip(*rest, 2);
    return NULL;
}

/*
 * "[:alpha:]" inside of a class. *ret_taken is false for text of another form, which is then read
 * as single characters. The end is found, however far away, or there is an error: so all searches
 * together take no longer than the expression.
 */
static struct error *take_posix(struct str *rest, const char *last_end, struct regexp_class *class,
                                bool *ret_taken)
{
    *ret_taken = str_starts_with(*rest, STR("[:")) && last_end && rest->ptr + 2 <= last_end;
    if (!*ret_taken)
        return NULL;
    const size_t end = str_find(str_skip(*rest, 2), STR(":]"));
    struct str name = str_slice(*rest, 2, 2 + end);
    const bool negated = name.len && name.ptr[0] == '^';
    if (name.len - negated < 2 || !add_named(class, str_skip(name, negated), negated))
        return regexp_syntax_error("invalid character class range", str_slice(*rest, 0, end + 4));
    *rest = str_skip(*rest, end + 4);
    return NULL;
}

/* One end of a range. whole is the text from the "[" on, for the message. */
static struct error *take_rune(struct str *rest, struct str whole, uint32_t *ret_rune)
{
    if (rest->len == 0)
        return regexp_syntax_error("missing closing ]", whole);
    if (rest->ptr[0] == '\\')
        return regexp_class_take_escape(rest, ret_rune);
    *ret_rune = regexp_take_rune(rest);
    return NULL;
}

/* One character or a range. A '-' in front of the closing bracket is a character. */
static struct error *take_range(struct str *rest, struct str whole, struct regexp_class *class)
{
    const struct str start = *rest;
    uint32_t low = 0, high = 0;
    TRY(take_rune(rest, whole, &low));
    high = low;
    if (rest->len >= 2 && rest->ptr[0] == '-' && rest->ptr[1] != ']') {
        *rest = str_skip(*rest, 1);
        TRY(take_rune(rest, whole, &high));
    }
    if (high < low)
        return regexp_syntax_error("invalid character class range",
                                   str_slice(start, 0, start.len - rest->len));
    regexp_class_add(class, low, high);
    return NULL;
}

/*
 * A ']' directly behind the opening "[" or "[^" is a character, not the end. The class is folded
 * before it is negated: (?i)[^a] must not accept 'A'.
 */
struct error *regexp_class_take(struct str *rest, const char *last_end, unsigned flags,
                                struct regexp_class *class)
{
    const struct str whole = *rest;
    SCOPED(regexp_class) set = {.items = NULL};
    *rest = str_skip(*rest, 1);
    const bool negated = rest->len && rest->ptr[0] == '^';
    *rest = str_skip(*rest, negated);
    bool first = true, taken;
    for (; rest->len == 0 || rest->ptr[0] != ']' || first; first = false) {
        if (regexp_class_take_perl(rest, &set))
            continue;
        TRY(regexp_class_take_unicode(rest, &set, &taken));
        if (taken)
            continue;
        TRY(take_posix(rest, last_end, &set, &taken));
        if (!taken)
            TRY(take_range(rest, whole, &set));
    }
    *rest = str_skip(*rest, 1);
    if (flags & REGEXP_FOLD)
        regexp_class_fold(&set);
    if (negated)
        add_negated(class, &set);
    for (size_t i = 0; !negated && i < set.count; i++)
        regexp_class_add(class, set.items[i].low, set.items[i].high);
    return NULL;
}
