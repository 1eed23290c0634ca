#include "decode/symbols/kernel.h"

#include "decode/symbols/elfsymbols.h"
#include "decode/symbols/modulelayout.h"
#include "decode/files/locate.h"
#include "decode/files/buildidcache.h"
#include "decode/files/rootfs.h"
#include "util/path.h"
#include "util/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_MAX ((size_t)64 << 20)

/* Whether the running kernel has this module at the recorded address. */
static bool loaded_there(const char *name, uint64_t start, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	int fd = rootfs_open(NULL, "/proc/modules");
	size_t size, length = strlen(name);
	char *list = fd < 0 ? NULL : rootfs_slurp(fd, LIST_MAX, &size, &problem);
	bool there = false;

	err_pass_nomem(err, &problem);
	for (char *line = list; line && !there; line = strchr(line, '\n')) {
		char *place;
		uint64_t addr;

		line += *line == '\n';
		if (strncmp(line, name, length) || line[length] != ' ')
			continue;
		place = strstr(line, " 0x");
		there = place && sscanf(place, " 0x%" SCNx64, &addr) == 1 && addr == start;
		break;
	}
	free(list);
	return there;
}

static bool same_loaded_build_id(const char *name, const struct build_id *wanted, struct err *err)
{
	char *path = path_format(err, "/sys/module/%s/notes/.note.gnu.build-id", name);
	struct build_id id;
	bool ok = path && running_build_id(path, &id, err);

	free(path);
	return ok && build_id_equal(wanted, &id);
}

/*
 * Reads the symbols from the kernel's list. Only a list of the same boot has the module at the
 * recorded address.
 */
static bool from_kallsyms(const struct symbol_query *query, const char *tag, const char *name,
                          struct found_symbols *found, struct err *err)
{
	const struct binary *binary = query->binary;
	const struct symbol_cache *list = query->options->cache;

	if (!query->options->kernel)
		return true;
	if (!kernel_find_list(query, query->options->kernel, err))
		return false;
	if (!list->found || list->kallsyms.delta)
		return true;
	if (list->live && !loaded_there(name, binary->start, err))
		return err->code == ERR_NONE;
	if (list->live && binary->build_id.size &&
	    !same_loaded_build_id(name, &binary->build_id, err))
		return err->code == ERR_NONE;
	return kallsyms_put_module(&list->kallsyms, tag, binary->start, &found->own, err);
}

/* Uses the module's own debug information, or that of its debug file. */
static bool take_debug(const struct symbol_query *query, struct located *located, const char *path,
                       struct found_symbols *found, struct err *err)
{
	const char *dot = strrchr(path, '.');
	bool packed = dot && (!strcmp(dot, ".xz") || !strcmp(dot, ".gz") || !strcmp(dot, ".zst"));
	size_t length = packed ? (size_t)(dot - path) : strlen(path);
	char *name = path_format(err, "%.*s", (int)length, path);
	bool ok;

	if (!name)
		return false;
	ok = locate_debug(located, name, &query->options->files, query->diag, err);
	located_take_debug(located, &found->debug);
	free(name);
	return ok;
}

/*
 * Whether the sections of the file lay where the kernel's list, if there is one, has its symbols.
 * False also with err set.
 */
static bool fits_list(const struct symbol_query *query, const struct elf *elf, const char *path,
                      struct found_symbols *found, struct err *err)
{
	bool common;
	int sections;

	if (!found->table->count || found->table->link_count)
		return true;
	sections = module_layout_link(found->table, elf, query->binary->start, &common, err);
	if (!sections && common)
		diag_warn(
			query->diag, ERR_NO_OFFSET,
			"%s: module: not used: its symbols do not lie as those in the kernel's list",
			path);
	return sections > 0;
}

/*
 * Reads a file of the right build: its symbols, unless the kernel's list had them, and its debug
 * information.
 */
static bool take_module(const struct symbol_query *query, struct located *located, const char *path,
                        struct found_symbols *found, struct err *err)
{
	const struct elf *elf = &located->runtime;
	struct elf_symbols source = {
		.names = elf, .runtime = elf, .space = ELF_SPACE_MODULE, .origin = ORIGIN_MODULE
	};

	if (elf->type != ET_REL || !fits_list(query, elf, path, found, err))
		return err->code == ERR_NONE;
	if (!found->table->count && !elf_symbols_put(&found->own, &source, err))
		return false;
	if (found->table->count && !found->debug.path && query->options->files.want_debug &&
	    !take_debug(query, located, path, found, err))
		return false;
	if (query->options->want_code && !found->has_code) {
		found->code = located->runtime;
		found->has_code = true;
		located->has_runtime = false;
	}
	return true;
}

/* path is malloc'd and freed here; NULL: there is none, or err is set. */
static bool try_file(const struct symbol_query *query, const char *root, char *path,
                     struct found_symbols *found, struct err *err)
{
	const struct build_id *wanted = &query->binary->build_id;
	struct located located = { .runtime = { .fd = -1 }, .has_runtime = true };
	struct err problem = { .code = ERR_NONE };
	int fd = path ? rootfs_open(root, path) : -1;

	if (fd < 0) {
		free(path);
		return err->code == ERR_NONE;
	}
	located.runtime_path = rootfs_path(fd, root, path, &problem);
	if (elf_open_packed(&located.runtime, fd, &problem) && located.runtime_path) {
		located.build_id = located.runtime.build_id;
		if (wanted->size && !build_id_equal(wanted, &located.build_id))
			found->reason = ORIGIN_BUILD_ID_MISMATCH;
		else
			take_module(query, &located, path, found, &problem);
	}
	located_release(&located);
	if (problem.code != ERR_NONE && problem.code != ERR_NOMEM)
		diag_warn(query->diag, ERR_NO_OFFSET, "%s: module: %s", path, problem.text);
	free(path);
	return err_pass_nomem(err, &problem);
}

/*
 * The file in a line of modules.dep, if its base name, with '-' as '_', is that of the module:
 * malloc'd. NULL otherwise.
 */
static char *module_of_line(const char *line, const char *name, const char *dir, struct err *err)
{
	size_t length = strcspn(line, ":\n"), wanted = strlen(name);
	const char *base = line + length;

	while (base > line && base[-1] != '/')
		base--;
	for (size_t i = 0; i < wanted; i++)
		if (base[i] != name[i] && !(base[i] == '-' && name[i] == '_'))
			return NULL;
	if (!text_starts(base + wanted, ".ko") || line[length] != ':')
		return NULL;
	return path_format(err, "%s%.*s", line[0] == '/' ? "" : dir, (int)length, line);
}

/* The path of the module's file, or NULL if there is none, or with err set. */
static char *path_of_module(const struct symbol_options *options, const char *root,
                            const char *name, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	char *dir, *list_path, *list = NULL, *path = NULL;
	size_t size;
	int fd;

	if (!options->osrelease || !*options->osrelease || strchr(options->osrelease, '/'))
		return NULL;
	dir = path_format(err, "/lib/modules/%s/", options->osrelease);
	list_path = dir ? path_format(err, "%smodules.dep", dir) : NULL;
	fd = list_path ? rootfs_open(root, list_path) : -1;
	if (fd >= 0)
		list = rootfs_slurp(fd, LIST_MAX, &size, &problem);
	for (char *line = list; line && *line && !path;) {
		path = module_of_line(line, name, dir, &problem);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	free(list);
	free(list_path);
	free(dir);
	err_pass_nomem(err, &problem);
	return path;
}

/* Whether symbols, debug information or code are still to be found. */
static bool is_open(const struct symbol_query *query, const struct found_symbols *found)
{
	return !found->table->count || (query->options->files.want_debug && !found->debug.path) ||
	       (query->options->want_code && !found->has_code);
}

/* root: a folder of --symfs, or NULL. */
static bool from_root(const struct symbol_query *query, const char *root, const char *name,
                      struct found_symbols *found, struct err *err)
{
	const char *recorded = strings_get(query->strings, query->binary->path);

	if (recorded[0] == '/' && is_open(query, found) &&
	    !try_file(query, root, path_format(err, "%s", recorded), found, err))
		return false;
	return !is_open(query, found) ||
	       try_file(query, root, path_of_module(query->options, root, name, err), found, err);
}

static bool from_file(const struct symbol_query *query, const char *name,
                      struct found_symbols *found, struct err *err)
{
	static const char *const cached[] = { "/elf", "/debug", "" };
	const struct symbol_options *options = query->options;

	for (size_t i = 0; i < file_roots(&options->files); i++)
		if (!from_root(query, file_root(&options->files, i), name, found, err))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(cached); i++) {
		char *path;

		if (!is_open(query, found))
			break;
		path = buildid_cache_path(options->files.buildid_dir, &query->binary->build_id,
		                          cached[i], err);
		if (!try_file(query, NULL, path, found, err))
			return false;
	}
	return true;
}

bool module_load(const struct symbol_query *query, struct found_symbols *found, struct err *err)
{
	const char *tag = strings_get(query->strings, query->binary->name);
	size_t length = strlen(tag);
	char *name;
	bool ok;

	found->reason = ORIGIN_FILE_MISSING;
	if (length < 3 || tag[0] != '[' || tag[length - 1] != ']' || strchr(tag, '/'))
		return true;
	name = path_format(err, "%.*s", (int)length - 2, tag + 1);
	if (!name)
		return false;
	ok = from_kallsyms(query, tag, name, found, err) && from_file(query, name, found, err);
	free(name);
	return ok;
}
