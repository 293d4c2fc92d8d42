import type { ChangeBody } from '../../schemas/change.ts';
import { packBody, unpackBody } from '../../schemas/packed-change.ts';

/** The body of a change as the change log has it: packed, or else as JSON. */
export interface StoredBody {
  packed: Buffer | null;
  body: ChangeBody | null;
}

/** The columns of a `StoredBody`, of which one is null. */
export const STORED_BODY = 'packed, CASE WHEN packed IS NULL THEN body END AS body';

/** The body as `packBody` packs it. A body that was stored packed stays as it is, in whatever version (INV-3). */
export function packedOf({ packed, body }: StoredBody): Buffer {
  return packed ?? packBody(body as ChangeBody);
}

/** The body. @throws AvroDecodeError if a later version packed it */
export function bodyOf({ packed, body }: StoredBody): ChangeBody {
  return packed === null ? (body as ChangeBody) : unpackBody(packed);
}
