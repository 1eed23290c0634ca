#ifdef HAVE_LIBDW
#include "decode/dwarf/file.h"

#include "decode/dwarf/relocate.h"
#include "decode/files/rootfs.h"
#include "util/memory.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *section_name(const struct dwarf_file *file, Elf_Scn *section)
{
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names) != 0 || !gelf_getshdr(section, &header))
		return NULL;
	return elf_strptr(file->elf, names, header.sh_name);
}

/* Whether a section begins with a type unit of DWARF 5, where its 7th byte is the unit's kind. */
static bool holds_type(Elf_Scn *section)
{
	enum { UNIT_KIND = 6, KIND_SPLIT_TYPE = 6 };
	const Elf_Data *data = elf_rawdata(section, NULL);

	return data && data->d_buf && data->d_size > UNIT_KIND &&
	       ((const uint8_t *)data->d_buf)[UNIT_KIND] == KIND_SPLIT_TYPE;
}

/*
 * libdw must not see the indexes of a package, for which it takes the file for one without split
 * units. Of sections with the same name it reads the first, but gcc puts each type of a .dwo file
 * into one of its own, before the unit with the code.
 */
static void hide_section(struct dwarf_file *file, Elf_Scn *section, const char *name)
{
	const char *next = section_name(file, elf_nextscn(file->elf, section));
	GElf_Shdr header;

	if (strcmp(name, ".debug_cu_index") == 0)
		file->index = section;
	else if (strcmp(name, ".debug_tu_index") != 0 &&
	         !(next && strcmp(name, ".debug_info.dwo") == 0 && strcmp(next, name) == 0 &&
	           holds_type(section)))
		return;
	file->image.changed = true;
	if (!gelf_getshdr(section, &header))
		return;
	header.sh_name = 0;
	gelf_update_shdr(section, &header);
}

/* Addresses in files that are not linked are made those of the loaded module. */
static bool relocate(struct dwarf_file *file, struct err *err)
{
	GElf_Ehdr header;

	return gelf_getehdr(file->elf, &header) &&
	       (header.e_type != ET_REL || dwarf_relocate(file, err));
}

bool dwarf_file_open(struct dwarf_file *file, const char *path, struct err *err)
{
	return dwarf_file_open_fd(file, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err);
}

bool dwarf_file_open_fd(struct dwarf_file *file, int fd, struct err *err)
{
	Elf_Scn *section = NULL;

	*file = (struct dwarf_file){ 0 };
	elf_version(EV_CURRENT);
	if (!dwarf_image_open_fd(&file->image, fd, err))
		return false;
	if (memory_has(DWARF_MEMORY, err))
		file->elf = elf_memory((char *)file->image.data, file->image.size);
	if (file->elf && elf_kind(file->elf) == ELF_K_ELF) {
		while ((section = elf_nextscn(file->elf, section)))
			if (section_name(file, section))
				hide_section(file, section, section_name(file, section));
		file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	}
	if (file->dwarf && relocate(file, err))
		return true;
	/* addr2line cannot help with what cannot be relocated */
	file->image.changed &= !file->dwarf;
	dwarf_file_release(file);
	return false;
}

void dwarf_file_release(struct dwarf_file *file)
{
	if (file->dwarf)
		dwarf_end(file->dwarf);
	if (file->elf)
		elf_end(file->elf);
	dwarf_image_close(&file->image);
	*file = (struct dwarf_file){ .image = file->image };
}

/* Opens path, below root if there is one, if it has this build id. */
static bool open_checked(struct dwarf_file *file, const char *root, const char *path,
                         const void *id, ssize_t id_size, struct err *err)
{
	int fd = rootfs_open(root, path);
	const void *found = NULL;
	ssize_t size;

	if (fd < 0 || !dwarf_file_open_fd(file, fd, err))
		return false;
	size = dwelf_elf_gnu_build_id(file->elf, &found);
	if (size == id_size && size > 0 && memcmp(found, id, (size_t)size) == 0)
		return true;
	dwarf_file_release(file);
	return false;
}

/* /usr/lib/debug/.build-id/ab/cdef.debug */
static bool open_by_id(struct dwarf_file *file, const char *root, const uint8_t *id, size_t size,
                       struct err *err)
{
	static const char start[] = "/usr/lib/debug/.build-id/";
	char path[sizeof(start) + 2 * 64 + sizeof("/.debug")];
	size_t used = sizeof(start) - 1;

	if (size < 2 || size > 64)
		return false;
	memcpy(path, start, used);
	for (size_t i = 0; i < size; i++) {
		used += (size_t)snprintf(path + used, sizeof(path) - used, "%02x", id[i]);
		if (i == 0)
			path[used++] = '/';
	}
	snprintf(path + used, sizeof(path) - used, ".debug");
	return open_checked(file, root, path, id, (ssize_t)size, err);
}

/* What of path, which has no links, is below the root; NULL if it is elsewhere, or err is set. */
static const char *path_below(const char *root, const char *path, struct err *err)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *real = fd < 0 ? NULL : rootfs_path(fd, root, "");
	size_t length = real ? strlen(real) : 0;
	bool below = length && strncmp(path, real, length) == 0 && path[length] == '/';

	if (fd >= 0 && !real)
		err_nomem(err, strlen(root));
	free(real);
	if (fd >= 0)
		close(fd);
	return below ? path + length : NULL;
}

/* Opens the file of this name; a relative one counts from the folder of the file at path. */
static bool open_near(struct dwarf_file *file, const char *root, const char *path, const char *name,
                      const void *id, ssize_t id_size, struct err *err)
{
	const char *from = "", *end;
	bool found = false;
	size_t dir;
	char *near;

	if (*name != '/')
		from = root ? path_below(root, path, err) : path;
	/* a debug file from the cache is not below the root: no name in it leads anywhere */
	if (!from)
		return false;
	end = strrchr(from, '/');
	dir = end ? (size_t)(end - from) + 1 : 0;
	near = malloc(dir + strlen(name) + 1);
	if (!near)
		return err_nomem(err, dir + strlen(name) + 1);
	memcpy(near, from, dir);
	memcpy(near + dir, name, strlen(name) + 1);
	found = open_checked(file, root, near, id, id_size, err);
	free(near);
	return found;
}

bool dwarf_file_open_shared(struct dwarf_file *shared, const struct dwarf_file *file,
                            const char *path, const char *symfs, struct diag *diag, struct err *err)
{
	const char *name = NULL;
	const void *id = NULL;
	ssize_t id_size = dwelf_dwarf_gnu_debugaltlink(file->dwarf, &name, &id);
	bool found;

	*shared = (struct dwarf_file){ 0 };
	if (id_size <= 0 || !name)
		return false;
	found = open_near(shared, symfs, path, name, id, id_size, err) ||
	        (err->code == ERR_NONE && open_by_id(shared, symfs, id, (size_t)id_size, err));
	if (found)
		dwarf_setalt(file->dwarf, shared->dwarf);
	else if (err->code == ERR_NONE)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"%s: the debug information that it shares with others, %s, is missing, or of another build",
			path, name);
	return found;
}

/* The part of a section's name that says what it holds: "info" of ".zdebug_info.dwo". */
static bool is_section(const char *name, const char *what)
{
	size_t length = strlen(what);

	if (strncmp(name, ".debug_", 7) == 0)
		name += 7;
	else if (strncmp(name, ".zdebug_", 8) == 0)
		name += 8;
	else
		return false;
	return strncmp(name, what, length) == 0 &&
	       (name[length] == '\0' || strcmp(name + length, ".dwo") == 0);
}

void dwarf_sections_find(struct dwarf_sections *sections, Dwarf *dwarf)
{
	const struct {
		const char *name;
		struct bytes *bytes;
	} wanted[] = {
		{ "info", &sections->info },
		{ "abbrev", &sections->abbrev },
		{ "addr", &sections->addr },
		{ "ranges", &sections->ranges },
		{ "rnglists", &sections->rnglists },
		{ "line", &sections->lines.line },
		{ "line_str", &sections->lines.line_str },
		{ "str", &sections->lines.str },
	};
	Elf *elf = dwarf_getelf(dwarf);
	const char *ident = elf_getident(elf, NULL);
	bool big = ident && ident[EI_DATA] == ELFDATA2MSB;
	bool swap = must_swap(big);
	Elf_Scn *section = NULL;
	size_t names;

	*sections = (struct dwarf_sections){ .dwarf = dwarf };
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		*wanted[i].bytes = bytes_over(NULL, 0, swap);
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = NULL;
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS ||
		    (header.sh_flags & SHF_COMPRESSED))
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		for (size_t i = 0; name && i < ARRAY_SIZE(wanted); i++) {
			if (bytes_left(wanted[i].bytes) || !is_section(name, wanted[i].name))
				continue;
			/* libdw has inflated compressed sections when it began. */
			data = elf_rawdata(section, NULL);
			if (data && data->d_buf)
				*wanted[i].bytes = bytes_over(data->d_buf, data->d_size, swap);
		}
	}
}
#else
/* Without libdw this file is empty, which C does not allow. */
extern const int dwarf_file_unused;
#endif
