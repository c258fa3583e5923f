/* Libraries for test_agent_libraries.c: `first` and `second` have functions with different names and lengths at the same addresses. */
#define JOIN2(a, b) a##b
#define JOIN(a, b)  JOIN2(a, b)

__asm__(".section .gnu_debuglinX, \"\", %progbits\n"
        ".string \"named.debug\"\n"
        ".balign 4\n"
        ".long 0\n"
        ".previous\n");

static int hidden(int x) __asm__("hidden_function");

__attribute__((noinline)) static int hidden(int x)
{
    for (int i = 0; i < LENGTH; i++)
        __asm__ volatile("" : "+r"(x));
    return x;
}

#pragma GCC visibility push(default)
extern int (*const hidden_address)(int);
int JOIN(NAMED, _function)(int x);
int JOIN(NAMED, _other)(int x);
#pragma GCC visibility pop

int (*const hidden_address)(int) = hidden;

int JOIN(NAMED, _function)(int x)
{
    return hidden(x) + LENGTH;
}

int JOIN(NAMED, _other)(int x)
{
    return hidden(x) * LENGTH;
}
