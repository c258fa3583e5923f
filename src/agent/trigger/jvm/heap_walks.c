#include "agent/trigger/jvm/heap_walks.h"

struct heap_walks heap_walks;
