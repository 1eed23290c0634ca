/*
 * Decodes many raw samples at once into struct sample. In: a piece of a block that holds nothing
 * but SAMPLE and FINISHED_ROUND records. Out: samples for struct record_handler's samples().
 */
#ifndef READPERF_PERFFILE_ORDER_SAMPLEDECODER_H
#define READPERF_PERFFILE_ORDER_SAMPLEDECODER_H

#include "perffile/order/records.h"
#include "perffile/order/span.h"

#define DECODER_IDS 64 /* each event has an id per CPU */

/* All zeros but for session is valid. */
struct sample_decoder {
	const struct session *session; /* borrowed */
	struct {
		uint64_t id; /* 0: not in use */
		uint32_t event;
	} ids[DECODER_IDS]; /* the ids of the samples seen last */
};

/* session_event_of(), quicker for samples with an id. */
uint32_t decoder_event(struct sample_decoder *decoder, const struct raw_record *raw);

/*
 * Decodes at most `room` samples from the front of a waiting span, up to `end`, and moves the span
 * behind them. Stops at a sample that has to go to record() instead of samples(). Returns how many
 * were decoded.
 */
uint32_t decoder_samples(struct sample_decoder *decoder, struct waiting_span *span,
                         struct order_key end, struct sample *samples, size_t room);

#endif
