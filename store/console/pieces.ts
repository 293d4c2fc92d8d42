import type { ClientBase } from 'pg';

/** The bytes of a file that are read at a time. */
const PIECE_BYTES = 64 * 1024;

/** Reads the content of a file in pieces; none if it has no content. */
export async function* readPieces(
  client: ClientBase,
  table: 'uploads' | 'catalogue_files',
  id: number,
): AsyncGenerator<Buffer> {
  for (let at = 1; ; at += PIECE_BYTES) {
    const { rows } = await client.query<{ piece: Buffer }>(
      `SELECT substr(content, $2, $3) AS piece FROM ${table} WHERE id = $1 AND content IS NOT NULL`,
      [id, at, PIECE_BYTES],
    );
    const piece = rows[0]?.piece;
    if (piece === undefined || piece.length === 0) return;
    yield piece;
  }
}
