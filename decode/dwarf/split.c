#include "decode/dwarf/split.h"

#include "decode/files/rootfs.h"
#include "util/path.h"

#include <stdlib.h>

static void close_file(struct splits *splits)
{
	dwarf_file_release(&splits->file);
	free(splits->path);
	splits->path = NULL;
}

void splits_release(struct splits *splits)
{
	close_file(splits);
	dwarf_file_release(&splits->part);
	dwarf_file_release(&splits->package);
	map_release(&splits->paid);
}

/* The unit with this id in a split file; NULL: there is none. */
static struct dwarf_unit *find_unit(struct dwarf_file *file, uint64_t id)
{
	struct dwarf_unit unit;
	uint64_t offset = 0;

	while (file->list_count && unit_list_next(&file->lists[0], &offset, &unit))
		if (unit.readable && unit.kind == UNIT_SPLIT_COMPILE && unit.id == id)
			return unit_keep(&unit);
	return NULL;
}

/* Opens a file in the folder of another one. Under --symfs no link may lead out of that folder. */
static int open_beside(const struct splits *splits, const char *other, const char *name,
                       const char *end)
{
	const char *symfs = splits->query->symfs, *slash = strrchr(other, '/');
	char *dir = path_format(splits->err, "%.*s", slash ? (int)(slash - other) + 1 : 2,
	                        slash ? other : "./");
	char *file = dir ? path_format(splits->err, "%s%s%s", symfs ? "" : dir, name, end) : NULL;
	int fd = -1;

	if (file)
		fd = rootfs_open(symfs ? dir : NULL, file);
	free(file);
	free(dir);
	return fd;
}

/* --- packages */

static bool open_package(struct splits *splits, int fd)
{
	struct dwarf_file *package = &splits->package;
	struct bytes index;

	if (dwarf_file_open(package, fd, splits->points, splits->err) && package->list_count) {
		index = section_whole(&package->sections[DWARF_CU_INDEX]);
		if (package_index_read(&splits->index, &index))
			return true;
	}
	dwarf_file_release(package);
	return false;
}

/* Looks for BINARY.dwp beside the debug file, and beside the binary if that is another file. */
static void look_for_package(struct splits *splits)
{
	const char *debug = splits->query->path, *binary = splits->query->binary;
	const struct {
		const char *other, *name;
	} places[] = { { debug, path_base(debug) },
		       { binary, binary ? path_base(binary) : NULL },
		       { debug, binary ? path_base(binary) : NULL } };

	splits->looked = true;
	for (size_t i = 0; i < ARRAY_SIZE(places) && splits->err->code == ERR_NONE; i++) {
		int fd;

		if (!places[i].name)
			continue;
		fd = open_beside(splits, places[i].other, places[i].name, ".dwp");
		if (fd >= 0 && open_package(splits, fd)) {
			points_pay(splits->points, splits->package.source.elf.size);
			break;
		}
	}
}

/* Makes a file of the parts of the package that belong to one unit. False: it has none. */
static bool cut_package(struct splits *splits, const struct package_part parts[PACKAGE_SECTIONS])
{
	static const enum dwarf_section sections[PACKAGE_SECTIONS] = {
		[PACKAGE_ABBREV] = DWARF_ABBREV,
		[PACKAGE_LINE] = DWARF_LINE,
		[PACKAGE_STR_OFFSETS] = DWARF_STR_OFFSETS,
		[PACKAGE_RNGLISTS] = DWARF_RNGLISTS,
	};
	struct dwarf_file *package = &splits->package, *part = &splits->part;
	struct section info;

	dwarf_file_release(part);
	*part = (struct dwarf_file){ .points = splits->points, .err = splits->err };
	part->source.elf.fd = -1;
	for (int i = 0; i < PACKAGE_SECTIONS; i++)
		if (i != PACKAGE_INFO && parts[i].size && package->sections[sections[i]].file &&
		    !section_cut(&part->sections[sections[i]], &package->sections[sections[i]],
		                 parts[i].offset, parts[i].size))
			return false;
	section_cut(&part->sections[DWARF_STR], &package->sections[DWARF_STR], 0,
	            package->sections[DWARF_STR].full_size);
	return section_cut(&info, &package->lists[0].section, parts[PACKAGE_INFO].offset,
	                   parts[PACKAGE_INFO].size) &&
	       dwarf_file_add_units(part, &info, false);
}

/* Takes the steps for reading the parts, which other units may have, too, from the budget. */
static bool pay_parts(struct splits *splits, const struct package_part parts[PACKAGE_SECTIONS])
{
	uint64_t size = 0;

	for (int i = 0; i < PACKAGE_SECTIONS; i++)
		size += parts[i].size;
	return points_work(splits->points, size / WORK_PER_BYTE);
}

static struct dwarf_unit *find_in_package(struct splits *splits, uint64_t id)
{
	struct package_part parts[PACKAGE_SECTIONS];

	if (!splits->package.err ||
	    !package_index_find(&splits->index, id, splits->points, parts) ||
	    !pay_parts(splits, parts) || !cut_package(splits, parts))
		return NULL;
	return find_unit(&splits->part, id);
}

/* --- .dwo files */

/*
 * Finds the unit in the open file. Its size is added to the budget when it is found for the first
 * time.
 */
static struct dwarf_unit *find_paid_unit(struct splits *splits, uint64_t id)
{
	struct dwarf_unit *unit = find_unit(&splits->file, id);

	if (!unit || map_get(&splits->paid, id) != MAP_NONE)
		return unit;
	points_pay(splits->points, unit->next - unit->offset);
	return map_put(&splits->paid, id, 1, splits->err) ? unit : NULL;
}

static struct dwarf_unit *find_in_fd(struct splits *splits, int fd, uint64_t id)
{
	struct dwarf_file *file = &splits->file;

	dwarf_file_release(file);
	if (!dwarf_file_open(file, fd, splits->points, splits->err) ||
	    !points_work(splits->points, file->source.elf.size / WORK_PER_BYTE))
		return NULL;
	return find_paid_unit(splits, id);
}

/*
 * The file is where the compiler wrote it, or lies under its base name beside the debug file or the
 * binary.
 */
static struct dwarf_unit *find_in_file(struct splits *splits, struct dwarf_unit *skeleton)
{
	const char *dir = unit_text(skeleton, &skeleton->facts, FACT_COMP_DIR);
	const char *name = unit_text(skeleton, &skeleton->facts, FACT_DWO_NAME);
	const char *const others[] = { splits->query->path, splits->query->binary };
	struct dwarf_unit *found = NULL;
	char *path;

	if (!name)
		return NULL;
	path = dir && *name != '/' ? path_format(splits->err, "%s/%s", dir, name)
	                           : path_format(splits->err, "%s", name);
	if (!path)
		return NULL;
	if (splits->path && strcmp(splits->path, path) == 0)
		found = find_paid_unit(splits, skeleton->id);
	if (found || splits->err->code != ERR_NONE) {
		free(path);
		return found;
	}
	close_file(splits);
	splits->path = path;
	found = find_in_fd(splits, rootfs_open(splits->query->symfs, path), skeleton->id);
	for (size_t i = 0; i < ARRAY_SIZE(others) && !found; i++)
		if (others[i] && splits->err->code == ERR_NONE)
			found = find_in_fd(splits,
			                   open_beside(splits, others[i], path_base(name), ""),
			                   skeleton->id);
	if (found || splits->err->code != ERR_NONE)
		return found;
	if (splits->points->work)
		diag_warn(splits->diag, ERR_NO_OFFSET,
		          "%s: its debug information in %s is missing, or of another build",
		          splits->query->path, path);
	close_file(splits);
	return NULL;
}

struct dwarf_unit *splits_find(struct splits *splits, struct dwarf_unit *unit)
{
	struct dwarf_unit *found;

	if (unit->kind != UNIT_SKELETON)
		return unit;
	if (!splits->looked)
		look_for_package(splits);
	if (splits->err->code != ERR_NONE)
		return NULL;
	found = find_in_package(splits, unit->id);
	if (!found && splits->err->code == ERR_NONE)
		found = find_in_file(splits, unit);
	return found || splits->err->code != ERR_NONE ? found : unit;
}
