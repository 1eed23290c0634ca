#include "decode/checks.h"

#include "decode/files/debuginfod.h"
#include "decode/symbols/symbolpack.h"
#include "util/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *temp_dir(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

/* The folder in which libdebuginfod stores downloaded files. */
static const char *cache_dir(char *path, size_t size)
{
	const char *dir = getenv("DEBUGINFOD_CACHE_PATH"), *home = getenv("HOME");

	if (!dir || !*dir)
		dir = getenv("XDG_CACHE_HOME");
	if (dir && *dir)
		return dir;
	return home && snprintf(path, size, "%s/.cache", home) < (int)size ? path : NULL;
}

bool writes_csv(const struct options *options)
{
	return options->tables.bits && (!options->workbook || options->output_named);
}

/* The folder of a file; malloc'd, NULL when memory is refused. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

bool enter_sandbox(const struct options *options, struct outputs *outputs, struct err *err)
{
	bool fetch = options->naming.lookup.symbols.files.debuginfod;
	char cache[4096], *made, *folder = NULL;
	struct sandbox allowed = { .temp = temp_dir(), .network = fetch };

	if (writes_csv(options)) {
		if (!outputs_make_dir(outputs, err))
			return false;
		allowed.output = options->output;
	}
	if (options->workbook && !(folder = folder_of(options->workbook)))
		return err_nomem(err, strlen(options->workbook));
	allowed.document = folder;
	if (fetch) {
		debuginfod_limit_time();
		allowed.cache = cache_dir(cache, sizeof(cache));
	}
	/* only an existing folder can be allowed, so it is made as the library would make it */
	if (allowed.cache)
		mkdir(allowed.cache, 0777);
	allowed.made = made = outputs_made_in(outputs);
	sandbox_enter(&allowed);
	free(made);
	free(folder);
	return true;
}

/* With errno set if it is no folder. NULL: the option was not given. */
static bool is_folder(const char *path)
{
	struct stat st;

	if (!path)
		return true;
	if (stat(path, &st) < 0)
		return false;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode);
}

static bool check_file(const char *option, const char *path, struct err *err)
{
	return !path || access(path, R_OK) == 0 || err_errno(err, "%s=%s", option, path);
}

static bool is_same_file(const struct stat *recording, const char *path)
{
	struct stat other;

	return stat(path, &other) == 0 && other.st_dev == recording->st_dev &&
	       other.st_ino == recording->st_ino;
}

static const char *kind_of_file(mode_t mode)
{
	if (S_ISLNK(mode))
		return "a symbolic link";
	if (S_ISDIR(mode))
		return "a folder";
	if (S_ISFIFO(mode))
		return "a FIFO";
	return S_ISSOCK(mode) ? "a socket" : "a device";
}

/* A link is refused because the workbook would replace the link and not its file. */
bool check_workbook(const struct options *options, struct err *err)
{
	const char *path = options->workbook;
	struct stat there;

	if (!path || lstat(path, &there) || S_ISREG(there.st_mode))
		return true;
	return err_set(err, ERR_USAGE, "--workbook=%s: expected a file, or a new name, found %s",
	               path, kind_of_file(there.st_mode));
}

/* Whether the input is a regular file, or "-" for one. */
static bool stat_input(const char *input, struct stat *st)
{
	return (strcmp(input, "-") ? stat(input, st) : fstat(STDIN_FILENO, st)) == 0 &&
	       S_ISREG(st->st_mode);
}

/* Whether the document is a file, and this one. */
static bool is_document(const char *document, const struct stat *file)
{
	return document && strcmp(document, "-") != 0 && is_same_file(file, document);
}

bool check_documents(const struct options *options, const char *input, const char *what,
                     struct err *err)
{
	const struct compare_request *request = &options->compare;
	struct stat file;

	if (!stat_input(input, &file))
		return true;
	if (options->workbook && is_same_file(&file, options->workbook))
		return err_set(err, ERR_IO, "workbook %s would overwrite %s", options->workbook,
		               what);
	if (is_document(request->summary, &file))
		return err_set(err, ERR_IO, "--summary=%s: would overwrite %s", request->summary,
		               what);
	if (is_document(request->junit, &file))
		return err_set(err, ERR_IO, "--junit=%s: would overwrite %s", request->junit, what);
	return true;
}

bool check_outputs(const struct options *options, const char *input, struct err *err)
{
	struct stat recording;
	char path[4096];

	if (!stat_input(input, &recording))
		return true;
	if (!check_documents(options, input, "the recording", err))
		return false;
	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		const char *file = tables[i]->file;
		const char *suffix = file ? "" : pack_suffix(options->compress);

		if (!table_set_has(&options->tables, tables[i]) ||
		    (!file && !writes_csv(options)) ||
		    snprintf(path, sizeof(path), "%s/%s%s%s", options->output,
		             file ? file : tables[i]->format->name, file ? "" : ".csv",
		             suffix) >= (int)sizeof(path) ||
		    !is_same_file(&recording, path))
			continue;
		return err_set(err, ERR_IO, "table %s would overwrite the recording", path);
	}
	return true;
}

/* Checks the pack before the recording is read; it is read again when it is used. */
static bool check_pack(const char *path, struct err *err)
{
	struct symbol_pack *pack = path ? symbol_pack_read(path, err) : NULL;

	symbol_pack_free(pack);
	return !path || pack;
}

/* With errno set if it is no folder. The archive is one that perf archive made of a cache. */
static void warn_of_cache(const char *path, struct diag *diag)
{
	if (errno == ENOTDIR && access(path, F_OK) == 0)
		diag_warn(
			diag, ERR_NO_OFFSET,
			"--buildid-dir=%s: is no folder; an archive of perf archive is unpacked first: "
			"mkdir cache && tar xf %s -C cache, and then --buildid-dir=cache",
			path, path);
	else
		diag_warn(diag, ERR_NO_OFFSET, "--buildid-dir=%s: %s", path, strerror(errno));
}

bool is_of_recording(const char *text)
{
	/* messages about other files begin with their path */
	static const char *const others[] = { "--",
		                              "/",
		                              "standard output",
		                              "out of memory",
		                              "cannot make ",
		                              "cannot write ",
		                              "debuginfod: " };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(text, others[i], strlen(others[i])))
			return false;
	return true;
}

bool check_paths(const struct options *options, struct diag *diag, struct err *err)
{
	const struct symbol_options *symbols = &options->naming.lookup.symbols;

	/* nothing will be found in a missing folder; the run continues without names */
	for (size_t i = 0; i < file_roots(&symbols->files); i++)
		if (!is_folder(file_root(&symbols->files, i)))
			diag_warn(diag, ERR_NO_OFFSET, "--symfs=%s: %s",
			          file_root(&symbols->files, i), strerror(errno));
	if (!is_folder(symbols->files.buildid_dir))
		warn_of_cache(symbols->files.buildid_dir, diag);
	return check_pack(symbols->pack_path, err) &&
	       check_file("--kallsyms", symbols->kallsyms, err) &&
	       check_file("--vmlinux", symbols->vmlinux, err);
}
