/* The PMUs that set probes. */
#ifndef SAMPLE_EVENTS_PROBE_PMU_H
#define SAMPLE_EVENTS_PROBE_PMU_H

#include <stdbool.h>
#include <stdint.h>

/* The type of events of uprobes, or of kprobes; false if this kernel has none. */
bool probe_pmu_type(bool kernel, uint32_t *type);

#endif
