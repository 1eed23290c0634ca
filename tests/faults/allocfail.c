/*
 * Runs readperf again and again, each time with another allocation refused, and looks how it ends:
 * exit status 1, one message that says so, no table touched, nothing left behind; or, where it can do
 * without, the same tables as ever. Its main is linked in as readperf_main, its allocations come here
 * (ld --wrap). Under a sanitizer every child is also checked for leaks.
 *
 * usage: allocfail SECONDS ARGUMENT...   (0 seconds: every allocation; else evenly spread ones)
 */
#define _DEFAULT_SOURCE /* mkdtemp(), MAP_ANONYMOUS */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int readperf_main(int argc, char **argv);

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
/* what glibc's <sys/mman.h> makes of mmap() where offsets have 64 bits */
void *__real_mmap64(void *addr, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *addr, size_t size, int protection, int flags, int fd, off_t offset);
/* of libdeflate */
void *__real_libdeflate_alloc_decompressor(void);
void *__wrap_libdeflate_alloc_decompressor(void);

#ifdef HAVE_ZSTD
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_createDCtx_advanced() */
#include <zstd.h>

ZSTD_DStream *__wrap_ZSTD_createDStream(void);
size_t __wrap_ZSTD_decompress(void *out, size_t out_size, const void *in, size_t in_size);
#endif
#ifdef HAVE_ZLIB
#include <zlib.h>

int __real_inflateInit_(z_stream *stream, const char *version, int size);
int __wrap_inflateInit_(z_stream *stream, const char *version, int size);
int __real_inflateInit2_(z_stream *stream, int bits, const char *version, int size);
int __wrap_inflateInit2_(z_stream *stream, int bits, const char *version, int size);
#endif
#ifdef HAVE_LZMA
#include <lzma.h>

lzma_ret __real_lzma_stream_decoder(lzma_stream *stream, uint64_t limit, uint32_t flags);
lzma_ret __wrap_lzma_stream_decoder(lzma_stream *stream, uint64_t limit, uint32_t flags);
#endif

#define TABLES 4

static const char *const tables_of_recording[TABLES] = { "overview.csv", "processes.csv",
	                                                 "results.csv", "stat.csv" };
static const char *const packed_tables[TABLES] = { "overview.csv.gz", "processes.csv.gz",
	                                           "results.csv.gz", "stat.csv.gz" };
static const char *const tables_of_comparison[TABLES] = { "diff.csv", "runs.csv", "folded.txt",
	                                                  "flame.svg" };
static const char *const tables_of_trend[TABLES] = { "trend.csv", "series.csv", "trend.svg",
	                                             "trend-page-faults.svg" };
static const char *const *tables = tables_of_recording;

/* Shared with the child. A test may have a variable that allocations need. */
static struct counter {
	unsigned long seen;   /* allocations so far */
	unsigned long refuse; /* which one; 0: none */
} *counter;

static bool refused(void)
{
	return counter && __atomic_add_fetch(&counter->seen, 1, __ATOMIC_RELAXED) == counter->refuse;
}

void *__wrap_malloc(size_t size)
{
	return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return refused() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return refused() ? NULL : __real_strdup(text);
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
	return refused() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

#ifdef __GLIBC__
void *__wrap_mmap64(void *addr, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (refused()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return __real_mmap64(addr, size, protection, flags, fd, offset);
}
#endif

#ifdef HAVE_LIBDEFLATE
void *__wrap_libdeflate_alloc_decompressor(void)
{
	return refused() ? NULL : __real_libdeflate_alloc_decompressor();
}
#endif

/* Libraries that unpack get an allocator that can refuse, too. */
#ifdef HAVE_ZSTD
static void *zstd_alloc(void *opaque, size_t size)
{
	(void)opaque;
	return refused() ? NULL : __real_malloc(size);
}

static void zstd_free(void *opaque, void *memory)
{
	(void)opaque;
	free(memory);
}

static const ZSTD_customMem zstd_memory = { zstd_alloc, zstd_free, NULL };

ZSTD_DStream *__wrap_ZSTD_createDStream(void)
{
	return ZSTD_createDStream_advanced(zstd_memory);
}

size_t __wrap_ZSTD_decompress(void *out, size_t out_size, const void *in, size_t in_size)
{
	const size_t memory_allocation = 64; /* of zstd_errors.h */
	ZSTD_DCtx *context = ZSTD_createDCtx_advanced(zstd_memory);
	size_t got = context ? ZSTD_decompressDCtx(context, out, out_size, in, in_size) : -memory_allocation;

	ZSTD_freeDCtx(context);
	return got;
}
#endif

#ifdef HAVE_ZLIB
static void *zlib_alloc(void *opaque, uInt count, uInt size)
{
	(void)opaque;
	return refused() ? NULL : __real_malloc((size_t)count * size);
}

static void zlib_free(void *opaque, void *memory)
{
	(void)opaque;
	free(memory);
}

int __wrap_inflateInit_(z_stream *stream, const char *version, int size)
{
	stream->zalloc = zlib_alloc;
	stream->zfree = zlib_free;
	return __real_inflateInit_(stream, version, size);
}

int __wrap_inflateInit2_(z_stream *stream, int bits, const char *version, int size)
{
	stream->zalloc = zlib_alloc;
	stream->zfree = zlib_free;
	return __real_inflateInit2_(stream, bits, version, size);
}
#endif

#ifdef HAVE_LZMA
static void *lzma_memory(void *opaque, size_t count, size_t size)
{
	(void)opaque;
	return refused() ? NULL : __real_malloc(count * size);
}

static void lzma_give_back(void *opaque, void *memory)
{
	(void)opaque;
	free(memory);
}

static const lzma_allocator lzma_ours = { lzma_memory, lzma_give_back, NULL };

lzma_ret __wrap_lzma_stream_decoder(lzma_stream *stream, uint64_t limit, uint32_t flags)
{
	stream->allocator = &lzma_ours;
	return __real_lzma_stream_decoder(stream, limit, flags);
}
#endif

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int give_up(const char *why)
{
	printf("allocfail: %s: %s\n", why, strerror(errno));
	exit(2);
}

/* What an earlier run may have left, and nothing else. */
static void write_old_tables(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	char path[300];

	if (!d)
		give_up(dir);
	while ((entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		unlink(path); /* fails for "." and ".." */
	}
	closedir(d);
	for (int i = 0; i < TABLES; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", dir, tables[i]);
		file = fopen(path, "w");
		if (!file || fputs("old\n", file) < 0 || fclose(file) != 0)
			give_up(path);
	}
}

/* A hash of the contents of all tables. */
static uint64_t digest_tables(const char *dir)
{
	uint64_t digest = 14695981039346656037u;
	char path[200];
	int byte;

	for (int i = 0; i < TABLES; i++) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", dir, tables[i]);
		file = fopen(path, "r");
		while (file && (byte = getc(file)) != EOF)
			digest = (digest ^ (unsigned)byte) * 1099511628211u;
		digest = (digest ^ 256u) * 1099511628211u;
		if (file)
			fclose(file);
	}
	return digest;
}

/* Returns how many of the old tables are untouched; *others counts the other files in the folder. */
static int old_tables(const char *dir, int *others)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int untouched = 0;

	if (!d)
		give_up(dir);
	*others = -TABLES;
	while ((entry = readdir(d)))
		*others += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(d);
	for (int i = 0; i < TABLES; i++) {
		char path[200], text[8] = "";
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", dir, tables[i]);
		file = fopen(path, "r");
		if (!file)
			continue;
		untouched += fread(text, 1, sizeof(text) - 1, file) == 4 && !strcmp(text, "old\n");
		fclose(file);
	}
	return untouched;
}

/* In the child: runs readperf, with its output redirected to a file. */
static void be_readperf(int argc, char **argv, const char *words)
{
	int fd = open(words, O_WRONLY | O_CREAT | O_TRUNC, 0600), null = open("/dev/null", O_RDWR);
	int status;

	if (fd < 0 || null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(fd, STDERR_FILENO) < 0)
		_exit(2);
	status = readperf_main(argc, argv);
	counter = NULL; /* what a measured build does when it ends is none of readperf's business */
	exit(status);
}

static int run(int argc, char **argv, const char *words, unsigned long refuse)
{
	pid_t child;
	int status = 0;

	counter->seen = 0;
	counter->refuse = refuse;
	child = fork();
	if (child == 0)
		be_readperf(argc, argv, words);
	if (child < 0 || waitpid(child, &status, 0) != child)
		give_up("cannot run");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Lines with this text in the file, and lines that are not readperf's. */
static int count_lines(const char *words, const char *text, int *foreign)
{
	FILE *file = fopen(words, "r");
	char line[1000];
	int count = 0;

	*foreign = 0;
	if (!file)
		give_up(words);
	while (fgets(line, sizeof(line), file)) {
		count += strstr(line, text) != NULL;
		*foreign += strncmp(line, "readperf: ", 10) != 0;
	}
	fclose(file);
	return count;
}

/* What is wrong with the end of this run, or NULL. good: what its tables should be. */
static const char *judge(int status, const char *dir, uint64_t good, const char *words)
{
	int foreign, others, old = old_tables(dir, &others);
	int messages = count_lines(words, "out of memory", &foreign) +
	               count_lines(words, strerror(ENOMEM), &foreign);

	if (foreign)
		return "a line that is not readperf's";
	if (status == 0) /* the refused memory was not needed: the tables are complete */
		return old == 0 && others >= 0 && digest_tables(dir) == good ? NULL : "exit status 0 with other tables";
	if (status != 1)
		return "another exit status than 1";
	if (messages != 1)
		return "not exactly one message";
	return old == TABLES && others == 0 ? NULL : "the old tables are not as they were";
}

static int say_wrong(unsigned long n, int status, const char *why, const char *words)
{
	char line[300];
	FILE *file = fopen(words, "r");

	printf("allocation %lu refused: %s (exit status %d)\n", n, why, status);
	for (int i = 0; file && i < 40 && fgets(line, sizeof(line), file); i++)
		printf("     %s", line);
	if (file)
		fclose(file);
	return 1;
}

static int all_runs(int argc, char **argv, double seconds, const char *dir, const char *words)
{
	double started = now(), each;
	unsigned long total, step, runs = 0;
	int status = run(argc, argv, words, 0);
	uint64_t good = digest_tables(dir);

	total = counter->seen;
	each = now() - started;
	if (status != 0)
		return say_wrong(0, status, "fails without that", words);
	step = seconds > 0 ? (unsigned long)((double)total * each / seconds) + 1 : 1;
	/* the count differs a little from run to run where there are two threads */
	for (unsigned long n = 1; n <= total; n += step, runs++) {
		const char *why;

		write_old_tables(dir);
		status = run(argc, argv, words, n);
		why = counter->seen >= n ? judge(status, dir, good, words) : NULL;
		if (why)
			return say_wrong(n, status, why, words);
	}
	printf("%lu of %lu allocations refused, one at a time\n", runs, total);
	return 0;
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/readperf-allocfail.XXXXXX", words[64], command[100], *arguments[32];
	int used = 0, status;

	if (argc < 3 || argc > 20)
		return 2;
	if (!mkdtemp(dir))
		give_up(dir);
	snprintf(words, sizeof(words), "%s.words", dir);
	arguments[used++] = argv[0];
	arguments[used++] = (char[]){ "-o" };
	arguments[used++] = dir;
	for (int i = 2; i < argc; i++) {
		arguments[used++] = argv[i];
		if (!strncmp(argv[i], "--base=", 7))
			tables = tables_of_comparison;
		else if (!strcmp(argv[i], "--trend"))
			tables = tables_of_trend;
		else if (!strcmp(argv[i], "--compress=gzip"))
			tables = packed_tables;
	}
	arguments[used] = NULL;
	counter = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counter == MAP_FAILED)
		give_up("mmap");
	setvbuf(stdout, NULL, _IONBF, 0); /* else a child would print the parent's buffer again */
	status = all_runs(used, arguments, atof(argv[1]), dir, words);
	snprintf(command, sizeof(command), "rm -rf %s %s", dir, words);
	return system(command) == 0 ? status : 2;
}
