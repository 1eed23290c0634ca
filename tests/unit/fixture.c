#define _XOPEN_SOURCE 700 /* mkdtemp(), nftw(), realpath() */
#include "tests/unit/fixture.h"

#include "decode/symbols/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- refused memory */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

static unsigned long seen, refuse;
static uint64_t bytes;

void refuse_allocation(unsigned long n)
{
	seen = 0;
	bytes = 0;
	refuse = n;
}

uint64_t allocated_bytes(void)
{
	return bytes;
}

unsigned long allocations_seen(void)
{
	return seen;
}

static bool refused(size_t size)
{
	unsigned long now = __atomic_add_fetch(&seen, 1, __ATOMIC_RELAXED);

	__atomic_add_fetch(&bytes, size, __ATOMIC_RELAXED);
	if (refuse && now == refuse)
		errno = ENOMEM;
	return refuse && now == refuse;
}

void *__wrap_malloc(size_t size)
{
	return refused(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return refused(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return refused(size) ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return refused(strlen(text) + 1) ? NULL : __real_strdup(text);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
	return refused(size) ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

/* --- files */

static void must(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		abort();
	}
}

static void note_warning(void *context, uint64_t offset, const char *text)
{
	struct fixture *fixture = context;
	size_t used = strlen(fixture->said);

	(void)offset;
	snprintf(fixture->said + used, sizeof(fixture->said) - used, "%s\n", text);
}

void fixture_begin(struct fixture *fixture)
{
	char made[] = "/tmp/readperf-unit.XXXXXX", *real;

	memset(fixture, 0, sizeof(*fixture));
	must(mkdtemp(made) != NULL, "mkdtemp");
	real = realpath(made, NULL);
	must(real && strlen(real) < sizeof(fixture->root), "realpath");
	strcpy(fixture->root, real);
	free(real);
	snprintf(fixture->cache, sizeof(fixture->cache), "%s/cache", fixture->root);
	must(strings_init(&fixture->strings, &fixture->err), "strings");
	diag_init(&fixture->diag, note_warning, fixture);
	fixture->roots[0] = fixture->root;
	fixture->options.files.symfs = fixture->roots;
	fixture->options.files.symfs_count = 1;
	fixture->options.files.buildid_dir = fixture->cache;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

void fixture_forget(struct fixture *fixture)
{
	symbols_free(fixture->symbols);
	symbol_cache_release(&fixture->list);
	strings_release(&fixture->strings);
	diag_release(&fixture->diag);
}

void fixture_end(struct fixture *fixture)
{
	fixture_forget(fixture);
	must(!nftw(fixture->root, remove_one, 16, FTW_DEPTH | FTW_PHYS), "nftw");
}

const char *fixture_path(const struct fixture *fixture, const char *path, char *text)
{
	snprintf(text, 200, "%s/%s", fixture->root, path);
	return text;
}

static void make_folders(const struct fixture *fixture, const char *path)
{
	char whole[200];

	fixture_path(fixture, path, whole);
	for (char *slash = whole + strlen(fixture->root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		must(!mkdir(whole, 0777) || errno == EEXIST, whole);
		*slash = '/';
	}
}

void fixture_put(struct fixture *fixture, const char *path, const void *data, size_t size)
{
	char whole[200];
	FILE *file;

	make_folders(fixture, path);
	file = fopen(fixture_path(fixture, path, whole), "w");
	must(file && fwrite(data, 1, size, file) == size && !fclose(file), whole);
}

void fixture_image(struct fixture *fixture, const char *path, struct image *image)
{
	fixture_put(fixture, path, image->data, image->size);
	image_release(image);
}

void fixture_text(struct fixture *fixture, const char *path, const char *text)
{
	fixture_put(fixture, path, text, strlen(text));
}

void fixture_link(struct fixture *fixture, const char *path, const char *target)
{
	char whole[200];

	make_folders(fixture, path);
	must(!symlink(target, fixture_path(fixture, path, whole)), whole);
}

bool fixture_run(const struct fixture *fixture, const char *folder, const char *format, ...)
{
	char command[1400], text[900];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(command, sizeof(command), "cd %s/%s && { %s; } >%s/log 2>&1", fixture->root, folder, text,
	         fixture->root);
	return system(command) == 0;
}

bool fixture_is_quick(void)
{
	const char *tests = getenv("TESTS");

	return tests && strcmp(tests, "quick") == 0;
}

bool fixture_has(const char *tool)
{
	char command[100];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", tool);
	return system(command) == 0;
}

/* --- symbols */

struct binary fixture_binary(struct fixture *fixture, enum binary_kind kind, const char *name)
{
	struct binary binary = { .kind = kind };

	binary.name = binary.path = strings_put_text(&fixture->strings, name, &fixture->err);
	must(binary.name != STRING_NONE, "strings");
	return binary;
}

bool fixture_load(struct fixture *fixture, const struct binary *binary)
{
	struct symbol_options options = fixture->options;

	symbols_free(fixture->symbols);
	fixture->symbols = NULL;
	symbol_cache_release(&fixture->list);
	diag_release(&fixture->diag); /* each kind is said once */
	diag_init(&fixture->diag, note_warning, fixture);
	fixture->said[0] = '\0';
	fixture->err.code = ERR_NONE;
	if (!options.cache)
		options.cache = &fixture->list;
	fixture->symbols = symbols_load(&(struct symbol_query){ binary, &fixture->strings, &options, &fixture->diag,
	                                                        fixture->addrs, fixture->addr_count, false },
	                                &fixture->err);
	if (fixture->symbols)
		symbols_find(fixture->symbols, UINT64_MAX, &fixture->reason, &fixture->err);
	return fixture->symbols && fixture->err.code == ERR_NONE;
}

bool fixture_load_refused(struct fixture *fixture, const struct binary *binary, struct refused_loads *loads)
{
	bool done;

	refuse_allocation(++loads->tried);
	loads->loaded = fixture_load(fixture, binary);
	done = allocations_seen() < loads->tried;
	refuse_allocation(0);
	loads->failed += !done && !loads->loaded;
	return !done;
}

const char *fixture_name(struct fixture *fixture, uint64_t addr, enum symbol_origin *origin)
{
	const struct symbol *symbol = NULL;
	enum symbol_origin reason = fixture->reason;

	if (fixture->symbols)
		symbol = symbols_find(fixture->symbols, addr, &reason, &fixture->err);
	if (origin)
		*origin = symbol ? (enum symbol_origin)symbol->origin : reason;
	return symbol ? symbol->name : "-";
}

const char *fixture_answer(struct fixture *fixture, uint64_t addr, char *text, size_t size)
{
	enum symbol_origin origin;
	const char *name = fixture_name(fixture, addr, &origin);

	snprintf(text, size, "%s %s", name, symbol_origin_name(origin));
	return text;
}
