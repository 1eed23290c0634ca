#include "util/output.h"

#include "util/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Removes the directories that were made, the innermost first. What holds something stays. */
static void remove_made(struct outputs *outputs)
{
	char *path = outputs->dir; /* NULL if the run failed before it had outputs */

	if (!outputs->made)
		return;
	for (size_t length = strlen(path); length >= outputs->made; length--) {
		if (path[length] != '/' && path[length] != '\0')
			continue;
		path[length] = '\0';
		rmdir(path);
	}
	outputs->made = 0;
}

static void remove_unfinished(struct outputs *outputs)
{
	for (struct output_file *file = outputs->files; file; file = file->next)
		if (!file->done)
			unlink(file->temp);
	remove_made(outputs);
}

static void guarded_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

/* Ends the process as the signal would have, but cleanly. */
static void *guard(void *context)
{
	struct outputs *outputs = context;
	int number;
	sigset_t set;
	bool ignored;

	guarded_signals(&set);
	do {
		if (sigwait(&set, &number) != 0)
			return NULL;
		pthread_mutex_lock(&outputs->lock);
		if (outputs->released) {
			pthread_mutex_unlock(&outputs->lock);
			return NULL;
		}
		ignored = sigismember(&outputs->ignored, number) == 1;
		if (ignored)
			pthread_mutex_unlock(&outputs->lock);
	} while (ignored);
	remove_unfinished(outputs);
	signal(number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	_exit(128 + number);
}

bool outputs_init(struct outputs *outputs, const char *dir, struct err *err)
{
	struct sigaction action;
	sigset_t set;
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	bool wait = false;

	memset(outputs, 0, sizeof(*outputs));
	pthread_mutex_init(&outputs->lock, NULL);
	outputs->dir = strdup(dir);
	if (!outputs->dir)
		return err_nomem(err, strlen(dir));
	sigemptyset(&outputs->ignored);
	guarded_signals(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		/* what the caller ignores (nohup) stays ignored */
		if (sigaction(signals[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			sigaddset(&outputs->ignored, signals[i]);
		else
			wait = true;
	}
	if (!wait)
		return true;
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	outputs->guarded = thread_start(&outputs->guard, THREAD_SMALL, guard, outputs);
	if (!outputs->guarded)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	return true;
}

/* Makes the directory and its parents. */
static bool make_dir(struct outputs *outputs, struct err *err)
{
	char *path = outputs->dir;
	struct stat st;

	if (stat(path, &st) == 0)
		return S_ISDIR(st.st_mode) ||
		       err_set(err, ERR_IO, "%s: expected a directory", path);
	for (char *slash = path + 1; *slash; slash++) {
		if (*slash != '/')
			continue;
		*slash = '\0';
		if (mkdir(path, 0777) == 0 && !outputs->made)
			outputs->made = (size_t)(slash - path);
		*slash = '/';
	}
	if (mkdir(path, 0777) == 0) {
		if (!outputs->made)
			outputs->made = strlen(path);
	} else if (errno != EEXIST) {
		return err_errno(err, "cannot make the directory %s", path);
	}
	return true;
}

bool outputs_make_dir(struct outputs *outputs, struct err *err)
{
	bool ok;

	pthread_mutex_lock(&outputs->lock);
	ok = make_dir(outputs, err);
	pthread_mutex_unlock(&outputs->lock);
	return ok;
}

char *outputs_made_in(const struct outputs *outputs)
{
	char *path = outputs->made ? strdup(outputs->dir) : NULL;
	size_t length = outputs->made;

	if (!path)
		return NULL;
	while (length && path[length - 1] != '/')
		length--;
	if (length == 0)
		path[length++] = '.';
	path[length] = '\0';
	return path;
}

static void free_file(struct output_file *file)
{
	if (file) {
		free(file->temp);
		free(file->name);
		free(file->old);
	}
	free(file);
}

static struct output_file *new_file(const struct outputs *outputs, const char *name,
                                    struct err *err)
{
	struct output_file *file = calloc(1, sizeof(*file));
	size_t room = strlen(outputs->dir) + strlen(name) + 24; /* for ".", ".XXXXXX" and ".old" */

	if (!file || !(file->temp = malloc(room)) || !(file->name = malloc(room)) ||
	    !(file->old = malloc(room))) {
		free_file(file);
		err_nomem(err, room);
		return NULL;
	}
	file->fd = -1;
	snprintf(file->name, room, "%s/%s", outputs->dir, name);
	snprintf(file->temp, room, "%s/.%s.XXXXXX", outputs->dir, name);
	return file;
}

int outputs_open(struct outputs *outputs, const char *name, struct err *err)
{
	struct output_file *file;
	mode_t mask;

	pthread_mutex_lock(&outputs->lock);
	file = make_dir(outputs, err) ? new_file(outputs, name, err) : NULL;
	if (!file) {
		pthread_mutex_unlock(&outputs->lock);
		return -1;
	}
	file->fd = mkstemp(file->temp);
	if (file->fd < 0) {
		err_errno(err, "cannot write in %s", outputs->dir);
		file->done = true; /* nothing to remove */
	} else {
		/* mkstemp() is for secrets; tables are ordinary files */
		mask = umask(0);
		umask(mask);
		fchmod(file->fd, 0666 & ~mask);
		fcntl(file->fd, F_SETFD, FD_CLOEXEC);
	}
	file->next = outputs->files;
	outputs->files = file;
	pthread_mutex_unlock(&outputs->lock);
	return file->fd;
}

static bool take_name(struct output_file *file, struct err *err)
{
	struct stat there;

	snprintf(file->old, strlen(file->temp) + 5, "%s.old", file->temp);
	file->kept = link(file->name, file->old) == 0;
	file->fresh = !file->kept && errno == ENOENT;
	if (rename(file->temp, file->name) < 0) {
		/* in a sandbox the system says only that it may not be done */
		if (!lstat(file->name, &there) && S_ISDIR(there.st_mode))
			errno = EISDIR;
		return err_errno(err, "cannot write %s", file->name);
	}
	file->done = true;
	return true;
}

/* After the last name was taken; or was refused (not ok): then all names go back to what had them. */
static void drop_old(struct outputs *outputs, bool ok)
{
	for (struct output_file *file = outputs->files; file; file = file->next) {
		if (!ok && file->done && file->kept)
			rename(file->old, file->name);
		else if (file->kept)
			unlink(file->old);
		else if (!ok && file->done && file->fresh)
			unlink(file->name);
		file->kept = file->fresh = false;
	}
}

bool outputs_commit(struct outputs *outputs, struct err *err)
{
	bool ok = true;

	pthread_mutex_lock(&outputs->lock);
	for (struct output_file *file = outputs->files; ok && file; file = file->next) {
		if (file->fd < 0 || file->done)
			continue;
		/* some file systems tell only now that they are full */
		if (close(file->fd) < 0)
			ok = err_errno(err, "%s: cannot write", file->name);
		file->fd = -1;
	}
	for (struct output_file *file = outputs->files; ok && file; file = file->next)
		ok = file->done || take_name(file, err);
	drop_old(outputs, ok);
	if (ok)
		outputs->made = 0;
	pthread_mutex_unlock(&outputs->lock);
	return ok;
}

void outputs_release(struct outputs *outputs)
{
	struct output_file *file = outputs->files;

	if (outputs->guarded) {
		/* not pthread_cancel(): that may have to open a library, for which there may be no file left */
		pthread_mutex_lock(&outputs->lock);
		outputs->released = true;
		pthread_mutex_unlock(&outputs->lock);
		pthread_kill(outputs->guard, SIGTERM);
		pthread_join(outputs->guard, NULL);
	}
	remove_unfinished(outputs);
	while (file) {
		struct output_file *next = file->next;

		if (file->fd >= 0)
			close(file->fd);
		free_file(file);
		file = next;
	}
	free(outputs->dir);
	pthread_mutex_destroy(&outputs->lock);
	memset(outputs, 0, sizeof(*outputs));
}
