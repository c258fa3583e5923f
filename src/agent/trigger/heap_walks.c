#include "agent/trigger/heap_walks.h"

struct heap_walks heap_walks;
