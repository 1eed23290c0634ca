#include "decode/run/documents.h"

#include "util/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STANDARD_OUTPUT "-"

static bool is_file(const char *path)
{
	return path && strcmp(path, STANDARD_OUTPUT) != 0;
}

/* No table may replace the document, and if the run fails, a document that it made is removed. */
static bool open_document(const char *option, const char *path, int *fd, struct outputs *outputs,
                          struct err *err)
{
	struct stat file;
	bool made;

	if (!is_file(path))
		return true;
	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	made = *fd >= 0;
	if (!made)
		*fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0 || fstat(*fd, &file) != 0)
		return err_errno(err, "%s=%s", option, path);
	return (!made || outputs_add_made(outputs, path, err)) &&
	       (!S_ISREG(file.st_mode) ||
	        outputs_spare(outputs, &file, "the file of --summary or --junit", err));
}

static bool is_one_file(int one, int other)
{
	struct stat a, b;

	return fstat(one, &a) == 0 && fstat(other, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool documents_open(struct documents *documents, const struct compare_request *request,
                    struct outputs *outputs, struct err *err)
{
	*documents = (struct documents){ request, -1, -1 };
	return open_document("--summary", request->summary, &documents->summary, outputs, err) &&
	       open_document("--junit", request->junit, &documents->junit, outputs, err) &&
	       (!is_one_file(documents->summary, documents->junit) ||
	        err_set(err, ERR_USAGE, "--junit=%s: is the file of --summary", request->junit));
}

void documents_close(struct documents *documents)
{
	if (documents->summary >= 0)
		close(documents->summary);
	if (documents->junit >= 0)
		close(documents->junit);
	documents->summary = documents->junit = -1;
}

bool compare_request_wants_rows(const struct compare_request *request)
{
	return request->rules.count || request->summary || request->junit;
}

bool documents_take_output(const struct compare_request *request)
{
	return (request->summary && !is_file(request->summary)) ||
	       (request->junit && !is_file(request->junit));
}

static bool is_step_summary(const char *path)
{
	const char *step = getenv("GITHUB_STEP_SUMMARY");

	return step && !strcmp(step, path);
}

/* Writes a document to its file, which fd is a descriptor of, or to standard output. */
static bool write_document(const char *path, int *fd,
                           void (*print)(FILE *, const struct verdict_report *),
                           const struct verdict_report *report, struct err *err)
{
	FILE *out = stdout;
	bool ok;

	if (!path)
		return true;
	errno = 0;
	if (*fd >= 0) {
		bool behind = is_step_summary(path);

		out = fdopen(*fd, "w");
		if (!out)
			return err_errno(err, "%s", path);
		*fd = -1;
		ok = behind ? fseeko(out, 0, SEEK_END) == 0 : ftruncate(fileno(out), 0) == 0;
		/* a pipe or a device has no length */
		if (!ok && errno != EINVAL && errno != ESPIPE) {
			fclose(out);
			return err_errno(err, "%s", path);
		}
	}
	print(out, report);
	ok = fflush(out) == 0 && !ferror(out);
	if (out != stdout)
		ok = fclose(out) == 0 && ok;
	return ok || err_errno(err, "%s: cannot write", is_file(path) ? path : "standard output");
}

static bool is_json(const char *path)
{
	return path && text_ends(path, ".json");
}

bool documents_write(struct documents *documents, const struct verdict_report *report,
                     struct err *err)
{
	const struct compare_request *request = documents->request;
	char folder[PATH_MAX];

	if (!write_document(request->summary, &documents->summary,
	                    is_json(request->summary) ? json_print : markdown_print, report, err) ||
	    !write_document(request->junit, &documents->junit, junit_print, report, err))
		return false;
	if (!request->annotate || !report->comparison)
		return true;
	if (!getcwd(folder, sizeof(folder)))
		return err_errno(err, "--annotate: the current folder");
	annotations_print(stdout, report, folder);
	return fflush(stdout) == 0 || err_errno(err, "standard output: cannot write");
}
