/* The raw data of samples, whose fields tracepoints' formats describe. */
#ifndef READPERF_DECODE_SELECT_RAWDATA_H
#define READPERF_DECODE_SELECT_RAWDATA_H

#include "perffile/fields/formats.h"
#include "perffile/record/sample.h"

/* Of a sample that was passed to samples(), and of a record. */
static inline struct raw_data raw_data_of_sample(const struct formats *formats,
                                                 const struct sample *sample)
{
	struct raw_data raw = { .swap = formats_swap(formats) };

	raw.data = sample_raw(formats->session, sample, &raw.size);
	return raw;
}

static inline struct raw_data raw_data_of_record(const struct formats *formats,
                                                 const struct record *record)
{
	return (struct raw_data){ record->sample.raw, record->sample.raw_size,
		                  formats_swap(formats) };
}

#endif
