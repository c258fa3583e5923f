/* Makes the symbols on the lines of its input readable, as the agent does; for test_demangle_oracle.py. */
#include "agent/symbolize/demangle.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    static struct demangle room;
    static char symbol[1 << 16], name[1 << 16];
    while (fgets(symbol, sizeof symbol, stdin)) {
        symbol[strcspn(symbol, "\n")] = 0;
        demangle(&room, symbol, name, sizeof name);
        puts(name);
    }
    return 0;
}
