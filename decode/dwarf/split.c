#ifdef HAVE_LIBDW
#include "decode/dwarf/split.h"

#include "decode/dwarf/reader.h"
#include "decode/files/rootfs.h"

#include <dwarf.h>
#include <stdlib.h>

void splits_init(struct splits *splits, const struct source_query *query, struct diag *diag)
{
	*splits = (struct splits){ .query = query, .diag = diag };
	map_init(&splits->paid);
}

static void close_file(struct splits *splits)
{
	dwarf_file_release(&splits->file);
	free(splits->path);
	splits->path = NULL;
}

void splits_release(struct splits *splits)
{
	close_file(splits);
	dwarf_file_release(&splits->package.file);
	map_release(&splits->paid);
}

void splits_forget(const struct splits *splits)
{
	dwarf_image_forget(&splits->file.image);
	dwarf_image_forget(&splits->package.file.image);
}

/* The unit of a split file with this id. *size: its bytes. */
static bool find_unit(Dwarf *dwarf, uint64_t id, struct points *points, Dwarf_Die *split,
                      uint64_t *size)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	while (points_work(points, 1) && dwarf_next_unit(dwarf, offset, &next, &header, NULL, NULL,
	                                                 NULL, NULL, NULL, NULL) == 0) {
		uint64_t found;
		uint8_t type;
		Dwarf_Die die;

		if (dwarf_offdie(dwarf, offset + header, &die) &&
		    dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, &found, NULL, NULL) == 0 &&
		    type == DW_UT_split_compile && found == id) {
			*split = die;
			*size = next - offset;
			return true;
		}
		if (next <= offset)
			break;
		offset = next;
	}
	return false;
}

/* Opens a file beside another. Under --symfs no link may lead out of the folder. */
static int open_beside(const struct splits *splits, const char *other, const char *name,
                       const char *end, struct err *err)
{
	const char *symfs = splits->query->symfs, *slash = strrchr(other, '/');
	char *dir = slash ? strndup(other, (size_t)(slash - other) + 1) : strdup("./");
	char *file = rootfs_join(symfs && dir ? "" : dir ? dir : "", name, end, (char *)NULL);
	int fd = -1;

	if (dir && file)
		fd = rootfs_open(symfs ? dir : NULL, file);
	else
		err_nomem(err, strlen(other) + strlen(name));
	free(file);
	free(dir);
	return fd;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* --- packages */

static void find_sections(struct package *package)
{
	static const char *const names[PACKAGE_SECTIONS] = {
		[PACKAGE_INFO] = ".debug_info.dwo",
		[PACKAGE_ABBREV] = ".debug_abbrev.dwo",
		[PACKAGE_LINE] = ".debug_line.dwo",
		[PACKAGE_STR_OFFSETS] = ".debug_str_offsets.dwo",
		[PACKAGE_RNGLISTS] = ".debug_rnglists.dwo",
	};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t strings;

	if (elf_getshdrstrndx(package->file.elf, &strings) != 0)
		return;
	while ((section = elf_nextscn(package->file.elf, section))) {
		const char *name = NULL;
		Elf_Data *data = NULL, *raw = NULL;

		if (gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS)
			name = elf_strptr(package->file.elf, strings, header.sh_name);
		if (name && strncmp(name, ".debug_", 7) == 0)
			raw = elf_rawdata(section, NULL);
		data = raw ? elf_getdata(section, NULL) : NULL;
		if (!data || !raw->d_buf)
			continue;
		for (int i = 0; i < PACKAGE_SECTIONS; i++) {
			if (package->sections[i].data || strcmp(name, names[i]) != 0)
				continue;
			package->sections[i].data = data;
			package->sections[i].raw = raw;
			package->sections[i].bytes = raw->d_buf;
			package->sections[i].size = raw->d_size;
		}
	}
}

/* False with err set: memory refused. */
static bool open_package(struct package *package, int fd, struct err *err)
{
	struct dwarf_sections sections;
	struct bytes index;
	Elf_Data *data;

	*package = (struct package){ 0 };
	if (!dwarf_file_open_fd(&package->file, fd, err))
		return false;
	find_sections(package);
	data = package->file.index ? elf_rawdata(package->file.index, NULL) : NULL;
	if (data && data->d_buf) {
		dwarf_sections_find(&sections, package->file.dwarf);
		index = bytes_over(data->d_buf, data->d_size, sections.info.swap);
		if (package_index_read(&package->index, &index))
			return true;
	}
	dwarf_file_release(&package->file);
	return false;
}

/* Looks for BINARY.dwp beside the debug file, and beside the binary if that is another. */
static bool look_for_package(struct splits *splits, struct points *points, struct err *err)
{
	const char *debug = splits->query->path, *binary = splits->query->binary;
	const struct {
		const char *other, *name;
	} places[] = { { debug, base_name(debug) },
		       { binary, binary ? base_name(binary) : NULL },
		       { debug, binary ? base_name(binary) : NULL } };

	splits->looked = true;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		int fd;

		if (!places[i].name)
			continue;
		fd = open_beside(splits, places[i].other, places[i].name, ".dwp", err);
		if (fd >= 0 && open_package(&splits->package, fd, err)) {
			points_pay(points, splits->package.file.image.file_size);
			break;
		}
		if (err->code != ERR_NONE)
			return false;
	}
	return true;
}

/* Lets libdw see the parts of one unit as if they were a file of its own. */
static bool narrow(struct package *package, const struct package_part parts[PACKAGE_SECTIONS])
{
	for (int i = 0; i < PACKAGE_SECTIONS; i++) {
		Elf_Data *data = package->sections[i].data, *raw = package->sections[i].raw;
		size_t size = package->sections[i].size;

		if (!data)
			continue;
		if (parts[i].offset > size || parts[i].size > size - parts[i].offset)
			return false;
		data->d_buf = raw->d_buf = package->sections[i].bytes + parts[i].offset;
		data->d_size = raw->d_size = parts[i].size;
	}
	dwarf_end(package->file.dwarf);
	package->file.dwarf = dwarf_begin_elf(package->file.elf, DWARF_C_READ, NULL);
	return package->file.dwarf != NULL;
}

static bool find_in_package(struct splits *splits, uint64_t id, struct points *points,
                            Dwarf_Die *split)
{
	struct package *package = &splits->package;
	struct package_part parts[PACKAGE_SECTIONS];
	size_t sections;
	uint64_t size;

	return package->file.elf && elf_getshdrnum(package->file.elf, &sections) == 0 &&
	       points_work(points, sections) &&
	       package_index_find(&package->index, id, points, parts) && narrow(package, parts) &&
	       find_unit(package->file.dwarf, id, points, split, &size);
}

/* --- .dwo files */

/* Finds the unit in the open file. When it is found for the first time it pays for its reading. */
static bool take_unit(struct splits *splits, uint64_t id, struct points *points, Dwarf_Die *split,
                      struct err *err)
{
	uint64_t size;

	if (!splits->file.dwarf || !find_unit(splits->file.dwarf, id, points, split, &size))
		return false;
	if (map_get(&splits->paid, id) != MAP_NONE)
		return true;
	points_pay(points, size);
	return map_put(&splits->paid, id, 1, err);
}

static bool take_file(struct splits *splits, int fd, uint64_t id, struct points *points,
                      Dwarf_Die *split, struct err *err)
{
	dwarf_file_release(&splits->file);
	return dwarf_file_open_fd(&splits->file, fd, err) &&
	       points_work(points, splits->file.image.file_size / WORK_PER_BYTE) &&
	       take_unit(splits, id, points, split, err);
}

/* Where the compiler put it, then beside the debug file and the binary, by its base name. */
static int open_place(const struct splits *splits, unsigned place, const char *name,
                      const char *path, struct err *err)
{
	const char *beside = place == 1 ? splits->query->path : splits->query->binary;

	if (place == 0)
		return rootfs_open(splits->query->symfs, path);
	return beside ? open_beside(splits, beside, base_name(name), "", err) : -1;
}

static bool find_in_file(struct splits *splits, Dwarf_Die *skeleton, uint64_t id,
                         struct points *points, Dwarf_Die *split, struct err *err)
{
	const char *dir = dwarf_text_attr(skeleton, DW_AT_comp_dir);
	const char *name = dwarf_text_attr(skeleton, DW_AT_dwo_name);
	bool found = false;
	char *path;

	if (!name)
		name = dwarf_text_attr(skeleton, DW_AT_GNU_dwo_name);
	if (!name)
		return true;
	path = rootfs_join(dir && *name != '/' ? dir : "", dir && *name != '/' ? "/" : "", name,
	                   (char *)NULL);
	if (!path)
		return err_nomem(err, strlen(name) + 1);
	if (splits->path && strcmp(splits->path, path) == 0)
		found = take_unit(splits, id, points, split, err);
	if (found || err->code != ERR_NONE) {
		free(path);
		return found;
	}
	close_file(splits);
	splits->path = path;
	for (unsigned place = 0; place < 3 && !found && err->code == ERR_NONE; place++) {
		int fd = open_place(splits, place, name, path, err);

		found = fd >= 0 && take_file(splits, fd, id, points, split, err);
	}
	if (found || err->code != ERR_NONE)
		return found;
	if (points->work)
		diag_warn(splits->diag, ERR_NO_OFFSET,
		          "%s: its debug information in %s is missing, or of another build",
		          splits->query->path, path);
	close_file(splits);
	return true;
}

bool splits_find(struct splits *splits, Dwarf_Die *skeleton, struct points *points,
                 Dwarf_Die *split, struct err *err)
{
	uint64_t id;
	uint8_t type;

	if (dwarf_cu_info(skeleton->cu, NULL, &type, NULL, NULL, &id, NULL, NULL) != 0 ||
	    type != DW_UT_skeleton)
		return true;
	if (!splits->looked && !look_for_package(splits, points, err))
		return false;
	return find_in_package(splits, id, points, split) ||
	       find_in_file(splits, skeleton, id, points, split, err);
}
#else
/* Without libdw this file is empty, which C does not allow. */
extern const int dwarf_split_unused;
#endif
