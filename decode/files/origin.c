#include "decode/files/origin.h"

#include <string.h>

const struct origin origins[ORIGIN_COUNT] = {
	[ORIGIN_SYMTAB] = { .word = "symtab", .meaning = "the binary's own symbol table" },
	[ORIGIN_DYNSYM] = { .word = "dynsym",
	                    .meaning = "the symbols that the binary exports to others" },
	[ORIGIN_DEBUG_FILE] = {
		.word = "debug-file",
		.meaning = "a separate debug file (build id, debug link, `/usr/lib/debug`, "
		           "build-id cache)",
	},
	[ORIGIN_MINIDEBUG] = {
		.word = "minidebug",
		.meaning = "the small packed table in some stripped programs",
	},
	[ORIGIN_PLT] = { .word = "plt", .meaning = "a jump into a shared library, `name@plt`" },
	[ORIGIN_GOPCLNTAB] = {
		.word = "gopclntab",
		.meaning = "the function table that every Go program has",
	},
	[ORIGIN_KALLSYMS] = {
		.word = "kallsyms",
		.meaning = "the kernel's own list of symbols", .kernel = true,
	},
	[ORIGIN_VMLINUX] = { .word = "vmlinux", .meaning = "the kernel's file", .kernel = true },
	[ORIGIN_MODULE] = { .word = "module", .meaning = "a kernel module's file", .kernel = true },
	[ORIGIN_PERF_MAP] = {
		.word = "perf-map",
		.meaning = "`/tmp/perf-PID.map` of a run-time compiler", .run_time = true,
	},
	[ORIGIN_JITDUMP] = {
		.word = "jitdump",
		.meaning = "the jitdump of a run-time compiler", .run_time = true,
	},
	[ORIGIN_BPF] = {
		.word = "bpf",
		.meaning = "the recording itself (BPF programs, trampolines)", .kernel = true,
	},
	[ORIGIN_SIMPLEPERF] = {
		.word = "simpleperf",
		.meaning = "the symbols that Android's simpleperf stores in the recording",
	},
	[ORIGIN_INLINE] = {
		.word = "inline",
		.meaning = "debug information or Go's own tables, with `--inline`",
	},
	[ORIGIN_STATE] = {
		.word = "state",
		.meaning = "no code: what a thread does while it does not run (`--intervals=wall`)",
	},

	[ORIGIN_NO_MAP] = {
		.word = "no-map", .meaning = "no record says what was mapped there",
		.advice = "record from the program's start, and look for lost records",
	},
	[ORIGIN_FILE_MISSING] = {
		.word = "file-missing", .meaning = "the binary is not here",
		.advice = "copy it here and name its root with --symfs, or its build-id cache "
		          "with --buildid-dir",
		.special_advice = "it is no file, but the build-id cache of the recorded machine "
		                  "has a copy: name that with --buildid-dir",
	},
	[ORIGIN_BUILD_ID_MISMATCH] = {
		.word = "build-id-mismatch",
		.meaning = "the binary here is another build, whose names are never used",
		.advice = "provide the recorded build with --symfs or --buildid-dir",
		.special_advice = "what is here belongs to another kernel: pass the --kallsyms "
		                  "or --vmlinux of the recorded one",
	},
	[ORIGIN_OTHER_FILE] = {
		.word = "other-file",
		.meaning = "the file at that path is not the one that was mapped: its code, or "
		"its inode, does not fit",
		.advice = "provide the file that ran (of its container, or from before an "
		          "upgrade) with --symfs, or record with --buildid-mmap",
	},
	[ORIGIN_STRIPPED] = {
		.word = "stripped", .meaning = "it has no symbol table",
		.advice = "install its debug symbols, or try --debuginfod",
		.fetched_advice = "install its debug symbols; no server of --debuginfod gave them",
	},
	[ORIGIN_KERNEL_HIDDEN] = {
		.word = "kernel-hidden",
		.meaning = "no list of symbols of that kernel is here, or may be read",
		.advice = "its symbols are not here, or hidden (kernel.kptr_restrict, "
		          "kernel.perf_event_paranoid), or the recording does not say which "
		          "kernel it was: pass its --kallsyms or --vmlinux",
	},
	[ORIGIN_NO_SYMBOL] = {
		.word = "no-symbol", .meaning = "it has symbols, but none covers the address",
		.advice = "its debug symbols may have more",
	},
	[ORIGIN_UNREADABLE] = {
		.word = "unreadable",
		.meaning = "the binary is there, but damaged or not permitted",
		.advice = "check its permissions, and whether it is a whole ELF file",
	},
	[ORIGIN_NO_PERF_MAP] = {
		.word = "no-perf-map", .meaning = "code made at run time that no file names",
		.advice = "make the run-time compiler write /tmp/perf-PID.map or a jitdump file, "
		          "and keep it",
	},
	[ORIGIN_GUEST] = {
		.word = "guest", .meaning = "code of a virtual machine, or the hypervisor",
		.advice = "such code is not looked up",
	},
	[ORIGIN_DAMAGED] = {
		.word = "damaged",
		.meaning = "the sample could not be decoded; its binary is `[damaged]`",
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
