#include "decode/dwarf/file.h"

#include "decode/files/buildidcache.h"
#include "decode/dwarf/line.h"
#include "decode/files/rootfs.h"
#include "util/path.h"
#include "util/text.h"
#include "util/vec.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A section that refers to another file has a path and an id, which is a hash. */
enum { LINK_MAX = 1 << 16 };

/* A reference to the file with common parts. */
struct link {
	uint8_t *data; /* malloc'd */
	const char *name;
	const uint8_t *id;
	size_t id_size;
};

/* --- sections */

/*
 * Whether the name of a section, without prefix and suffix, is `what`: "info" of
 * ".zdebug_info.dwo".
 */
static bool is_section(const char *name, const char *what)
{
	const char *rest = text_after(name, ".debug_");

	if (!rest)
		rest = text_after(name, ".zdebug_");
	if (rest)
		rest = text_after(rest, what);
	return rest && (!*rest || strcmp(rest, ".dwo") == 0);
}

bool dwarf_file_add_units(struct dwarf_file *file, const struct section *section, bool types)
{
	const struct unit_list list = { .file = file, .section = *section, .types = types };

	return vec_append(&file->lists, &file->list_count, &file->list_capacity, &list,
	                  sizeof(list), file->err);
}

static bool add_unit_section(struct dwarf_file *file, size_t number, bool types)
{
	struct section section;

	return !section_find(&section, &file->source, number) ||
	       dwarf_file_add_units(file, &section, types);
}

/*
 * Whether the section begins with a type unit: gcc writes each type of a .dwo file into a section
 * of its own, before the one with the code.
 */
static bool begins_with_type(struct unit_list *list)
{
	struct dwarf_unit unit;
	uint64_t offset = 0;

	return list->types || !unit_list_next(list, &offset, &unit) || unit.kind == UNIT_TYPE ||
	       unit.kind == UNIT_SPLIT_TYPE;
}

/* Moves the list with the code to the front. */
static void order_lists(struct dwarf_file *file)
{
	size_t first = 0;

	while (file->list_count > 1 && first < file->list_count &&
	       begins_with_type(&file->lists[first]))
		first++;
	if (first && first < file->list_count) {
		struct unit_list list = file->lists[0];

		file->lists[0] = file->lists[first];
		file->lists[first] = list;
	}
}

static bool find_sections(struct dwarf_file *file)
{
	static const char *const names[DWARF_SECTIONS] = {
		[DWARF_ABBREV] = "abbrev",     [DWARF_ADDR] = "addr",
		[DWARF_RANGES] = "ranges",     [DWARF_RNGLISTS] = "rnglists",
		[DWARF_LINE] = "line",         [DWARF_LINE_STR] = "line_str",
		[DWARF_STR] = "str",           [DWARF_STR_OFFSETS] = "str_offsets",
		[DWARF_CU_INDEX] = "cu_index",
	};
	const struct elf *elf = &file->source.elf;

	for (size_t i = 0; i < elf->section_count; i++) {
		const char *name = elf_section_name(elf, &elf->sections[i]);
		bool types = is_section(name, "types");

		if ((types || is_section(name, "info")) && !add_unit_section(file, i, types))
			return false;
		for (size_t j = 0; j < DWARF_SECTIONS; j++)
			if (!file->sections[j].file && is_section(name, names[j]))
				section_find(&file->sections[j], &file->source, i);
	}
	order_lists(file);
	return file->err->code == ERR_NONE;
}

/* --- files */

bool dwarf_file_open(struct dwarf_file *file, int fd, struct points *points, struct err *err)
{
	*file = (struct dwarf_file){ .points = points, .err = err };
	return section_file_open(&file->source, fd, err) && find_sections(file);
}

static void release_tables(struct dwarf_file *file)
{
	struct read_tables *both[] = { &file->abbrevs, &file->lines };

	for (size_t i = 0; i < file->abbrevs.count; i++)
		abbrev_table_release(file->abbrevs.items[i]);
	for (size_t i = 0; i < file->lines.count; i++)
		line_table_release(file->lines.items[i]);
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		while (both[i]->count)
			free(both[i]->items[--both[i]->count]);
		free(both[i]->items);
		map_release(&both[i]->numbers);
		*both[i] = (struct read_tables){ 0 };
	}
}

void dwarf_file_release(struct dwarf_file *file)
{
	/* it was never opened */
	if (!file->err)
		return;
	for (size_t i = 0; i < file->list_count; i++)
		unit_list_release(&file->lists[i]);
	for (size_t i = 0; i < DWARF_SECTIONS; i++)
		section_release(&file->sections[i]);
	section_file_close(&file->source);
	release_tables(file);
	map_release(&file->names);
	arena_release(&file->arena);
	map_release(&file->types);
	free(file->lists);
	free(file->type_places);
	*file = (struct dwarf_file){ 0 };
}

void dwarf_file_forget(struct dwarf_file *file)
{
	for (size_t i = 0; i < file->list_count; i++)
		unit_list_unload(&file->lists[i]);
	release_tables(file);
	file->loaded = 0;
	section_forget(&file->sections[DWARF_LINE]);
	section_forget(&file->sections[DWARF_STR]);
}

/* --- the file with the parts that several share */

/*
 * Reads the reference in a file. .gnu_debugaltlink has a name and an id; .debug_sup of DWARF 5 has
 * numbers in front of them and is in both files. supplementary: the file is the one with the common
 * parts, which has no name.
 */
static bool read_link(struct link *link, const struct dwarf_file *file, bool supplementary)
{
	const struct elf *elf = &file->source.elf;
	const struct elf_section *section = elf_find_section(elf, ".gnu_debugaltlink");
	const bool standard = !section || supplementary;
	struct err err = { .code = ERR_NONE };
	struct bytes b;

	*link = (struct link){ 0 };
	if (standard)
		section = elf_find_section(elf, ".debug_sup");
	if (!section || section->size > LINK_MAX)
		return false;
	link->data = elf_section_data(elf, section, &err);
	err_pass_nomem(file->err, &err);
	if (!link->data)
		return false;
	b = bytes_over(link->data, (size_t)section->size, elf->swap);
	if (standard && (bytes_uint(&b, 2) != 5 || bytes_u8(&b) != supplementary))
		return false;
	link->name = bytes_text(&b);
	if (standard)
		b.end = b.pos + u64_min(bytes_uleb(&b), bytes_left(&b));
	link->id = b.pos;
	link->id_size = bytes_left(&b);
	return link->name && !b.bad && link->id_size >= 2 && link->id_size <= PATH_ID_MOST;
}

/* Whether the file is the one that the link refers to: the id is its build id or in .debug_sup. */
static bool is_linked(const struct dwarf_file *file, const struct link *link)
{
	const struct build_id *id = &file->source.elf.build_id;
	struct link own;
	bool same;

	if (id->size == u64_min(link->id_size, sizeof(id->bytes)) &&
	    memcmp(id->bytes, link->id, id->size) == 0)
		return true;
	same = read_link(&own, file, true) && own.id_size == link->id_size &&
	       memcmp(own.id, link->id, own.id_size) == 0;
	free(own.data);
	return same;
}

/* Opens path, below root if that is given, if it has the link's id. */
static bool open_checked(struct dwarf_file *file, const char *root, const char *path,
                         const struct link *link, struct dwarf_file *from)
{
	int fd = rootfs_open(root, path);

	if (fd < 0)
		return false;
	if (dwarf_file_open(file, fd, from->points, from->err) && is_linked(file, link))
		return true;
	dwarf_file_release(file);
	return false;
}

/* /usr/lib/debug/.build-id/ab/cdef.debug */
static bool open_by_id(struct dwarf_file *file, const char *root, const struct link *link,
                       struct dwarf_file *from)
{
	char *path = build_id_path("/usr/lib/debug", link->id, link->id_size, ".debug", from->err);
	bool found = path && open_checked(file, root, path, link, from);

	free(path);
	return found;
}

/*
 * The part of path, which has no links, below the root; NULL if it is not below it, or with err
 * set.
 */
static const char *path_below(const char *root, const char *path, struct err *err)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *real = fd < 0 ? NULL : rootfs_path(fd, root, "", err);
	size_t length = real ? strlen(real) : 0;
	bool below = length && strncmp(path, real, length) == 0 && path[length] == '/';

	free(real);
	if (fd >= 0)
		close(fd);
	return below ? path + length : NULL;
}

/* Opens the file with this name; a relative name starts in the folder of the file at path. */
static bool open_near(struct dwarf_file *file, const char *root, const char *path,
                      const struct link *link, struct dwarf_file *from)
{
	const char *start = "", *end;
	char *near;
	bool found;

	if (link->name[0] != '/')
		start = root ? path_below(root, path, from->err) : path;
	/* a debug file from the cache is not below the root, so names in it cannot be followed */
	if (!start)
		return false;
	end = strrchr(start, '/');
	near = path_format(from->err, "%.*s%s", end ? (int)(end - start) + 1 : 0, start,
	                   link->name);
	found = near && open_checked(file, root, near, link, from);
	free(near);
	return found;
}

void dwarf_file_open_shared(struct dwarf_file *shared, struct dwarf_file *file, const char *path,
                            const char *symfs, struct diag *diag)
{
	struct link link;

	*shared = (struct dwarf_file){ 0 };
	if (read_link(&link, file, false)) {
		if (open_near(shared, symfs, path, &link, file) ||
		    (file->err->code == ERR_NONE && open_by_id(shared, symfs, &link, file)))
			file->shared = shared;
		else if (file->err->code == ERR_NONE)
			diag_warn(
				diag, ERR_NO_OFFSET,
				"%s: the debug information that it shares with others, %s, is missing, or of another build",
				path, link.name);
	}
	free(link.data);
}
