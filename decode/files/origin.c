#include "decode/files/origin.h"

#include <string.h>

const struct origin origins[ORIGIN_COUNT] = {
	[ORIGIN_SYMTAB] = { "symtab", "the binary's own symbol table" },
	[ORIGIN_DYNSYM] = { .word = "dynsym",
	                    .meaning = "the symbols that the binary exports to others" },
	[ORIGIN_DEBUG_FILE] = {
		"debug-file",
		"a separate debug file (build id, debug link, `/usr/lib/debug`, build-id cache)",
	},
	[ORIGIN_MINIDEBUG] = { "minidebug", "the small packed table in some stripped programs" },
	[ORIGIN_PLT] = { .word = "plt", .meaning = "a jump into a shared library, `name@plt`" },
	[ORIGIN_GOPCLNTAB] = { "gopclntab", "the function table that every Go program has" },
	[ORIGIN_KALLSYMS] = { "kallsyms", "the kernel's own list of symbols", .kernel = true },
	[ORIGIN_VMLINUX] = { "vmlinux", "the kernel's file", .kernel = true },
	[ORIGIN_MODULE] = { "module", "a kernel module's file", .kernel = true },
	[ORIGIN_PERF_MAP] = {
		"perf-map", "`/tmp/perf-PID.map` of a run-time compiler", .run_time = true,
	},
	[ORIGIN_JITDUMP] = { "jitdump", "the jitdump of a run-time compiler", .run_time = true },
	[ORIGIN_BPF] = {
		"bpf", "the recording itself (BPF programs, trampolines)", .kernel = true,
	},
	[ORIGIN_SIMPLEPERF] = {
		.word = "simpleperf",
		.meaning = "the symbols that Android's simpleperf stores in the recording",
	},
	[ORIGIN_INLINE] = {
		.word = "inline",
		.meaning = "debug information or Go's own tables, with `--inline`",
	},

	[ORIGIN_NO_MAP] = {
		"no-map", "no record says what was mapped there",
		.advice = "record from the program's start, and look for lost records",
	},
	[ORIGIN_FILE_MISSING] = {
		"file-missing", "the binary is not here",
		.advice = "copy it here and name its root with --symfs, or its build-id cache "
		          "with --buildid-dir",
		.special_advice = "it is no file, but the build-id cache of the recorded machine "
		                  "has a copy: name that with --buildid-dir",
	},
	[ORIGIN_BUILD_ID_MISMATCH] = {
		"build-id-mismatch", "the binary here is another build, whose names are never used",
		.advice = "provide the recorded build with --symfs or --buildid-dir",
		.special_advice = "what is here belongs to another kernel: pass the --kallsyms "
		                  "or --vmlinux of the recorded one",
	},
	[ORIGIN_OTHER_FILE] = {
		"other-file",
		"the file at that path is not the one that was mapped: its code, or its inode, "
		"does not fit",
		.advice = "provide the file that ran (of its container, or from before an "
		          "upgrade) with --symfs, or record with --buildid-mmap",
	},
	[ORIGIN_STRIPPED] = {
		"stripped", "it has no symbol table",
		.advice = "install its debug symbols, or try --debuginfod",
		.fetched_advice = "install its debug symbols; no server of --debuginfod gave them",
	},
	[ORIGIN_KERNEL_HIDDEN] = {
		"kernel-hidden", "no list of symbols of that kernel is here, or may be read",
		.advice = "its symbols are not here, or hidden (kernel.kptr_restrict, "
		          "kernel.perf_event_paranoid), or the recording does not say which "
		          "kernel it was: pass its --kallsyms or --vmlinux",
	},
	[ORIGIN_NO_SYMBOL] = {
		"no-symbol", "it has symbols, but none covers the address",
		.advice = "its debug symbols may have more",
	},
	[ORIGIN_UNREADABLE] = {
		"unreadable", "the binary is there, but damaged or not permitted",
		.advice = "check its permissions, and whether it is a whole ELF file",
	},
	[ORIGIN_NO_PERF_MAP] = {
		"no-perf-map", "code made at run time that no file names",
		.advice = "make the run-time compiler write /tmp/perf-PID.map or a jitdump file, "
		          "and keep it",
	},
	[ORIGIN_GUEST] = {
		"guest", "code of a virtual machine, or the hypervisor",
		.advice = "such code is not looked up",
	},
	[ORIGIN_DAMAGED] = {
		"damaged", "the sample could not be decoded; its binary is `[damaged]`",
		.advice = "the recording is damaged there",
	},
};

const char *symbol_origin_name(enum symbol_origin origin)
{
	return (unsigned)origin < ORIGIN_COUNT ? origins[origin].word : "";
}

enum symbol_origin symbol_origin_find(const char *word)
{
	unsigned origin = 0;

	while (origin < ORIGIN_COUNT && strcmp(word, origins[origin].word) != 0)
		origin++;
	return (enum symbol_origin)origin;
}
