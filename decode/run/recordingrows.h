/* Writes recordings.csv: the journal's rows, as they are after a call. */
#ifndef READPERF_DECODE_RUN_RECORDINGROWS_H
#define READPERF_DECODE_RUN_RECORDINGROWS_H

#include "decode/run/batch.h"

bool batch_write_recordings(struct batch *batch, struct err *err);

#endif
