/*
 * Decodes many raw samples at once into struct sample. In: a piece of a block that holds nothing
 * but SAMPLE and FINISHED_ROUND records. Out: samples for struct record_handler's samples().
 */
#ifndef READPERF_PERFFILE_ORDER_SAMPLEDECODER_H
#define READPERF_PERFFILE_ORDER_SAMPLEDECODER_H

#include "perffile/order/records.h"
#include "perffile/order/span.h"

/*
 * Decodes at most `room` samples from the front of a waiting span, up to `end`, and moves the span
 * behind them. Stops at a sample that has to go to record() instead of samples(). Returns how many
 * were decoded.
 */
uint32_t decode_samples(const struct session *session, struct waiting_span *span,
                        struct order_key end, struct sample *samples, size_t room);

#endif
