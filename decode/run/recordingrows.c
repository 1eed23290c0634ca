#include "decode/run/recordingrows.h"

#include "decode/run/tableoutputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A recording under a second name keeps its row, but not the number, which names one row. */
static void print_row(const struct batch *batch, struct table_writer *out,
                      const struct journal_row *row)
{
	const struct journal *journal = &batch->journal;
	const char *recording = journal_cell(journal, row, RECORDINGS_RECORDING);
	const struct journal_row *first = *recording ? journal_of_recording(journal, recording)
	                                             : row;
	char message[800];
	struct recordings_row cells;

	for (size_t i = 0; i < RECORDINGS_COLUMNS; i++)
		cells.cells[i] = journal_cell(journal, row, i);
	if (first != row && first) {
		snprintf(message, sizeof(message), "is the same recording as %s",
		         journal_cell(journal, first, RECORDINGS_FILE));
		cells.cells[RECORDINGS_RECORDING] = "";
		cells.cells[RECORDINGS_MESSAGE] = message;
	}
	table_row(out, &cells);
}

static bool write_rows(struct batch *batch, struct table_outputs *to, struct err *err)
{
	struct table_writer out = table_outputs_text(to);
	bool ok = table_begin(&out, &recordings_format, err);
	char ending[16];

	for (size_t i = 0; ok && i < batch->journal.count; i++)
		print_row(batch, &out, &batch->journal.rows[i]);
	ok = ok && table_end(&out, err);
	table_discard(&out);
	if (!ok || !outputs_commit(&to->outputs, err))
		return false;
	snprintf(ending, sizeof(ending), "%s%s", batch->options->ndjson ? ".ndjson" : ".csv",
	         pack_suffix(batch->options->compress));
	table_remove_others(batch->options->output, recordings_format.name, ending);
	return true;
}

bool batch_write_recordings(struct batch *batch, struct err *err)
{
	struct table_outputs to;
	bool ok;

	if (!journal_lock(&batch->journal, err))
		return false;
	ok = table_outputs_init(&to, batch->options, err) &&
	     journal_compact(&batch->journal, batch->options->output, err) &&
	     write_rows(batch, &to, err);
	table_outputs_release(&to);
	journal_unlock(&batch->journal);
	return ok;
}
