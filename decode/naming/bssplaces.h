/*
 * Whether anonymous memory right behind the mapping of a file is the part of the file that has no
 * bytes in it (.bss), or memory of its own that only lies there.
 *
 * In:  the accesses that memorystat counted, and the files.
 * Out: yes or no.
 */
#ifndef READPERF_DECODE_NAMING_BSSPLACES_H
#define READPERF_DECODE_NAMING_BSSPLACES_H

#include "decode/files/locate.h"
#include "decode/tally/buildstat.h"

/*
 * Sets of each access whether it is to memory of its data_binary: not if that file is not here, or
 * is no program or library, or ends before. False with err set when memory is refused.
 */
bool bss_places_find(bool *of_file, const struct buildstat *stat, const struct file_options *files,
                     struct err *err);

#endif
