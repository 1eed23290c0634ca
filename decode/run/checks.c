#include "decode/run/checks.h"

#include "decode/files/debuginfod.h"
#include "decode/symbols/symbolpack.h"
#include "util/path.h"
#include "util/sandbox.h"
#include "util/text.h"

#include <dirent.h>
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

/* The folder of a file: malloc'd; of NULL NULL, and NULL with err set when memory is refused. */
static char *folder_of(const char *path, struct err *err)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!path)
		return NULL;
	return slash ? path_format(err, "%.*s", slash == path ? 1 : (int)(slash - path), path)
	             : path_format(err, ".");
}

/* The folder of a document that this run made, and may have to remove. */
static char *folder_of_made(const struct outputs *outputs, const char *document, struct err *err)
{
	return document && outputs_made(outputs, document) ? folder_of(document, err) : NULL;
}

bool enter_sandbox(const struct options *options, const struct outputs *outputs, struct err *err)
{
	const bool fetch = options->naming.lookup.symbols.files.debuginfod;
	char *workbook = folder_of(options->workbook, err);
	char *page = folder_of(options->page, err);
	char *summary = folder_of_made(outputs, options->compare.summary, err);
	char *junit = folder_of_made(outputs, options->compare.junit, err);
	char *made = outputs_made_in(outputs), cache[4096];
	struct sandbox allowed = { .output = writes_folder(options) ? options->output : NULL,
		                   .folders = options->every ? options->output : NULL,
		                   .temp = temp_dir(),
		                   .network = fetch,
		                   .document = workbook,
		                   .page = page,
		                   .summary = summary,
		                   .junit = junit,
		                   .made = made };

	if (fetch) {
		debuginfod_limit_time();
		allowed.cache = cache_dir(cache, sizeof(cache));
	}
	/* only an existing folder can be allowed, so it is made as the library would make it */
	if (allowed.cache)
		mkdir(allowed.cache, 0777);
	if (!err->code)
		sandbox_enter(&allowed);
	free(made);
	free(workbook);
	free(page);
	free(summary);
	free(junit);
	return !err->code;
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

/* A link is refused because the document would replace the link and not its file. */
static bool check_place(const char *option, const char *path, struct err *err)
{
	struct stat there;

	if (!path || lstat(path, &there) || S_ISREG(there.st_mode))
		return true;
	return err_set(err, ERR_USAGE, "%s=%s: expected a file, or a new name, found %s", option,
	               path, kind_of_file(there.st_mode));
}

bool check_places(const struct options *options, struct err *err)
{
	return check_place("--workbook", options->workbook, err) &&
	       check_place("--report", options->page, err);
}

/* Whether the input is a regular file: one with that path or, for "-", standard input. */
static bool stat_input(const char *input, struct stat *st)
{
	return (strcmp(input, "-") ? stat(input, st) : fstat(STDIN_FILENO, st)) == 0 &&
	       S_ISREG(st->st_mode);
}

/* Whether the document is a file, and this one. */
static bool is_document(const char *document, const struct stat *file)
{
	struct stat other;

	return document && strcmp(document, "-") != 0 && stat(document, &other) == 0 &&
	       other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

bool check_documents(const struct options *options, const char *input, const char *what,
                     struct err *err)
{
	const struct compare_request *request = &options->compare;
	struct stat file;

	if (!stat_input(input, &file))
		return true;
	if (is_document(request->summary, &file))
		return err_set(err, ERR_IO, "--summary=%s: would overwrite %s", request->summary,
		               what);
	if (is_document(request->junit, &file))
		return err_set(err, ERR_IO, "--junit=%s: would overwrite %s", request->junit, what);
	return true;
}

static bool spare_file(const struct options *options, struct outputs *outputs, const char *input,
                       const char *what, struct err *err)
{
	struct stat file;

	return !stat_input(input, &file) || (check_documents(options, input, what, err) &&
	                                     outputs_spare(outputs, &file, what, err));
}

bool spare_recording(const struct options *options, struct outputs *outputs, const char *input,
                     struct err *err)
{
	DIR *dir = opendir(input);
	const struct dirent *entry;
	char path[4096];
	bool ok = true;

	if (!dir)
		return spare_file(options, outputs, input, "the recording", err);
	/* perf record --threads writes data, data.0, data.1 and so on */
	while (ok && (entry = readdir(dir)))
		if (text_starts(entry->d_name, "data") &&
		    snprintf(path, sizeof(path), "%s/%s", input, entry->d_name) < (int)sizeof(path))
			ok = spare_file(options, outputs, path, "a file of the recording", err);
	closedir(dir);
	return ok;
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

static bool read_pack(struct symbol_options *symbols, struct err *err)
{
	const char *path = symbols->pack_path;
	struct err failure = { 0 };

	if (!path || symbols->pack || (symbols->pack = symbol_pack_read(path, &failure)))
		return true;
	/* messages about what is in it begin with its path */
	if (text_starts(failure.text, path))
		return err_set(err, failure.code, "--symbol-pack=%s", failure.text);
	return err_pass(err, &failure);
}

/* NULL: the option was not given. */
static bool check_file(const struct options *options, struct outputs *outputs, const char *option,
                       const char *path, struct err *err)
{
	if (!path)
		return true;
	if (access(path, R_OK) != 0)
		return err_errno(err, "%s=%s", option, path);
	return spare_file(options, outputs, path, "a file that the run reads", err);
}

bool check_paths(struct options *options, struct outputs *outputs, struct diag *diag,
                 struct err *err)
{
	struct symbol_options *symbols = &options->naming.lookup.symbols;

	/* nothing will be found in a missing folder; the run continues without names */
	for (size_t i = 0; i < file_roots(&symbols->files); i++)
		if (!is_folder(file_root(&symbols->files, i)))
			diag_warn(diag, ERR_NO_OFFSET, "--symfs=%s: %s",
			          file_root(&symbols->files, i), strerror(errno));
	if (!is_folder(symbols->files.buildid_dir))
		warn_of_cache(symbols->files.buildid_dir, diag);
	return read_pack(symbols, err) &&
	       check_file(options, outputs, "--symbol-pack", symbols->pack_path, err) &&
	       check_file(options, outputs, "--kallsyms", symbols->kallsyms, err) &&
	       check_file(options, outputs, "--vmlinux", symbols->vmlinux, err);
}
