/* A recursive descent through the mangling grammar of the Itanium C++ ABI (section 5.1). Most functions read the production that has their
 * name. Parts that later parts may refer to (S_, S0_, ...) are remembered in the order in which they end. After a failure, the rest of the
 * symbol counts as empty and parts may be NULL, which saves checks. */
#include "agent/symbolize/demangle.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 96, NUMBER_MAX = 100000 };

/* ---- the bytes ---- */

static struct tree *fail(struct demangle *d)
{
    d->failed = true;
    d->at += strlen(d->at);
    return NULL;
}

static bool starts(const struct demangle *d, const char *text)
{
    return !strncmp(d->at, text, strlen(text));
}

static bool take(struct demangle *d, const char *text)
{
    if (!starts(d, text))
        return false;
    d->at += strlen(text);
    return true;
}

static void expect(struct demangle *d, const char *text)
{
    if (!take(d, text))
        fail(d);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a number: decimal, or base 36 with capital letters. */
static unsigned number(struct demangle *d, unsigned base)
{
    unsigned n = 0;
    for (; is_digit(*d->at) || (base == 36 && *d->at >= 'A' && *d->at <= 'Z'); d->at++)
        if (n < NUMBER_MAX)
            n = n * base + (unsigned)(is_digit(*d->at) ? *d->at - '0' : *d->at - 'A' + 10);
    if (n >= NUMBER_MAX)
        fail(d);
    return n;
}

/* Reads an ordinal: "_" is 0, "0_" is 1, and so on. */
static unsigned ordinal(struct demangle *d, unsigned base)
{
    unsigned n = *d->at == '_' ? 0 : number(d, base) + 1;
    expect(d, "_");
    return n;
}

/* ---- the parts ---- */

static struct tree *make(struct demangle *d, struct tree t)
{
    if (d->nodes == DEMANGLE_NODES)
        return fail(d);
    t.open = t.kind == TREE_PARAMETER || (t.left && t.left->open) || (t.right && t.right->open);
    d->node[d->nodes] = t;
    return &d->node[d->nodes++];
}

static struct tree *join(struct demangle *d, enum tree_kind kind, const char *text, struct tree *left, struct tree *right)
{
    return make(d, (struct tree){.kind = kind, .text = text, .length = strlen(text), .left = left, .right = right});
}

static struct tree *format(struct demangle *d, const char *text, struct tree *left, struct tree *right)
{
    return join(d, TREE_FORMAT, text, left, right);
}

static struct tree *numbered(struct tree *t, unsigned number)
{
    if (t)
        t->number = number;
    return t;
}

static struct tree *word(struct demangle *d, const char *text)
{
    return join(d, TREE_TEXT, text, NULL, NULL);
}

/* Returns the next bytes of the symbol unchanged. */
static struct tree *verbatim(struct demangle *d, size_t length)
{
    const char *text = d->at;
    d->at += length;
    return make(d, (struct tree){.kind = TREE_TEXT, .text = text, .length = length});
}

struct list {
    struct tree *first, *last;
};

static void append(struct demangle *d, struct list *l, struct tree *item)
{
    struct tree *t = join(d, TREE_LIST, "", item, NULL);
    if (!t)
        return;
    if (l->last)
        l->last->right = t;
    else
        l->first = t;
    l->last = t;
    l->first->open |= t->open; /* the first element's flag applies to the whole list */
}

static struct tree *element(struct tree *list, unsigned n)
{
    while (list && n--)
        list = list->right;
    return list ? list->left : NULL;
}

static struct tree *remember(struct demangle *d, struct tree *t)
{
    if (d->substitutions == DEMANGLE_SUBSTITUTIONS)
        return fail(d);
    d->substitution[d->substitutions++] = t;
    return t;
}

/* Returns the part with its T_ bound to the arguments of the template whose signature is being read. A function's signature may refer to a
 * part of the signature of another function, whose T_ had another meaning. */
static struct tree *rebound(struct demangle *d, struct tree *t)
{
    if (!t || d->failed || (!t->open && t->kind != TREE_LIST))
        return t;
    struct tree copy = *t;
    if (t->kind == TREE_PARAMETER)
        copy.left = element(d->arguments, t->number - 1);
    else {
        copy.left = rebound(d, t->left);
        copy.right = rebound(d, t->right);
    }
    return make(d, copy);
}

static struct tree *type(struct demangle *d);
static struct tree *name(struct demangle *d);
static struct tree *encoding(struct demangle *d);

/* ---- references to what was read before ---- */

/* Reads a substitution after its S. */
static struct tree *substitution(struct demangle *d)
{
#define CHAR_STREAM(class) "std::" class "<char, std::char_traits<char> >", class
    static const struct {
        char code[2];
        const char *full, *last;
    } standard[] = {
        {"a", "std::allocator", "allocator"},
        {"b", "std::basic_string", "basic_string"},
        {"s", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string"},
        {"i", CHAR_STREAM("basic_istream")},
        {"o", CHAR_STREAM("basic_ostream")},
        {"d", CHAR_STREAM("basic_iostream")},
    };
    if (take(d, "t"))
        return word(d, "std");
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (take(d, standard[i].code))
            return join(d, TREE_SCOPE, standard[i].full, NULL, word(d, standard[i].last));
    unsigned n = ordinal(d, 36);
    return n < d->substitutions ? rebound(d, d->substitution[n]) : fail(d);
}

/* Reads a template parameter after its T. The parameters of a lambda, which are of type auto, have no argument. Those of a conversion's
 * name are known later. */
static struct tree *template_parameter(struct demangle *d)
{
    unsigned n = ordinal(d, 10);
    struct tree *argument = d->converting ? NULL : element(d->arguments, n);
    struct tree *t = numbered(join(d, TREE_PARAMETER, "auto:\3", argument, NULL), n + 1);
    if (d->converting)
        d->forward = t;
    return t;
}

/* ---- names without what qualifies them ---- */

static struct tree *source_name(struct demangle *d)
{
    size_t length = number(d, 10);
    if (!length || strnlen(d->at, length) < length)
        return fail(d);
    struct tree *t = verbatim(d, length);
    return t && length > 9 && !memcmp(t->text, "_GLOBAL_", 8) && t->text[9] == 'N' ? word(d, "(anonymous namespace)") : t;
}

static struct tree *conversion(struct demangle *d)
{
    d->converting = true;
    struct tree *to = type(d);
    d->converting = false;
    return join(d, TREE_STRUCTOR, "operator \1", to, NULL);
}

static struct tree *operator_name(struct demangle *d)
{
    static const struct {
        char code[3];
        const char *name;
    } operators[] = {
        {"aN", "operator&="},        {"aS", "operator="},  {"aa", "operator&&"},      {"ad", "operator&"},    {"an", "operator&"},
        {"aw", "operator co_await"}, {"cl", "operator()"}, {"cm", "operator,"},       {"co", "operator~"},    {"dV", "operator/="},
        {"da", "operator delete[]"}, {"de", "operator*"},  {"dl", "operator delete"}, {"dv", "operator/"},    {"eO", "operator^="},
        {"eo", "operator^"},         {"eq", "operator=="}, {"ge", "operator>="},      {"gt", "operator>"},    {"ix", "operator[]"},
        {"lS", "operator<<="},       {"le", "operator<="}, {"ls", "operator<<"},      {"lt", "operator<"},    {"mI", "operator-="},
        {"mL", "operator*="},        {"mi", "operator-"},  {"ml", "operator*"},       {"mm", "operator--"},   {"na", "operator new[]"},
        {"ne", "operator!="},        {"ng", "operator-"},  {"nt", "operator!"},       {"nw", "operator new"}, {"oR", "operator|="},
        {"oo", "operator||"},        {"or", "operator|"},  {"pL", "operator+="},      {"pl", "operator+"},    {"pm", "operator->*"},
        {"pp", "operator++"},        {"ps", "operator+"},  {"pt", "operator->"},      {"rM", "operator%="},   {"rS", "operator>>="},
        {"rm", "operator%"},         {"rs", "operator>>"}, {"ss", "operator<=>"}};
    if (take(d, "cv"))
        return conversion(d);
    if (take(d, "li"))
        return format(d, "operator\"\" \1", source_name(d), NULL);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (take(d, operators[i].code))
            return word(d, operators[i].name);
    return fail(d);
}

/* Reads the parameters of a function, up to the mark that ends them. */
static struct tree *parameters(struct demangle *d)
{
    struct list list = {0};
    if (take(d, "v"))
        return NULL;
    while (*d->at && *d->at != 'E' && !starts(d, "RE") && !starts(d, "OE"))
        append(d, &list, type(d));
    return list.first;
}

static struct tree *lambda(struct demangle *d)
{
    struct tree *outer = d->arguments;
    d->arguments = NULL;
    struct tree *t = format(d, "{lambda(\1)#\3}", parameters(d), NULL);
    d->arguments = outer;
    expect(d, "E");
    if (t)
        t->open = false;
    return numbered(t, ordinal(d, 10) + 1);
}

/* Returns the name of a class's constructor: the last component, without template arguments. */
static struct tree *class_name(struct tree *t)
{
    while (t && (t->kind == TREE_SCOPE || t->kind == TREE_TEMPLATE || t->kind == TREE_TAGGED))
        t = t->kind == TREE_SCOPE ? t->right : t->left;
    return t;
}

static struct tree *structor(struct demangle *d, const char *form, struct tree *class)
{
    if (is_digit(*d->at))
        d->at++; /* the variant, for a complete object, a base or allocation, does not matter here */
    else
        fail(d);
    return join(d, TREE_STRUCTOR, form, class_name(class), NULL);
}

static struct tree *unqualified_name(struct demangle *d, struct tree *scope)
{
    struct tree *t;
    take(d, "L"); /* internal linkage */
    if (is_digit(*d->at))
        t = source_name(d);
    else if (take(d, "Ut"))
        t = numbered(format(d, "{unnamed type#\3}", NULL, NULL), ordinal(d, 10) + 1);
    else if (take(d, "Ul"))
        t = lambda(d);
    else if (scope && take(d, "C"))
        t = structor(d, "\1", scope);
    else if (scope && take(d, "D"))
        t = structor(d, "~\1", scope);
    else
        t = operator_name(d);
    while (take(d, "B"))
        t = join(d, TREE_TAGGED, "\1[abi:\2]", t, source_name(d));
    return t;
}

/* ---- templates ---- */

/* Reads a literal after its L: a value of some type, or the name of a function or variable. */
static struct tree *literal(struct demangle *d)
{
    static const struct {
        char code[2];
        const char *form;
    } forms[] = {{"i", "\1"},   {"j", "\1u"},   {"l", "\1l"},      {"m", "\1ul"},
                 {"x", "\1ll"}, {"y", "\1ull"}, {"f", "(\2)[\1]"}, {"d", "(\2)[\1]"}};
    const char *form = "(\2)\1";
    if (take(d, "_Z")) {
        struct tree *t = encoding(d);
        expect(d, "E");
        return t && t->kind == TREE_ENCODING ? t->left : t;
    }
    if (starts(d, "b0E") || starts(d, "b1E")) {
        bool value = d->at[1] == '1';
        d->at += 3;
        return word(d, value ? "true" : "false");
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (starts(d, forms[i].code))
            form = forms[i].form;
    struct tree *of = type(d);
    bool negative = take(d, "n");
    struct tree *value = verbatim(d, strcspn(d->at, "E"));
    expect(d, "E");
    return format(d, form, negative ? format(d, "-\1", value, NULL) : value, of);
}

static struct tree *template_argument(struct demangle *d);

/* Reads template arguments after the letter that opens them. */
static struct tree *template_arguments(struct demangle *d)
{
    struct list list = {0};
    while (*d->at && *d->at != 'E')
        append(d, &list, template_argument(d));
    expect(d, "E");
    return list.first;
}

static bool enter(struct demangle *d)
{
    if (d->depth == DEPTH_MAX)
        fail(d);
    else
        d->depth++;
    return !d->failed;
}

/* Reads a template argument. Of all expressions only addresses are supported, because others are very rare in names. */
static struct tree *template_argument(struct demangle *d)
{
    struct tree *t;
    if (!enter(d))
        return NULL;
    if (take(d, "L"))
        t = literal(d);
    else if (take(d, "J") || take(d, "I")) /* gcc wrote I until 4.7 */
        t = join(d, TREE_PACK, "", template_arguments(d), NULL);
    else if (take(d, "XadL")) {
        t = format(d, "&\1", literal(d), NULL);
        expect(d, "E");
    } else
        t = type(d);
    d->depth--;
    return t;
}

/* Reads the arguments of a template after the I. */
static struct tree *template(struct demangle *d, struct tree *of)
{
    struct tree *forward = d->forward;
    d->forward = NULL;
    struct tree *arguments = template_arguments(d);
    if (forward)
        forward->left = element(arguments, forward->number - 1);
    return join(d, TREE_TEMPLATE, "", of, arguments);
}

/* ---- qualified names ---- */

static unsigned cv_qualifiers(struct demangle *d)
{
    unsigned bits = take(d, "r") ? TREE_RESTRICT : 0;
    bits |= take(d, "V") ? TREE_VOLATILE : 0;
    return bits | (take(d, "K") ? TREE_CONST : 0);
}

static unsigned ref_qualifier(struct demangle *d)
{
    return take(d, "R") ? TREE_LVALUE : take(d, "O") ? TREE_RVALUE : 0;
}

/* Reads a nested name after the N. The first component has no qualifier and may be a reference, which need not be remembered. */
static struct tree *nested_name(struct demangle *d)
{
    unsigned qualifiers = cv_qualifiers(d) | ref_qualifier(d);
    struct tree *t = NULL;
    while (*d->at && *d->at != 'E') {
        bool known = !t && *d->at == 'S';
        if (t && take(d, "I"))
            t = template(d, t);
        else if (t)
            t = join(d, TREE_SCOPE, "\1::\2", t, unqualified_name(d, t));
        else if (take(d, "S"))
            t = substitution(d);
        else if (take(d, "T"))
            t = template_parameter(d);
        else
            t = *d->at == 'Z' ? name(d) : unqualified_name(d, NULL);
        take(d, "M"); /* the variable whose initializer contains a lambda */
        if (!known && *d->at != 'E')
            remember(d, t);
    }
    expect(d, "E");
    d->qualifiers = qualifiers;
    return t;
}

/* Skips the number that distinguishes local names with the same spelling. */
static void discriminator(struct demangle *d)
{
    if (take(d, "__")) {
        number(d, 10);
        expect(d, "_");
    } else if (*d->at == '_' && is_digit(d->at[1]))
        d->at += 2;
}

/* Reads a local name after the Z. */
static struct tree *local_name(struct demangle *d)
{
    struct tree *function = encoding(d);
    expect(d, "E");
    if (take(d, "d")) /* it is in a default argument */
        function = numbered(format(d, "\1::{default arg#\3}", function, NULL), ordinal(d, 10) + 1);
    struct tree *local = take(d, "s") ? word(d, "string literal") : name(d);
    discriminator(d);
    return join(d, TREE_SCOPE, "\1::\2", function, local);
}

static struct tree *unscoped_name(struct demangle *d)
{
    struct tree *t;
    bool known = false;
    if (take(d, "St"))
        t = join(d, TREE_SCOPE, "\1::\2", word(d, "std"), unqualified_name(d, NULL));
    else if (take(d, "S")) {
        t = substitution(d);
        known = true;
    } else
        t = unqualified_name(d, NULL);
    if (!take(d, "I"))
        return t;
    return template(d, known ? t : remember(d, t));
}

static struct tree *name(struct demangle *d)
{
    if (!enter(d))
        return NULL;
    struct tree *t;
    if (take(d, "N"))
        t = nested_name(d);
    else if (take(d, "Z"))
        t = local_name(d);
    else {
        t = unscoped_name(d);
        d->qualifiers = 0;
    }
    d->depth--;
    return t;
}

/* ---- types ---- */

/* Reads a builtin type; NULL if it is none. No references to it exist, because it is short. */
static struct tree *builtin(struct demangle *d)
{
    static const struct {
        const char *code, *name;
    } types[] = {{"Da", "auto"},
                 {"Dc", "decltype(auto)"},
                 {"Dh", "half"},
                 {"Di", "char32_t"},
                 {"Dn", "decltype(nullptr)"},
                 {"Ds", "char16_t"},
                 {"Du", "char8_t"},
                 {"a", "signed char"},
                 {"b", "bool"},
                 {"c", "char"},
                 {"d", "double"},
                 {"e", "long double"},
                 {"f", "float"},
                 {"g", "__float128"},
                 {"h", "unsigned char"},
                 {"i", "int"},
                 {"j", "unsigned int"},
                 {"l", "long"},
                 {"m", "unsigned long"},
                 {"n", "__int128"},
                 {"o", "unsigned __int128"},
                 {"s", "short"},
                 {"t", "unsigned short"},
                 {"v", "void"},
                 {"w", "wchar_t"},
                 {"x", "long long"},
                 {"y", "unsigned long long"},
                 {"z", "..."},
                 {"DF16_", "_Float16"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (take(d, types[i].code))
            return word(d, types[i].name);
    return NULL;
}

static bool at_function(const struct demangle *d)
{
    return *d->at == 'F' || starts(d, "DoF");
}

/* Reads a function type. qualifiers: those of the member function, if it is one. */
static struct tree *function(struct demangle *d, unsigned qualifiers)
{
    qualifiers |= take(d, "Do") ? TREE_NOEXCEPT : 0;
    expect(d, "F");
    take(d, "Y"); /* extern "C" */
    struct tree *result = type(d);
    struct tree *t = join(d, TREE_FUNCTION, "", result, parameters(d));
    qualifiers |= ref_qualifier(d);
    expect(d, "E");
    return numbered(t, qualifiers);
}

static struct tree *qualified(struct demangle *d)
{
    unsigned qualifiers = cv_qualifiers(d);
    if (at_function(d))
        return function(d, qualifiers);
    return numbered(join(d, TREE_QUALIFIED, "", type(d), NULL), qualifiers);
}

/* Reads a bound after the A or Dv. */
static struct tree *bound(struct demangle *d)
{
    struct tree *t = verbatim(d, strspn(d->at, "0123456789"));
    expect(d, "_");
    return t;
}

/* Reads a type that is a template parameter. The argument may itself be a template: then references to it without its own arguments exist,
 * too. */
static struct tree *parameter_type(struct demangle *d)
{
    struct tree *t = template_parameter(d);
    if (d->converting || !take(d, "I"))
        return t;
    return template(d, remember(d, t));
}

static struct tree *compound(struct demangle *d)
{
    static const struct {
        const char *code;
        enum tree_kind kind;
        const char *text;
    } kinds[] = {
        {"P", TREE_POINTER, "*"},          {"R", TREE_POINTER, "&"},   {"O", TREE_POINTER, "&&"},
        {"C", TREE_FORMAT, "\1 _Complex"}, {"Dp", TREE_EXPANSION, ""},
    };
    if (at_function(d))
        return function(d, 0);
    if (*d->at == 'r' || *d->at == 'V' || *d->at == 'K')
        return qualified(d);
    if (take(d, "T"))
        return parameter_type(d);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (take(d, kinds[i].code))
            return join(d, kinds[i].kind, kinds[i].text, type(d), NULL);
    if (take(d, "A")) {
        struct tree *size = bound(d);
        return join(d, TREE_ARRAY, "", type(d), size);
    }
    if (take(d, "Dv")) {
        struct tree *size = bound(d);
        return format(d, "\1 __vector(\2)", type(d), size);
    }
    if (take(d, "M")) {
        struct tree *class = type(d);
        return join(d, TREE_MEMBER, "", class, type(d));
    }
    if (take(d, "U")) {
        struct tree *vendor = source_name(d);
        return format(d, "\1 \2", type(d), vendor);
    }
    return name(d);
}

static struct tree *type(struct demangle *d)
{
    if (!enter(d))
        return NULL;
    struct tree *t = builtin(d);
    if (!t && !starts(d, "St") && take(d, "S")) {
        t = substitution(d);
        if (take(d, "I"))
            t = remember(d, template(d, t));
    } else if (!t)
        t = remember(d, compound(d));
    d->depth--;
    return t;
}

/* ---- symbols ---- */

static struct tree *last_component(struct tree *t)
{
    while (t && t->kind == TREE_SCOPE)
        t = t->right;
    return t;
}

/* Reads a function with its parameters, as in the names of its local entities, or a variable. Only templates encode their return type, and
 * only if it is not known otherwise. */
static struct tree *encoding(struct demangle *d)
{
    struct tree *outer = d->arguments;
    if (!enter(d))
        return NULL;
    struct tree *t = name(d), *last = last_component(t);
    unsigned qualifiers = d->qualifiers;
    bool of_template = last && last->kind == TREE_TEMPLATE;
    d->arguments = of_template ? last->right : NULL;
    if (*d->at != 'E') {
        last = of_template ? last_component(last->left) : NULL;
        if (last && last->kind != TREE_STRUCTOR)
            type(d);
        t = join(d, TREE_ENCODING, "", t, numbered(join(d, TREE_FUNCTION, "", NULL, parameters(d)), qualifiers));
        if (t)
            t->open = false;
    }
    d->arguments = outer;
    d->depth--;
    return t;
}

/* Reads how far a thunk moves the object: after "h" one number, after "v" two. */
static void call_offset(struct demangle *d)
{
    for (int numbers = take(d, "v") ? 2 : take(d, "h"); numbers; numbers--) {
        take(d, "n");
        number(d, 10);
        expect(d, "_");
    }
}

/* Reads a function, or a function that the compiler made for another. */
static struct tree *symbol_name(struct demangle *d)
{
    static const struct {
        const char *code, *form;
    } made[] = {{"Tc", "covariant return thunk to \1"},
                {"TH", "TLS init function for \1"},
                {"TW", "TLS wrapper function for \1"},
                {"GTt", "transaction clone for \1"}};
    if (starts(d, "Th") || starts(d, "Tv")) {
        const char *form = *++d->at == 'h' ? "non-virtual thunk to \1" : "virtual thunk to \1";
        call_offset(d);
        return format(d, form, name(d), NULL);
    }
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (take(d, made[i].code)) {
            call_offset(d); /* "Tc" has two of them */
            call_offset(d);
            return format(d, made[i].form, name(d), NULL);
        }
    return name(d);
}

bool demangle(struct demangle *d, const char *symbol, char *out, size_t size)
{
    d->at = symbol;
    d->arguments = d->forward = NULL;
    d->depth = d->nodes = d->substitutions = 0;
    d->failed = d->converting = false;
    struct tree *t = take(d, "_Z") ? symbol_name(d) : fail(d);
    if (!d->failed && tree_print(t, out, size))
        return true;
    snprintf(out, size, "%s", symbol);
    return false;
}
