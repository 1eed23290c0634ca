#include "decode/files/locate.h"

#include "decode/files/buildidcache.h"
#include "decode/files/rootfs.h"
#include "util/vec.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

/* Larger than any vdso: those of x86 have two or three pages. */
#define IMAGE_MAX (1u << 20)

/*
 * A copy of our own vdso. It is mapped as a whole; its section headers, which come last, give its
 * size. Malloc'd, or NULL.
 */
static uint8_t *own_image(size_t *size, struct err *err)
{
	const uint8_t *image = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	ElfW(Ehdr) header;
	uint8_t *copy;

	if (!image || memcmp(image, ELFMAG, SELFMAG))
		return NULL;
	memcpy(&header, image, sizeof(header));
	if (header.e_shoff > IMAGE_MAX)
		return NULL;
	*size = (size_t)header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
	copy = vec_new(*size, 1, err);
	return copy ? memcpy(copy, image, *size) : NULL;
}

/* Whether this is a 32-bit process on a 64-bit kernel. */
static bool is_compat(void)
{
	struct utsname name;

	return sizeof(void *) == 4 && !uname(&name) && machine_is_64_bit(name.machine);
}

static bool open_cached(struct elf *elf, const struct binary *binary,
                        const struct file_options *options, struct err *err)
{
	static const char *const files[] = { "/vdso", "/elf", "" };
	bool found = false;

	for (size_t i = 0; !found && err->code == ERR_NONE && i < ARRAY_SIZE(files); i++) {
		char *path = buildid_cache_path(options->buildid_dir, &binary->build_id, files[i],
		                                err);
		int fd = path ? rootfs_open(NULL, path) : -1;
		struct err problem = { .code = ERR_NONE };

		free(path);
		if (fd < 0)
			continue;
		found = elf_open(elf, fd, &problem) &&
		        build_id_equal(&binary->build_id, &elf->build_id);
		if (!found)
			elf_close(elf);
		err_pass_nomem(err, &problem);
	}
	return found;
}

static bool open_own(struct elf *elf, const struct binary *binary, bool same_kernel,
                     struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	size_t size = 0;
	uint8_t *image = own_image(&size, err);

	if (!image)
		return false;
	if (elf_open_memory(elf, image, size, &problem) &&
	    (binary->build_id.size ? build_id_equal(&binary->build_id, &elf->build_id)
	                           : same_kernel && binary->compat == is_compat()))
		return true;
	elf_close(elf);
	err_pass_nomem(err, &problem);
	return false;
}

bool vdso_file_open(struct elf *elf, const struct binary *binary,
                    const struct file_options *options, bool same_kernel, struct err *err)
{
	return open_cached(elf, binary, options, err) ||
	       (err->code == ERR_NONE && open_own(elf, binary, same_kernel, err));
}
