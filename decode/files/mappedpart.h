/*
 * Whether an ELF file can be the one that the kernel mapped: loaders map its executable segments,
 * whole and rounded to pages, so what was mapped tells where they begin and how long they are.
 */
#ifndef READPERF_DECODE_FILES_MAPPEDPART_H
#define READPERF_DECODE_FILES_MAPPEDPART_H

#include "decode/files/elf.h"

/* False if no part of the file that was mapped as code fits it. */
bool elf_fits_mapped_parts(const struct elf *elf, const struct binary *binary);

#endif
