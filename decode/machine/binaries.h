/*
 * What was mapped: the identity of each binary, as the recording tells it. Where its file is and
 * what its addresses are called is the work of locate.h and symbols.h.
 */
#ifndef READPERF_DECODE_MACHINE_BINARIES_H
#define READPERF_DECODE_MACHINE_BINARIES_H

#include "util/hash.h"
#include "util/origperf.h"
#include "util/strings.h"

enum binary_kind {
	BINARY_UNKNOWN, /* no map covers the address: "[unknown]" */
	BINARY_FILE,    /* a path; addresses are file offsets */
	BINARY_KERNEL,  /* "[kernel.kallsyms]"; addresses are absolute */
	BINARY_MODULE,  /* "[name]"; addresses are offsets from the module's start */
	BINARY_VDSO,    /* "[vdso]", "[vdso32]", "[vdsox32]"; addresses are file offsets */
	BINARY_JIT,     /* anonymous executable memory of one process; addresses are absolute */
	BINARY_JITDUMP, /* code of a jitdump file; addresses are its bytes' offsets there */
	BINARY_KSYMBOL, /* one KSYMBOL record (BPF, trampolines); addresses are offsets from its
	                   start */
	BINARY_SPECIAL  /* "[vsyscall]", "[uprobes]", "[hypervisor]" ...: no symbols exist */
};

struct build_id {
	uint8_t bytes[PERF_BUILD_ID_SIZE];
	uint8_t size; /* bytes in use; 0: not known */
};

/* Equal as far as both are known (format reference, 8.8). False if either is not known. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Lower-case hex and a NUL; text has room for 2 * PERF_BUILD_ID_SIZE + 1 bytes. */
void build_id_format(const struct build_id *id, char *text);

/* Whether a machine of that name (uname -m) has 64 bits. */
bool machine_is_64_bit(const char *machine);

/* A part of a file that some process had mapped as code: [offset, offset + size) of the file. */
struct binary_extent {
	uint64_t offset, size;
};

#define BINARY_EXTENTS 4 /* most files are mapped in the same one by all processes */

struct binary {
	enum binary_kind kind;
	uint32_t name; /* string: as tables print it */
	uint32_t path; /* string: as the recording names the file; empty if none */
	struct build_id build_id;
	/*
	 * The recorder read the build id from the path after the run, where another file may have
	 * been than the one that was mapped. Otherwise the kernel wrote it.
	 */
	bool build_id_of_path;
	uint8_t extent_count;
	bool extents_cut; /* there were more */
	struct binary_extent extents[BINARY_EXTENTS];
	uint32_t major, minor; /* of the device, from MMAP2; 0 if not known */
	uint64_t inode, generation;
	int32_t pid;    /* BINARY_JIT, _JITDUMP: of the process; BINARY_FILE: of one process that
	                   mapped it */
	uint64_t start; /* BINARY_KERNEL, _MODULE, _KSYMBOL: recorded address of its first byte */
	uint64_t
		ref_addr; /* BINARY_KERNEL: recorded address of the reference symbol; 0 if hidden */
	uint32_t ref_name; /* BINARY_KERNEL: string, "_text" or "_stext"; empty if none */
	bool compat;       /* BINARY_VDSO: of a 32-bit process of a 64-bit kernel */
	bool guest;        /* code of a guest machine, or of the hypervisor */
	bool damaged;      /* none: for samples that could not be decoded */
};

#define BINARIES_RECENT 1024

struct binaries {
	struct strings *strings; /* borrowed */
	struct binary *items;    /* [0] is the BINARY_UNKNOWN one */
	size_t count, capacity;
	uint32_t *slots;
	size_t slot_count;
	uint64_t seed;                    /* of the hashes */
	uint32_t recent[BINARIES_RECENT]; /* of a name, in its place by number: the one put last */
};

bool binaries_init(struct binaries *binaries, struct strings *strings, struct err *err);
void binaries_release(struct binaries *binaries);
/*
 * The number of the binary with this identity, added if it is new. Identity is the kind, the name,
 * the path, the build id or (without one) the file's device and inode, for BINARY_JIT and
 * BINARY_JITDUMP the pid, for BINARY_MODULE and BINARY_KSYMBOL the start. UINT32_MAX with err set
 * when memory is refused.
 */
uint32_t binaries_put(struct binaries *binaries, const struct binary *binary, struct err *err);
/* Notes that this part of the binary's file was mapped as code. */
void binaries_note_extent(struct binaries *binaries, uint32_t number, uint64_t offset,
                          uint64_t size);

#endif
