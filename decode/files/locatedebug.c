#include "decode/files/locate.h"

#include "decode/files/buildidcache.h"
#include "decode/files/debuginfod.h"
#include "decode/files/rootfs.h"
#include "util/cursor.h"
#include "util/path.h"

#include <stdlib.h>
#include <string.h>

#define DEBUG_DIR "/usr/lib/debug"
#define BLOCK_SIZE 65536

struct search {
	struct located *located;
	const char *path; /* as recorded */
	const struct file_options *options;
	bool want_symbols, want_dwarf;
	struct err *err; /* borrowed; set when memory is refused */
};

/* For the polynomial of zlib and Ethernet, as binutils writes it after .gnu_debuglink. */
static void crc32_table(uint32_t *table)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? 0xedb88320u ^ crc >> 1 : crc >> 1;
		table[i] = crc;
	}
}

static bool has_crc(struct search *search, const struct elf *elf, uint32_t wanted)
{
	struct err err = { .code = ERR_NONE };
	uint8_t *block = malloc(BLOCK_SIZE);
	uint32_t table[256], crc = UINT32_MAX;
	uint64_t offset = 0;

	if (!block)
		return err_nomem(search->err, BLOCK_SIZE);
	crc32_table(table);
	while (offset < elf->size) {
		size_t now = (size_t)u64_min(BLOCK_SIZE, elf->size - offset);

		if (!elf_read(elf, offset, block, now, &err))
			break;
		for (size_t i = 0; i < now; i++)
			crc = table[(crc ^ block[i]) & 0xff] ^ crc >> 8;
		offset += now;
	}
	free(block);
	return offset == elf->size && ~crc == wanted;
}

static bool is_useful_debug_file(const struct search *search, const struct elf *elf)
{
	return (search->want_symbols && elf_find_type(elf, SHT_SYMTAB)) ||
	       (search->want_dwarf && elf_has_dwarf(elf));
}

/*
 * Uses fd as the debug file if its build id is right. If one of the build ids is missing, crc
 * decides; crc NULL: the file's place is proof enough if there are no build ids at all.
 */
static bool take_debug_file(struct search *search, int fd, const char *root, const char *path,
                            const uint32_t *crc)
{
	struct located *located = search->located;
	struct err err = { .code = ERR_NONE };
	const struct build_id *found = &located->debug.build_id;
	bool good;

	if (!elf_open(&located->debug, fd, &err)) {
		err_pass_nomem(search->err, &err);
		elf_close(&located->debug);
		return false;
	}
	good = is_useful_debug_file(search, &located->debug);
	if (good && located->build_id.size && found->size)
		good = build_id_equal(&located->build_id, found);
	else if (good && crc)
		good = has_crc(search, &located->debug, *crc);
	else if (good)
		good = !located->build_id.size && !found->size;
	if (good && located->has_runtime)
		good = located->debug.machine == located->runtime.machine;
	if (!good) {
		elf_close(&located->debug);
		return false;
	}
	located->has_debug = true;
	located->debug_path = rootfs_path(fd, root, path, search->err);
	return true;
}

/* path is malloc'd and freed here; NULL: memory was refused. */
static bool try_path(struct search *search, const char *root, char *path, const uint32_t *crc)
{
	int fd = path ? rootfs_open(root, path) : -1;
	bool found = fd >= 0 && take_debug_file(search, fd, root, path, crc);

	free(path);
	return found;
}

static bool try_build_id(struct search *search, const char *root)
{
	const struct build_id *id = &search->located->build_id;

	return id->size >= 2 &&
	       try_path(search, root,
	                build_id_path(DEBUG_DIR, id->bytes, id->size, ".debug", search->err), NULL);
}

/* A file name, NUL, padding to 4 bytes, a CRC. The name must not have a directory. */
static char *read_debuglink(struct search *search, const struct elf *elf, uint32_t *crc)
{
	const struct elf_section *section = elf_find_section(elf, ".gnu_debuglink");
	struct err err = { .code = ERR_NONE };
	size_t length, place;
	uint8_t *data;

	if (!section || section->size > BLOCK_SIZE)
		return NULL;
	data = elf_section_data(elf, section, &err);
	err_pass_nomem(search->err, &err);
	if (!data)
		return NULL;
	length = strlen((char *)data);
	place = (length + 4) & ~(size_t)3;
	if (!length || strchr((char *)data, '/') || place + 4 > section->size) {
		free(data);
		return NULL;
	}
	*crc = load_u32(data + place, elf->swap);
	return (char *)data;
}

static bool try_debuglink(struct search *search, const char *root)
{
	const char *dir = search->path, *slash = strrchr(dir, '/');
	const int length = slash ? (int)(slash - dir) : 0;
	struct err *err = search->err;
	char *name;
	uint32_t crc;
	bool found;

	if (!search->located->has_runtime || !slash)
		return false;
	name = read_debuglink(search, &search->located->runtime, &crc);
	found = name &&
	        (try_path(search, root, path_format(err, "%.*s/%s", length, dir, name), &crc) ||
	         try_path(search, root, path_format(err, "%.*s/.debug/%s", length, dir, name),
	                  &crc) ||
	         try_path(search, root, path_format(err, DEBUG_DIR "%.*s/%s", length, dir, name),
	                  &crc));
	free(name);
	return found;
}

static bool try_debug_dir(struct search *search, const char *root)
{
	const char *path = search->path;
	struct err *err = search->err;

	return path[0] == '/' &&
	       (try_path(search, root, path_format(err, DEBUG_DIR "%s.debug", path), NULL) ||
	        try_path(search, root, path_format(err, DEBUG_DIR "%s", path), NULL));
}

/* Tries a file of the binary's entry in perf's cache. */
static bool try_cached(struct search *search, const char *file)
{
	return try_path(search, NULL,
	                buildid_cache_path(search->options->buildid_dir, &search->located->build_id,
	                                   file, search->err),
	                NULL);
}

static void try_debuginfod(struct search *search, struct diag *diag)
{
	const struct build_id *id = &search->located->build_id;
	char *path = NULL;
	int fd = -1;

	if (search->options->debuginfod && id->size)
		fd = debuginfod_fetch(id, true, search->path, diag, &path);
	if (fd >= 0)
		take_debug_file(search, fd, NULL, path, NULL);
	free(path);
}

/* Looks in the folders for debug files, below each folder of --symfs. */
static bool try_roots(struct search *search)
{
	for (size_t i = 0; i < file_roots(search->options); i++) {
		const char *root = file_root(search->options, i);

		if (try_build_id(search, root) || try_debuglink(search, root) ||
		    try_debug_dir(search, root))
			return true;
	}
	return false;
}

bool locate_debug(struct located *located, const char *path, const struct file_options *options,
                  struct diag *diag, struct err *err)
{
	struct search search = { .located = located, .path = path, .options = options, .err = err };

	search.want_symbols = !located->has_runtime ||
	                      !elf_find_type(&located->runtime, SHT_SYMTAB);
	search.want_dwarf = options->want_debug &&
	                    (!located->has_runtime || !elf_has_dwarf(&located->runtime));
	if (!search.want_symbols && !search.want_dwarf)
		return true;
	/* a complete file in the cache, if the file in its own place has been stripped since */
	if (!try_cached(&search, "/debug") && !try_roots(&search) && !try_cached(&search, "/elf") &&
	    !try_cached(&search, ""))
		try_debuginfod(&search, diag);
	return err->code == ERR_NONE;
}

static void move_path(char **to, char **from)
{
	*to = *from;
	*from = NULL;
}

void located_take_debug(struct located *located, struct debug_file *debug)
{
	if (located->has_runtime && elf_has_dwarf(&located->runtime)) {
		move_path(&debug->path, &located->runtime_path);
	} else if (located->has_debug && elf_has_dwarf(&located->debug)) {
		move_path(&debug->path, &located->debug_path);
		move_path(&debug->binary, &located->runtime_path);
	}
}
