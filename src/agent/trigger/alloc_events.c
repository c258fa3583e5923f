#include "agent/trigger/alloc_events.h"

struct alloc_events alloc_events;
