/* Where to look for the files of a binary, and what was found. */
#ifndef READPERF_DECODE_FILES_LOCATED_H
#define READPERF_DECODE_FILES_LOCATED_H

#include "decode/files/elf.h"
#include "decode/files/origin.h"

/* How and where to look. All texts borrowed; NULL: the default. */
struct file_options {
	const char *symfs;       /* --symfs: prefix of every recorded path; NULL: none */
	const char *buildid_dir; /* --buildid-dir; NULL: ~/.debug */
	const char *recording;   /* path of the recording; its kcore_dir is beside its data file */
	bool debuginfod;         /* --debuginfod */
	bool want_debug;         /* source files or lines are asked for: find the debug file too */
};

struct located {
	struct elf runtime, debug;
	bool has_runtime, has_debug;
	/* malloc'd, under which they can be opened again; or NULL */
	char *runtime_path, *debug_path;
	struct build_id build_id;  /* as recorded, else of the file; size 0: not known */
	enum symbol_origin reason; /* without a runtime file: why */
};

/* All zeros are good too. */
void located_release(struct located *located);

#endif
