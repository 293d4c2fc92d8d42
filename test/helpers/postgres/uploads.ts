import type { ClientBase } from 'pg';
import { saveUpload } from '../../../store/console/uploads.ts';

/** Saves a small table as an upload of an account. @param more how it differs @returns its id */
export function saveTable(
  client: ClientBase,
  accountId: number,
  more: { content: Buffer } | { content: null; undoes: number } = { content: Buffer.from('a') },
): Promise<number> {
  const settings = { map: [], endorser: null, election: null, isWhole: false };
  return saveUpload(client, {
    ...{ accountId, person: 'ann', fileName: 'a.csv', header: ['a'], settings },
    ...more,
  });
}
