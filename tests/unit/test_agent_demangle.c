/* Demangling of C++ names: one symbol for each production of the grammar, names that are left as they are, and damaged symbols.
 * test_demangle_oracle.py compares with c++filt on whole libraries.
 * tier: quick
 * timeout: 120 */
#include "../tap.h"

#include "agent/symbolize/demangle.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct demangle room;

static const struct {
    const char *symbol, *name;
} known[] = {
    {"_ZN10JavaThread3runEv", "JavaThread::run"},
    {"_Z4mainiPPc", "main"},
    {"_ZL6helperv", "helper"},
    {"_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f"},
    {"_Z1fB5cxx11v", "f[abi:cxx11]"},
    /* constructors, destructors, operators */
    {"_ZN1AIiEC2ERKS0_", "A<int>::A"},
    {"_ZN1AD0Ev", "A::~A"},
    {"_ZNSsC1Ev", "std::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string"},
    {"_ZN1AaSERKS_", "A::operator="},
    {"_ZN1AlsIiEEvv", "A::operator<< <int>"},
    {"_ZN1AnwEm", "A::operator new"},
    {"_ZNK6ZErrnocvbEv", "ZErrno::operator bool"},
    {"_ZN1AcvT_IiEEv", "A::operator int<int>"},
    {"_Zli2_sPKc", "operator\"\" _s"},
    /* templates, and what may be between their brackets */
    {"_Z8get_nodeI20StringTableLookupOopEvRT_", "get_node<StringTableLookupOop>"},
    {"_ZN1AIS_IS_IiEEE1fEv", "A<A<A<int> > >::f"},
    {"_ZN1BILb1ELi5ELj5ELm5ELl5ELin5ELc65EL1E3EE1fEv", "B<true, 5, 5u, 5ul, 5l, -5, (char)65, (E)3>::f"},
    {"_ZN1BIJiJcdEEE1fEv", "B<int, char, double>::f"},
    {"_ZN1BIXadL_ZN1C1fEvEEXadL_Z1giEEE1fEv", "B<&C::f, &g>::f"},
    {"_ZN1BIFvvEPFivEM1CKFvvERA2_iMS3_cE1fEv", "B<void (), int (*)(), void (C::*)() const, int (&) [2], char C::*>::f"},
    {"_ZN1BIPKcPVKcPKPFvvEOiDnE1fEv", "B<char const*, char const volatile*, void (* const*)(), int&&, decltype(nullptr)>::f"},
    {"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int> >::push_back"},
    /* what stands in functions */
    {"_ZZ1fPFPFvvEiEE1x", "f(void (*(*)(int))())::x"},
    {"_ZZ1fA2_A3_iE1x_0", "f(int [2][3])::x"},
    {"_ZZNK1A1fEvE1x", "A::f() const::x"},
    {"_ZZ1fIJicEEvDpOT_E1x", "f<int, char>(int&&, char&&)::x"},
    {"_ZZ1fIJEEviDpOT_E1x", "f<>(int)::x"},
    {"_ZZ1fIRiEvOT_E1x", "f<int&>(int&)::x"},
    {"_ZZN1A1fEvENKUlvE0_clEv", "A::f()::{lambda()#2}::operator()"},
    {"_ZZ1fvENKUlT_E_clIiEEDaS_", "f()::{lambda(auto:1)#1}::operator()<int>"},
    {"_ZZ1fvENUt_1gEv", "f()::{unnamed type#1}::g"},
    {"_Z1gIZ1fIZS0_IiEvT_EUlvE_EvS1_EUlvE_Evv", "g<f<f<int>(int)::{lambda()#1}>(f<int>(int)::{lambda()#1})::{lambda()#1}>"},
    /* made by the compiler */
    {"_ZThn8_N1A1fEi", "non-virtual thunk to A::f"},
    {"_ZTcv0_n24_v0_n32_N1A1fEi", "covariant return thunk to A::f"},
    {"_ZN1A1fEi.constprop.0.isra.0.cold", "A::f"},
    {"_Z1fi.part.0", "f"},
};

static void test_known(void)
{
    char name[256];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool read = demangle(&room, known[i].symbol, name, sizeof name);
        tap_ok(read && !strcmp(name, known[i].name), "%s is %s (%s)", known[i].symbol, known[i].name, name);
    }
}

static void test_left_alone(void)
{
    static const char *const symbols[] = {
        "",         "main",      "JVM_Clone.cold",          "_Z", "_ZN", "_ZTV1A", "_RNvC6_123foo3bar", "_ZN99999999999999999999A",
        "_ZN5abcE", "_ZNS_1fEv", "_ZN1BIXplLi1ELi2EEE1fEv", /* an expression */
    };
    char name[256];
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        bool read = demangle(&room, symbols[i], name, sizeof name);
        tap_ok(!read && !strcmp(name, symbols[i]), "\"%s\" stays as it is (%s)", symbols[i], name);
    }
}

static void test_room(void)
{
    char name[16];
    memset(name, 'x', sizeof name);
    tap_ok(demangle(&room, "_ZN10JavaThread3runEv", name, 8) && !strcmp(name, "JavaThr") && name[8] == 'x',
           "a name is cut to the caller's room");
    tap_ok(demangle(&room, "_ZN10JavaThread3runEv", name, 1) && !*name, "be it nothing but the end");
    tap_ok(!demangle(&room, "a_function_of_c", name, 4) && !strcmp(name, "a_f"), "so is a name that is not of C++");
}

#define DIGIT(n) "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n]

/* Symbols whose names would be endless, or nested without end. */
static void *bombs(void *unused)
{
    static char symbol[100000], name[512];
    size_t n = (size_t)snprintf(symbol, sizeof symbol, "_ZN1AI");
    memset(symbol + n, 'P', sizeof symbol - n - 1);
    tap_ok(!demangle(&room, symbol, name, sizeof name), "pointers to pointers, 100000 deep");
    for (n = 2; n < sizeof symbol - 4; n += 3)
        memcpy(symbol + n, "1AI", 3);
    tap_ok(!demangle(&room, symbol, name, sizeof name), "templates in templates");
    n = (size_t)snprintf(symbol, sizeof symbol, "_Z1fI1BIiE");
    for (int i = 0; i < 30; i++)
        n += (size_t)snprintf(symbol + n, sizeof symbol - n, "S0_IS%c_S%c_E", DIGIT(i + 1), DIGIT(i + 1));
    snprintf(symbol + n, sizeof symbol - n, "Evv");
    tap_ok(demangle(&room, symbol, name, sizeof name) && strlen(name) == sizeof name - 1, "a name of 2^30 letters is cut, not counted out");
    n = (size_t)snprintf(symbol, sizeof symbol, "_ZZ1fIiEFvFvllE");
    for (int i = 0; i < 30; i++)
        n += (size_t)snprintf(symbol + n, sizeof symbol - n, "FvS%c_S%c_E", DIGIT(i), DIGIT(i));
    snprintf(symbol + n, sizeof symbol - n, "EDpS%c_E1x", DIGIT(30));
    tap_ok(!demangle(&room, symbol, name, sizeof name), "nor is a pack sought in 2^30 places");
    n = (size_t)snprintf(symbol, sizeof symbol, "_ZZ1fIiEFvPi");
    for (int i = 0; i < 230; i++)
        n += (size_t)snprintf(symbol + n, sizeof symbol - n, "PS%c%c_", DIGIT(i / 36), DIGIT(i % 36));
    snprintf(symbol + n, sizeof symbol - n, "ES%c%c_E1x", DIGIT(230 / 36), DIGIT(230 % 36));
    tap_ok(!demangle(&room, symbol, name, sizeof name), "nor are 231 stars written, each on top of the last");
    return NULL;
}

/* On a stack as small as the stack of the agent's thread. */
static void test_bombs(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 512 * 1024);
    tap_ok(!pthread_create(&thread, &attributes, bombs, NULL) && !pthread_join(thread, NULL), "within a small stack");
    pthread_attr_destroy(&attributes);
}

static unsigned long seed = 1;

static size_t draw(size_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static const char *any(void)
{
    return known[draw(sizeof known / sizeof *known)].symbol;
}

/* Bytes are changed, cut out and inserted, and the rest of another symbol is appended. The memory has exactly the length of the symbol,
 * so that AddressSanitizer detects a byte too far. */
static void test_damage(void)
{
    static const char *const pieces[] = {"S_", "T_", "S0_", "Dp", "PF", "NK", "IJ", "ZN", "E", "St", "9", "\377"};
    unsigned read = 0, rounds = 50000;
    for (unsigned i = 0; i < rounds; i++) {
        char symbol[512];
        size_t length = (size_t)snprintf(symbol, sizeof symbol, "%s", any());
        for (size_t k = 1 + draw(3); k; k--) {
            const char *other = draw(2) ? pieces[draw(sizeof pieces / sizeof *pieces)] : any();
            size_t from = draw(strlen(other)), at = draw(length + 1);
            length = at + (size_t)snprintf(symbol + at, sizeof symbol / 2 - at, "%s%s", other + from, draw(2) ? any() : "");
            length = strnlen(symbol, sizeof symbol / 2 - 1);
        }
        size_t size = 1 + draw(100);
        char *copy = strdup(symbol), *name = malloc(size);
        read += demangle(&room, copy, name, size);
        if (!memchr(name, 0, size))
            tap_ok(false, "%s: the name ends", symbol);
        free(name);
        free(copy);
    }
    tap_ok(read > 0 && read < rounds, "%u damaged symbols, %u of them names still", rounds, read);
}

int main(void)
{
    test_known();
    test_left_alone();
    test_room();
    test_bombs();
    test_damage();
    return tap_done();
}
