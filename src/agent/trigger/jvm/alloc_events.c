#include "agent/trigger/jvm/alloc_events.h"

struct alloc_events alloc_events;
