/* The names of features: bits of the header's bitmap, numbers of HEADER_FEATURE records. */
#ifndef READPERF_PERFFILE_SESSION_FEATURENAME_H
#define READPERF_PERFFILE_SESSION_FEATURENAME_H

/* features of Android's simpleperf */
#define PERF_FEATURE_FILE 128
#define PERF_FEATURE_META_INFO 129
#define PERF_FEATURE_FILE2 132

/* "HOSTNAME" etc., or NULL for a number that is not known. */
const char *feature_name(unsigned number);
/* The same with "feature " in front, for messages. */
const char *feature_label(unsigned number);

#endif
