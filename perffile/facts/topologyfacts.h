/* Decoders of the features that describe the hardware of a machine. */
#ifndef READPERF_PERFFILE_FACTS_TOPOLOGYFACTS_H
#define READPERF_PERFFILE_FACTS_TOPOLOGYFACTS_H

struct work;

void facts_cpu_topology(struct work *work);
void facts_numa_topology(struct work *work);
void facts_caches(struct work *work);
void facts_mem_topology(struct work *work);
void facts_hybrid_topology(struct work *work);
void facts_cpu_domains(struct work *work);

#endif
