import type { ChangeBody } from '../../schemas/change.ts';
import { decodeBody, encodeBody } from '../../schemas/change-encoding.ts';

/** The body of a change as the change log has it: as Avro, or else as JSON. */
export interface StoredBody {
  packed: Buffer | null;
  body: ChangeBody | null;
}

/** The columns of a `StoredBody`; one is null. */
export const STORED_BODY = 'packed, CASE WHEN packed IS NULL THEN body END AS body';

/** The most bytes of bodies that a query of the change log returns, besides the last of them. */
export const MAX_BODY_BYTES = 4_000_000;

/** The column `bytes_before`: the bytes of the bodies of all earlier rows, as Postgres stores them. */
export const BYTES_BEFORE = `COALESCE(sum(COALESCE(octet_length(packed), pg_column_size(body)))
  OVER (ORDER BY sequence ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS bytes_before`;

/** The body as `encodeBody` encodes it. A body stored as Avro stays as it is, in any version (INV-3). */
export function encodedBodyOf({ packed, body }: StoredBody): Buffer {
  return packed ?? encodeBody(body as ChangeBody);
}

/** The body. @throws AvroDecodeError if a later version encoded it */
export function bodyOf({ packed, body }: StoredBody): ChangeBody {
  return packed === null ? (body as ChangeBody) : decodeBody(packed);
}
