/*
 * Prints the call chain of every sample of a recording: a line with tid and time, a line for each frame
 * with its address (of a caller: the return address), the addresses in its binary of the call and of
 * what is behind it, and the binary, and one that says how the stack ended.
 * usage: chains RECORDING
 */
#include "decode/stacks/chain.h"
#include "perffile/perffile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct chain_dump {
	struct session session;
	struct strings strings;
	struct processes processes;
	struct binaries binaries;
	struct mappings mappings;
	struct chain_reader reader;
	struct chain chain;
	uint64_t ends[STACK_ENDS];
	bool quiet;
};

static void print_chain(struct chain_dump *dump, const struct record *record)
{
	dump->ends[dump->chain.end]++;
	if (dump->quiet)
		return;
	printf("%" PRId32 " %" PRIu64 "\n", record->tid, record->time);
	for (size_t i = 0; i < dump->chain.count; i++) {
		const struct chain_frame *frame = &dump->chain.frames[i];

		const unsigned call = frame->flags & FRAME_RETURN ? 1 : 0;

		printf("\t%" PRIx64 " %" PRIx64 " %" PRIx64 " %s%s\n", frame->ip + call,
		       frame->addr, frame->addr + call,
		       strings_get(&dump->strings, dump->binaries.items[frame->binary].name),
		       frame->flags & FRAME_GUESSED ? " guessed" : "");
	}
	printf("end %d\n\n", (int)dump->chain.end);
}

static bool on_sample(struct chain_dump *dump, const struct record *record, struct err *err)
{
	uint32_t process = processes_get(&dump->processes, record->pid, record->tid, err);

	if (process == PROCESS_NONE || !chain_read(&dump->reader, record,
	                                           dump->processes.items[process].space,
	                                           &dump->chain, err))
		return false;
	print_chain(dump, record);
	return true;
}

static bool on_record(void *context, const struct record *record, struct err *err)
{
	struct chain_dump *dump = context;

	return record->type == PERF_RECORD_SAMPLE
	               ? on_sample(dump, record, err)
	               : mapping_record(&dump->mappings, record, dump->session.comm_exec, err);
}

static void print_warning(void *context, uint64_t offset, const char *text)
{
	(void)context, (void)offset;
	fprintf(stderr, "chains: %s\n", text);
}

static bool read_chains(struct chain_dump *dump, const char *path, struct err *err)
{
	static const struct file_options options = { .symfs_count = 0 };
	struct record_handler handler = { .context = dump, .record = on_record };
	struct diag diag;
	struct read_summary summary;
	struct input input;
	bool ok;

	diag_init(&diag, print_warning, NULL);
	session_init(&dump->session, &diag);
	ok = input_open(&input, path, NULL, &diag, err) &&
	     session_open(&dump->session, &input, err) &&
	     strings_init(&dump->strings, err) &&
	     processes_init(&dump->processes, &dump->strings, err) &&
	     binaries_init(&dump->binaries, &dump->strings, err) &&
	     mappings_init(&dump->mappings, &dump->processes, &dump->binaries, err);
	if (!ok)
		return false;
	stack_files_init(&dump->reader.files, &dump->session, &dump->mappings, &options);
	ok = perffile_read(&dump->session, &handler, 1, NULL, &summary, err);
	read_summary_release(&summary);
	chain_release(&dump->chain);
	chain_reader_release(&dump->reader);
	mappings_release(&dump->mappings);
	processes_release(&dump->processes);
	binaries_release(&dump->binaries);
	strings_release(&dump->strings);
	session_release(&dump->session);
	input_close(&input);
	return ok;
}

int main(int argc, char **argv)
{
	struct chain_dump *dump = calloc(1, sizeof(*dump));
	struct err err = { .code = ERR_NONE };

	if (!dump || argc < 2)
		return 2;
	dump->quiet = argc > 2;
	if (!read_chains(dump, argv[1], &err)) {
		fprintf(stderr, "chains: %s\n", err.text);
		return 1;
	}
	for (int i = 0; i < STACK_ENDS; i++)
		if (dump->ends[i])
			fprintf(stderr, "end %d: %" PRIu64 "\n", i, dump->ends[i]);
	free(dump);
	return 0;
}
