/*
 * Decides which binary a mapping shows, from the names in MMAP and KSYMBOL records, and where the
 * kernel and its modules are. Format reference, 8.4 to 8.6.
 */
#ifndef READPERF_DECODE_MACHINE_MAPPING_H
#define READPERF_DECODE_MACHINE_MAPPING_H

#include "decode/machine/processes.h"
#include "perffile/session/session.h"

struct mappings {
	struct processes *processes; /* borrowed; the mappings are added to their address spaces */
	struct binaries *binaries;   /* borrowed; the binaries are added here */
	struct strings *strings;     /* borrowed */
	struct space *kernel;        /* the kernel's modules, and what KSYMBOL records added */
	struct space_map kernel_map; /* the kernel itself; the mappings in `kernel` lie over it */
	uint32_t kernel_binary;      /* UINT32_MAX: no record said where the kernel is */
	uint64_t kernel_changes;     /* how often kernel or kernel_map may have changed */
	bool anonymous_code; /* anonymous code was mapped, so a new mapping may change the binary of
	                        another one */
	struct map jit_dumps;  /* pid -> string, the path of the process's jitdump file */
	uint32_t mapped_dump;  /* string: the jitdump file that the last MMAP record mapped;
	                          STRING_EMPTY: none */
	struct map table_ids;  /* name -> number of its entry in the session's BUILD_ID table */
	size_t table_ids_read; /* number of entries that are in table_ids */
};

/* Code that a jitdump file has, at the addresses where it was loaded. */
struct loaded_code {
	uint32_t path;       /* string: of the file */
	int32_t pid;         /* of the process, as the file's mapping had it */
	uint64_t start, end; /* addresses */
	uint64_t place;      /* offset in the file of its bytes */
	uint64_t room;       /* number of bytes that are there */
};

/*
 * False with err set when memory is refused; the same holds for all functions below.
 * mappings_release() must be called in any case.
 */
bool mappings_init(struct mappings *mappings, struct processes *processes,
                   struct binaries *binaries, struct err *err);
/* Call it before the processes are released. */
void mappings_release(struct mappings *mappings);
/*
 * Applies a record that changes processes or mappings, and is not damaged; others change nothing.
 * exec_known: see processes_comm(). False with err set when memory is refused.
 */
bool mapping_record(struct mappings *mappings, const struct record *record, bool exec_known,
                    struct err *err);
/* Applies an MMAP or MMAP2 record. */
bool mapping_mmap(struct mappings *mappings, const struct record *record, struct err *err);
/* The mapping that covers a kernel address, or NULL. Valid until the next lookup or record. */
static inline const struct space_map *mapping_kernel_find(const struct mappings *mappings,
                                                          uint64_t addr)
{
	const struct space_map *map = space_find(mappings->kernel, addr);

	/* the mappings of modules and others may lie inside of the kernel's own range */
	if (!map && addr >= mappings->kernel_map.start && addr < mappings->kernel_map.end)
		map = &mappings->kernel_map;
	return map;
}
/*
 * Maps code that a process loaded; where a file is mapped, nothing changes. *reused is set if other
 * such code was there.
 */
bool mapping_load(struct mappings *mappings, uint32_t process, const struct loaded_code *code,
                  bool *reused, struct err *err);
/* If no record said where the kernel is, assumes that it is everywhere. */
bool mapping_default_kernel(struct mappings *mappings, struct err *err);
/*
 * If the mappings of a binary had no build id, sets that of the session's BUILD_ID table. In files
 * the table is complete; in pipes it has only what has arrived so far.
 */
bool mapping_complete_build_id(struct mappings *mappings, const struct session *session,
                               struct binary *binary, struct err *err);
/*
 * After the last record: adds what only the features of the session say about binaries, mainly
 * their build ids.
 */
bool mapping_finish(struct mappings *mappings, struct session *session, struct err *err);

#endif
