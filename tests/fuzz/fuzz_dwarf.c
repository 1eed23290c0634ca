/* An ELF file with debug information: source files, lines and inlined functions. */
#define _GNU_SOURCE
#include "decode/dwarf.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define ADDRS 64

/* Addresses all over a small program. */
static void ask(struct source_query *query, struct source_function *functions,
		struct source_addr *addrs)
{
	memset(functions, 0, ADDRS * sizeof(*functions));
	memset(addrs, 0, ADDRS * sizeof(*addrs));
	for (size_t i = 0; i < ADDRS; i++) {
		functions[i].entry = 0x1000 + 0x10 * i;
		addrs[i].addr = 0x1000 + 0xd * i;
	}
	query->functions = functions;
	query->addrs = addrs;
	query->function_count = query->addr_count = ADDRS;
	query->inlines = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source_function functions[ADDRS];
	struct source_addr addrs[ADDRS];
	struct source_query query = { 0 };
	struct strings strings;
	struct err err = { 0 };
	struct diag diag;
	char path[64];
	bool unreadable;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	diag_init(&diag, print_nothing, NULL);
	if (strings_init(&strings, &err)) {
		query.path = path;
		query.strings = &strings;
		ask(&query, functions, addrs);
		check_err(dwarf_lookup(&query, &unreadable, &diag, &err), &err);
		for (size_t i = 0; i < ADDRS; i++)
			FUZZ_CHECK(addrs[i].frame + (uint64_t)addrs[i].frame_count <=
				   query.frame_count);
		free(query.frames);
	}
	strings_release(&strings);
	diag_release(&diag);
	close(fd);
	return 0;
}
