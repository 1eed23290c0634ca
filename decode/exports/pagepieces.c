#include "decode/exports/pagepieces.h"

#include "util/deflate.h"
#include "util/huffman.h"
#include "util/thread.h"

#include <stdlib.h>

/* How a large piece is packed is decided by so many bytes from its middle. */
#define TRIED ((size_t)64 * 1024)
#define WORTH 32    /* packing has to save at least one of so many bytes */
#define PREFERRED 8 /* looking for repeated parts takes longer: it has to save that much, too */

struct page_column *page_pieces_add(struct page_pieces *pieces, const char *name)
{
	struct page_piece *piece = &pieces->pieces[pieces->count++];

	*piece = (struct page_piece){ .name = name, .plane = -1 };
	return &piece->column;
}

void page_pieces_add_planes(struct page_pieces *pieces, const char *name,
                            const struct page_planes *column)
{
	for (unsigned i = 0; i == 0 || i < column->plane_count; i++)
		pieces->pieces[pieces->count++] = (struct page_piece){
			.name = name,
			.plane = (int)i,
			.column = { .bytes = column->planes[i], .size = column->count },
			.borrowed = true,
		};
}

/*
 * Packs a large piece. The lowest bytes of numbers are often like random ones, and are not packed;
 * where some bytes are more frequent, but follow each other in any order, a code for bytes does it.
 */
static void pack_large(struct page_piece *piece, struct err *err)
{
	const struct page_column *column = &piece->column;
	const uint8_t *middle = column->bytes + (column->size - TRIED) / 2;
	const size_t coded = huffman_estimate(middle, TRIED);
	size_t matched;

	if (!deflate_zlib(middle, TRIED, &piece->packed, &matched, err))
		return;
	free(piece->packed);
	piece->packed = NULL;
	if (matched > TRIED - TRIED / WORTH && coded > TRIED - TRIED / WORTH)
		return;
	if (matched + matched / PREFERRED < coded)
		deflate_zlib(column->bytes, column->size, &piece->packed, &piece->packed_size, err);
	else
		huffman_zlib(column->bytes, column->size, &piece->packed, &piece->packed_size, err);
}

static void pack(struct page_piece *piece, struct err *err)
{
	const struct page_column *column = &piece->column;

	if (column->size > 2 * TRIED)
		pack_large(piece, err);
	else
		deflate_zlib(column->bytes, column->size, &piece->packed, &piece->packed_size, err);
}

static void pack_pieces(struct page_pieces *pieces, struct err *err)
{
	size_t i;

	while (err->code == ERR_NONE && (i = atomic_fetch_add(&pieces->next, 1)) < pieces->count)
		pack(&pieces->pieces[i], err);
}

static void pack_here(void *context)
{
	struct page_pieces *pieces = context;

	pack_pieces(pieces, &pieces->errs[0]);
}

static void *pack_beside(void *context)
{
	struct page_pieces *pieces = context;

	pack_pieces(pieces, &pieces->errs[1]);
	return NULL;
}

static void print_piece(FILE *out, const struct page_piece *piece)
{
	fprintf(out, "<script type=\"text/plain\" id=\"%s", piece->name);
	if (piece->plane >= 0)
		fprintf(out, ".%d", piece->plane);
	fprintf(out, "\" data-packed=\"%s\">", piece->packed ? "zlib" : "no");
	if (piece->packed)
		print_base64(out, piece->packed, piece->packed_size);
	else
		print_base64(out, piece->column.bytes, piece->column.size);
	fputs("</script>\n", out);
}

bool page_pieces_print(FILE *out, struct page_pieces *pieces, bool two_threads, struct err *err)
{
	if (deflate_can())
		thread_both(two_threads, pack_here, pack_beside, pieces);
	for (size_t i = 0; i < ARRAY_SIZE(pieces->errs); i++)
		if (pieces->errs[i].code != ERR_NONE)
			return err_pass(err, &pieces->errs[i]);
	for (size_t i = 0; i < pieces->count; i++)
		print_piece(out, &pieces->pieces[i]);
	return true;
}

void page_pieces_release(struct page_pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++) {
		free(pieces->pieces[i].packed);
		if (!pieces->pieces[i].borrowed)
			free(pieces->pieces[i].column.bytes);
	}
}
