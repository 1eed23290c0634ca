/*
 * Whether an ELF file can be the one that the kernel mapped. Loaders map its executable segments
 * completely, rounded to pages, so a mapping shows where segments begin and how long they are.
 */
#ifndef READPERF_DECODE_FILES_MAPPEDPART_H
#define READPERF_DECODE_FILES_MAPPEDPART_H

#include "decode/files/elf.h"

/* False if no part of the file that was mapped as code fits its segments. */
bool elf_fits_mapped_parts(const struct elf *elf, const struct binary *binary);

#endif
