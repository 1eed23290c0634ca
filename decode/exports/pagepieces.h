/*
 * The data in the page of --report: pieces of bytes with names, packed where that helps, and in
 * base64.
 *
 *   <script type="text/plain" id="NAME" data-packed="zlib">BASE64</script>
 */
#ifndef READPERF_DECODE_EXPORTS_PAGEPIECES_H
#define READPERF_DECODE_EXPORTS_PAGEPIECES_H

#include "decode/exports/pagecolumn.h"
#include "decode/exports/pageplanes.h"

#include <stdatomic.h>
#include <stdio.h>

#define PAGE_PIECES_MOST 96

struct page_piece {
	const char *name;          /* a literal */
	int plane;                 /* NAME.0, NAME.1, ...; -1: no plane, only NAME */
	struct page_column column; /* its bytes */
	bool borrowed;             /* they belong to a column of the samples */
	uint8_t *packed;           /* malloc'd; NULL: it is written as it is */
	size_t packed_size;
};

struct page_pieces {
	struct page_piece pieces[PAGE_PIECES_MOST];
	size_t count;
	atomic_size_t next; /* piece to be packed */
	struct err errs[2]; /* of the threads that pack */
};

/* A new piece, without bytes. */
struct page_column *page_pieces_add(struct page_pieces *pieces, const char *name);
/* A piece for each plane, at least one; they must outlive the pieces. */
void page_pieces_add_planes(struct page_pieces *pieces, const char *name,
                            const struct page_planes *column);
/* Packs and writes all of them. two_threads: two may be used. False with err set. */
bool page_pieces_print(FILE *out, struct page_pieces *pieces, bool two_threads, struct err *err);
void page_pieces_release(struct page_pieces *pieces);

#endif
