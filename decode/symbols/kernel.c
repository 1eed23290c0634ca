#include "decode/symbols/kernel.h"

#include "decode/symbols/elfsymbols.h"
#include "decode/files/locate.h"
#include "decode/files/buildidcache.h"
#include "decode/files/rootfs.h"
#include "util/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NOTES_MAX ((size_t)1 << 20)

void symbol_cache_release(struct symbol_cache *cache)
{
	kallsyms_release(&cache->kallsyms);
	*cache = (struct symbol_cache){ .searched = false };
}

bool running_build_id(const char *path, struct build_id *id, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	int fd = rootfs_open(NULL, path);
	size_t size;
	char *notes = fd < 0 ? NULL : rootfs_slurp(fd, NOTES_MAX, &size, &problem);

	memset(id, 0, sizeof(*id));
	if (notes)
		elf_notes_build_id((uint8_t *)notes, size, 4, false, id);
	free(notes);
	return err_pass_nomem(err, &problem);
}

bool running_release(const struct symbol_options *options)
{
	struct utsname name;

	return options->osrelease && *options->osrelease && !uname(&name) &&
	       !strcmp(name.release, options->osrelease);
}

/* The state of searching for the list of the recorded kernel. */
struct search {
	const struct symbol_query *query;
	const struct binary *kernel;
	struct symbol_cache *cache;      /* receives the result */
	struct kallsyms_request request; /* what is known of the kernel; same_boot by the pass */
};

/*
 * Reads the list in the request. In a list of another boot all symbols of the kernel, but not those
 * of modules, are at a fixed distance from the recorded ones. path: for messages.
 */
static bool read_list(struct search *search, const struct kallsyms_request *request,
                      const char *path, struct err *err)
{
	struct symbol_cache *cache = search->cache;
	struct err problem = { .code = ERR_NONE };

	kallsyms_release(&cache->kallsyms);
	kallsyms_read(&cache->kallsyms, request, &problem);
	cache->found = problem.code == ERR_NONE && cache->kallsyms.table.count &&
	               (!request->same_boot || !cache->kallsyms.delta);
	if (problem.code != ERR_NONE && problem.code != ERR_NOMEM)
		diag_warn(search->query->diag, ERR_NO_OFFSET, "%s: kernel symbols: %s", path,
		          problem.text);
	return err_pass_nomem(err, &problem);
}

/*
 * Reads the list at path, which is malloc'd and freed here; NULL: memory was refused. in_order: as
 * in struct kallsyms_request.
 */
static bool try_list(struct search *search, char *path, bool in_order, struct err *err)
{
	struct kallsyms_request request = search->request;

	request.fd = path ? rootfs_open(NULL, path) : -1;
	request.in_order = in_order;
	if (request.fd >= 0) {
		read_list(search, &request, path, err);
		close(request.fd);
	}
	free(path);
	return err->code == ERR_NONE;
}

/* perf record --kcore makes a directory with a copy of the list: malloc'd; NULL: none, or err. */
static char *kcore_list(const char *recording, struct err *err)
{
	struct stat status;

	if (!recording || !strcmp(recording, "-"))
		return NULL;
	if (!stat(recording, &status) && S_ISDIR(status.st_mode))
		return path_format(err, "%s/kcore_dir/kallsyms", recording);
	return path_format(err, "%.*skcore_dir/kallsyms", (int)(path_base(recording) - recording),
	                   recording);
}

bool kernel_has_kcore_dir(const struct symbol_options *options)
{
	struct err refused = { .code = ERR_NONE };
	char *path = kcore_list(options->files.recording, &refused);
	const bool there = path ? !access(path, F_OK) : refused.code != ERR_NONE;

	free(path);
	return there;
}

static bool try_kcore_dir(struct search *search, struct err *err)
{
	char *path = kcore_list(search->query->options->files.recording, err);

	return path ? try_list(search, path, false, err) : err->code == ERR_NONE;
}

/* Old recorders of tracepoints wrote the list into the recording, so it is of the same boot. */
static bool try_recorded(struct search *search, struct err *err)
{
	struct kallsyms_request request = search->request;

	request.text = search->query->options->recorded_list;
	request.size = search->query->options->recorded_list_size;
	request.same_boot = true;
	return !request.size || read_list(search, &request, "the recording", err);
}

static bool try_cached(struct search *search, struct err *err)
{
	static const char *const files[] = { "/kallsyms", "" };

	for (size_t i = 0; !search->cache->found && i < ARRAY_SIZE(files); i++) {
		char *path = buildid_cache_path(search->query->options->files.buildid_dir,
		                                &search->kernel->build_id, files[i], err);

		if (!try_list(search, path, false, err))
			return false;
	}
	return true;
}

/* Whether the running kernel is the recorded one. */
enum likeness { SAME_KERNEL, OTHER_KERNEL, NOT_KNOWN };

static enum likeness compare_running(const struct search *search)
{
	struct err err = { .code = ERR_NONE };
	const struct binary *kernel = search->kernel;
	const char *release = search->query->options->osrelease;
	struct build_id running;

	if (kernel->build_id.size) {
		running_build_id("/sys/kernel/notes", &running, &err);
		if (!running.size)
			return NOT_KNOWN;
		return build_id_equal(&kernel->build_id, &running) ? SAME_KERNEL : OTHER_KERNEL;
	}
	if (!release || !*release)
		return NOT_KNOWN;
	return running_release(search->query->options) ? SAME_KERNEL : OTHER_KERNEL;
}

static bool try_running(struct search *search, struct err *err)
{
	const struct binary *kernel = search->kernel;

	if (compare_running(search) != SAME_KERNEL)
		return true;
	if (!try_list(search, path_format(err, "/proc/kallsyms"), true, err))
		return false;
	search->cache->live = search->cache->found;
	if (!kernel->build_id.size && search->cache->found)
		diag_warn(
			search->query->diag, ERR_NO_OFFSET,
			"the recording does not identify its kernel: taken to be the running one, "
			"whose release is the same");
	else if (!kernel->ref_addr && search->cache->found)
		diag_warn(search->query->diag, ERR_NO_OFFSET,
		          "the recording does not say where its kernel was (kernel.kptr_restrict): "
		          "taken to be where the running one is");
	return true;
}

/* Whether path is the running kernel's own list although another kernel was recorded. */
static bool is_of_another(const struct search *search, const char *path)
{
	struct stat given, own;

	return !stat(path, &given) && !stat("/proc/kallsyms", &own) && given.st_dev == own.st_dev &&
	       given.st_ino == own.st_ino && compare_running(search) == OTHER_KERNEL;
}

static void report_given(const struct search *search, const char *path)
{
	const struct kallsyms *list = &search->cache->kallsyms;
	const bool found = search->cache->found;
	struct diag *diag = search->query->diag;

	if (list->other_lines)
		diag_warn(diag, ERR_NO_OFFSET,
		          "--kallsyms=%.200s: line %" PRIu64
		          ": expected ADDRESS TYPE NAME, as in /proc/kallsyms, found '%s': %" PRIu64
		          " such line%s left out%s",
		          path, list->other_line, list->other_text, list->other_lines,
		          list->other_lines == 1 ? " is" : "s are",
		          found ? "" : ", and functions of the kernel have no names");
	else if (!found && list->hidden)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"--kallsyms=%s: all addresses in it are 0: it was read without the right to see them",
			path);
	else if (!found)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"--kallsyms=%s: no kernel symbols in it, so functions of the kernel have no names",
			path);
}

static bool take_given(struct search *search, const char *path, struct err *err)
{
	struct diag *diag = search->query->diag;

	if (is_of_another(search, path)) {
		diag_warn(diag, ERR_NO_OFFSET,
		          "%s: is of another kernel than the recorded one: not used", path);
		search->cache->reason = ORIGIN_BUILD_ID_MISMATCH;
		return true;
	}
	if (!try_list(search, path_format(err, "%s", path), false, err))
		return false;
	report_given(search, path);
	return true;
}

static bool find_list(struct search *search, struct err *err)
{
	static bool (*const ways[])(struct search *, struct err *) = { try_kcore_dir, try_recorded,
		                                                       try_cached, try_running };
	const char *given = search->query->options->kallsyms;

	if (given)
		return take_given(search, given, err);
	/* first lists of the same boot, which also have the right addresses of modules */
	for (int pass = 0; pass < 2; pass++) {
		search->request.same_boot = pass == 0;
		for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
			if (!ways[i](search, err))
				return false;
			if (search->cache->found)
				return true;
		}
	}
	return true;
}

bool kernel_find_list(const struct symbol_query *query, const struct binary *kernel,
                      struct err *err)
{
	const struct symbol_options *options = query->options;
	struct symbol_cache *cache = options->cache;
	struct search search = {
		.query = query,
		.kernel = kernel,
		.cache = cache,
		.request = { .ref_name = strings_get(query->strings, kernel->ref_name),
		             .ref_addr = kernel->ref_addr,
		             .addrs = options->kernel_addrs,
		             .addr_count = options->kernel_addr_count,
		             .prefixes = options->kernel_names },
	};

	if (cache->searched)
		return true;
	cache->reason = ORIGIN_KERNEL_HIDDEN;
	cache->searched = find_list(&search, err);
	return cache->searched;
}

/* The distance between the recorded kernel's symbols and those of this vmlinux. */
static uint64_t kernel_relocation(const struct symbol_query *query, const struct symtable *table)
{
	const struct binary *binary = query->binary;
	const char *name = strings_get(query->strings, binary->ref_name);

	for (size_t i = 0; binary->ref_addr && *name && i < table->count; i++)
		if (!strcmp(symtable_name(table, &table->items[i]), name))
			return binary->ref_addr - table->items[i].start;
	return 0;
}

static bool take_vmlinux(const struct symbol_query *query, const struct elf *elf,
                         struct symtable *table, struct err *err)
{
	struct elf_symbols source = {
		.names = elf, .runtime = elf, .space = ELF_SPACE_ADDR, .origin = ORIGIN_VMLINUX
	};
	uint64_t relocation;

	if (!elf_symbols_put(table, &source, err))
		return false;
	relocation = kernel_relocation(query, table);
	for (size_t i = 0; i < table->count; i++)
		table->items[i].start += relocation;
	/* sorted again, because damaged addresses may have wrapped around */
	return symtable_sort(table, err) &&
	       symtable_add_link(table, 0, UINT64_MAX, -relocation, err);
}

/*
 * Whether it is a vmlinux with symbols and, if the recorded build id is known, has that build id.
 */
static bool is_the_vmlinux(const struct symbol_query *query, const struct elf *elf,
                           struct found_symbols *found)
{
	const struct build_id *wanted = &query->binary->build_id;

	if (!elf_find_type(elf, SHT_SYMTAB))
		return false;
	if (!wanted->size || build_id_equal(wanted, &elf->build_id))
		return true;
	found->reason = ORIGIN_BUILD_ID_MISMATCH;
	return false;
}

/*
 * path is malloc'd and freed here; NULL: memory was refused. must_prove: use it only if it has the
 * recorded build id.
 */
static bool try_vmlinux(const struct symbol_query *query, const char *root, char *path,
                        bool must_prove, struct found_symbols *found, struct err *err)
{
	struct err problem = { .code = ERR_NONE };
	bool possible = path && (!must_prove || query->binary->build_id.size);
	int fd = possible ? rootfs_open(root, path) : -1;
	struct elf elf;

	if (fd >= 0 && elf_open(&elf, fd, &problem) && is_the_vmlinux(query, &elf, found)) {
		if (take_vmlinux(query, &elf, &found->own, &problem) && found->table->count) {
			if (elf_has_dwarf(&elf))
				found->debug.path = rootfs_path(fd, root, path, err);
			if (query->options->want_code && !found->has_code) {
				found->code = elf;
				found->has_code = true;
				fd = -1;
			}
		} else {
			diag_warn(query->diag, ERR_NO_OFFSET, "%s: kernel symbols: %s", path,
			          problem.code == ERR_NONE ? "none of code" : problem.text);
			symtable_release(&found->own);
		}
	}
	if (fd >= 0)
		elf_close(&elf);
	free(path);
	return err_pass_nomem(err, &problem);
}

/* root: a folder of --symfs, or NULL. */
static bool search_root(const struct symbol_query *query, const char *root,
                        struct found_symbols *found, struct err *err)
{
	/* the release stands between two parts */
	static const char *const places[][2] = {
		{ "vmlinux", NULL },
		{ "/boot/vmlinux", NULL },
		{ "/boot/vmlinux-", "" },
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/boot/vmlinux-", ".debug" },
	};
	const char *release = query->options->osrelease;

	for (size_t i = 0; !found->table->count && i < ARRAY_SIZE(places); i++) {
		const char *after = places[i][1];

		if (after && (!release || !*release || strchr(release, '/')))
			continue;
		if (!try_vmlinux(query, root,
		                 path_format(err, "%s%s%s", places[i][0], after ? release : "",
		                             after ? after : ""),
		                 !after, found, err))
			return false;
	}
	return true;
}

static bool search_vmlinux(const struct symbol_query *query, struct found_symbols *found,
                           struct err *err)
{
	static const char *const cached[] = { "/elf", "/debug", "/vmlinux", "" };
	const struct file_options *files = &query->options->files;

	for (size_t i = 0; !found->table->count && i < ARRAY_SIZE(cached); i++)
		if (!try_vmlinux(query, NULL,
		                 buildid_cache_path(files->buildid_dir, &query->binary->build_id,
		                                    cached[i], err),
		                 true, found, err))
			return false;
	for (size_t i = 0; !found->table->count && i < file_roots(files); i++)
		if (!search_root(query, file_root(files, i), found, err))
			return false;
	return true;
}

/*
 * Finds the debug file of a distribution's kernel by its build id alone. fetch: ask servers, too,
 * if --debuginfod is given.
 */
static bool search_debug_file(const struct symbol_query *query, bool fetch,
                              struct found_symbols *found, struct err *err)
{
	struct located located = { .build_id = query->binary->build_id };
	struct file_options options = query->options->files;
	char *path = NULL;
	bool ok;

	if (!located.build_id.size)
		return true;
	options.debuginfod &= fetch;
	ok = locate_debug(&located, "vmlinux", &options, query->diag, err);
	if (ok && located.has_debug) {
		path = located.debug_path;
		located.debug_path = NULL;
	}
	located_release(&located);
	return path ? try_vmlinux(query, NULL, path, true, found, err) : ok;
}

bool kernel_load(const struct symbol_query *query, struct found_symbols *found, struct err *err)
{
	const char *given = query->options->vmlinux;
	struct symbol_cache *list = query->options->cache;

	found->reason = ORIGIN_KERNEL_HIDDEN;
	if (given) {
		if (!try_vmlinux(query, NULL, path_format(err, "%s", given), false, found, err))
			return false;
		if (!found->table->count)
			diag_warn(query->diag, ERR_NO_OFFSET, "--vmlinux=%s: %s: not used", given,
			          found->reason == ORIGIN_BUILD_ID_MISMATCH
			                  ? "has another build id than the recorded kernel"
			                  : "no kernel symbols in it");
	} else if (!query->options->kallsyms) {
		if (!search_vmlinux(query, found, err) ||
		    (!found->table->count && !search_debug_file(query, false, found, err)))
			return false;
	}
	if (found->table->count)
		return true;
	if (!kernel_find_list(query, query->binary, err))
		return false;
	if (list->found) {
		found->table = &list->kallsyms.table;
		return true;
	}
	if (found->reason != ORIGIN_BUILD_ID_MISMATCH)
		found->reason = list->reason;
	/* it may be a gigabyte, which is not worth it if a list already names the functions */
	return !query->options->files.debuginfod || search_debug_file(query, true, found, err);
}
