#include "util/background.h"

#include "util/memory.h"
#include "util/thread.h"
#include "util/wholeio.h"

#include <errno.h>
#include <stdlib.h>

struct background_writer {
	int fd;
	struct packer *packer;
	pthread_t thread;
	/* what follows is used by both threads; the lock protects it */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const void *data;
	size_t size; /* bytes at data that are to be written; 0: nothing is */
	bool ended;
	int error; /* errno of the first write that failed */
};

int write_bytes(int fd, struct packer *packer, const void *data, size_t size)
{
	if (packer)
		return packer_write(packer, data, size);
	return write_whole(fd, data, size) ? 0 : errno;
}

static void *write_what_is_given(void *context)
{
	struct background_writer *writer = context;

	pthread_mutex_lock(&writer->lock);
	while (!writer->ended || writer->size) {
		int error = writer->error;

		if (!writer->size) {
			pthread_cond_wait(&writer->changed, &writer->lock);
			continue;
		}
		pthread_mutex_unlock(&writer->lock);
		if (!error)
			error = write_bytes(writer->fd, writer->packer, writer->data, writer->size);
		pthread_mutex_lock(&writer->lock);
		writer->error = error;
		writer->size = 0;
		pthread_cond_broadcast(&writer->changed);
	}
	pthread_mutex_unlock(&writer->lock);
	return NULL;
}

struct background_writer *background_start(int fd, struct packer *packer)
{
	struct background_writer *writer = memory_is_limited() ? NULL : calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->fd = fd;
	writer->packer = packer;
	pthread_mutex_init(&writer->lock, NULL);
	pthread_cond_init(&writer->changed, NULL);
	if (thread_start(&writer->thread, THREAD_SMALL, write_what_is_given, writer))
		return writer;
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->changed);
	free(writer);
	return NULL;
}

int background_write(struct background_writer *writer, const void *data, size_t size)
{
	int error;

	pthread_mutex_lock(&writer->lock);
	while (writer->size)
		pthread_cond_wait(&writer->changed, &writer->lock);
	writer->data = data;
	writer->size = size;
	error = writer->error;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
	return error;
}

int background_wait(struct background_writer *writer)
{
	return background_write(writer, NULL, 0);
}

void background_end(struct background_writer *writer)
{
	if (!writer)
		return;
	pthread_mutex_lock(&writer->lock);
	writer->ended = true;
	pthread_cond_broadcast(&writer->changed);
	pthread_mutex_unlock(&writer->lock);
	pthread_join(writer->thread, NULL);
	pthread_mutex_destroy(&writer->lock);
	pthread_cond_destroy(&writer->changed);
	free(writer);
}
