/*
 * The identity of each binary that was mapped, as the recording describes it. locate.h finds its
 * file, and symbols.h the names of its functions.
 */
#ifndef READPERF_DECODE_MACHINE_BINARIES_H
#define READPERF_DECODE_MACHINE_BINARIES_H

#include "decode/machine/cpumode.h"
#include "util/buildid.h"
#include "util/hash.h"
#include "util/strings.h"

enum binary_kind {
	BINARY_UNKNOWN, /* no map covers the address: "[unknown]" */
	BINARY_FILE,    /* a path; addresses are file offsets */
	BINARY_KERNEL,  /* "[kernel.kallsyms]"; addresses are absolute */
	BINARY_MODULE,  /* "[name]"; addresses are offsets from the start of the module */
	BINARY_VDSO,    /* "[vdso]", "[vdso32]", "[vdsox32]"; addresses are file offsets */
	BINARY_JIT,     /* anonymous executable memory of one process; addresses are absolute */
	BINARY_JITDUMP, /* code of a jitdump file; addresses are the offsets of its bytes there */
	BINARY_KSYMBOL, /* one KSYMBOL record (BPF, trampolines); addresses are offsets from its
	                   start */
	BINARY_SPECIAL  /* "[vsyscall]", "[uprobes]", "[hypervisor]" ...: has no symbols */
};

/* Whether a machine of that name (uname -m) has 64 bits. */
bool machine_is_64_bit(const char *machine);

/* A part of a file that a process mapped as code: [offset, offset + size) of the file. */
struct binary_extent {
	uint64_t offset, size;
};

#define BINARY_EXTENTS 4 /* most files are mapped in the same way by all processes */

struct binary {
	enum binary_kind kind;
	uint32_t name; /* string: as tables print it */
	uint32_t path; /* string: as the recording names the file; empty if none */
	struct build_id build_id;
	/*
	 * The recorder read the build id from the path after the run, when another file may have
	 * been there than the one that was mapped. If false, the kernel wrote it.
	 */
	bool build_id_of_path;
	uint8_t extent_count;
	bool extents_cut; /* there were more parts than fit */
	struct binary_extent extents[BINARY_EXTENTS];
	uint32_t major, minor; /* of the device, from MMAP2; 0 if not known */
	uint64_t inode, generation;
	int32_t pid; /* BINARY_JIT, _JITDUMP: of the process; BINARY_FILE: of one of the processes
	                that mapped it */
	uint64_t start; /* BINARY_KERNEL, _MODULE, _KSYMBOL: recorded address of its first byte */
	/* BINARY_KERNEL: recorded address of the reference symbol; 0 if hidden */
	uint64_t ref_addr;
	uint32_t ref_name;     /* BINARY_KERNEL: string, "_text" or "_stext"; empty if none */
	bool compat;           /* BINARY_VDSO: of a 32-bit process of a 64-bit kernel */
	bool guest;            /* code of a guest machine, or of the hypervisor */
	bool stands_for_state; /* BINARY_SPECIAL: no code, but what a thread does; its function has
	                          its name */
	bool damaged;          /* stands for samples that could not be decoded */
	bool shared;           /* memory that processes share (MAP_SHARED) is mapped of it */
};

/* Whether it is code of one process that was made while that ran. */
static inline bool binary_is_run_time_code(const struct binary *binary)
{
	return binary->kind == BINARY_JIT || binary->kind == BINARY_JITDUMP;
}

/* Whether a file of this path is a jitdump file: its name is jit-PID.dump. */
bool is_jitdump(const char *path);

/* The numbers of the binaries that are always there, as they stand for no file. */
enum {
	UNKNOWN_BINARY, /* the only one that is BINARY_UNKNOWN */
	GUEST_KERNEL_BINARY,
	GUEST_USER_BINARY,
	HYPERVISOR_BINARY,
	DAMAGED_BINARY /* of damaged samples */
};

/* The number of the binary of addresses in this mode that no mapping covers. */
static inline uint32_t binary_without_map(enum cpu_mode mode)
{
	static const uint8_t numbers[] = {
		[MODE_GUEST_KERNEL] = GUEST_KERNEL_BINARY,
		[MODE_GUEST_USER] = GUEST_USER_BINARY,
		[MODE_HYPERVISOR] = HYPERVISOR_BINARY,
		[MODE_UNKNOWN] = UNKNOWN_BINARY,
	};

	return numbers[mode];
}

struct binaries {
	struct binary *items;
	size_t count, capacity;
	struct hash_index index;
	uint64_t seed; /* of the hashes */
};

/* binaries_release() must be called in any case. */
bool binaries_init(struct binaries *binaries, struct strings *strings, struct err *err);
void binaries_release(struct binaries *binaries);
/*
 * The number of the binary with this identity, added if it is new. The identity is the kind, the
 * name, the path, the build id or (without one) the file's device and inode, for BINARY_JIT and
 * BINARY_JITDUMP the pid, for BINARY_MODULE and BINARY_KSYMBOL the start. UINT32_MAX with err set
 * when memory is refused.
 */
uint32_t binaries_put(struct binaries *binaries, const struct binary *binary, struct err *err);
/* Notes that this part of the binary's file was mapped as code. */
void binaries_note_extent(struct binaries *binaries, uint32_t number, uint64_t offset,
                          uint64_t size);

#endif
