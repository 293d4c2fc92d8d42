import type { ClientBase } from 'pg';
import { MAX_ROWS, type UploadWork } from '../../../administration/uploads/review.ts';
import { type AllowedEndorser, listAllowedEndorsers } from '../../../store/accounts/endorsers.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { findUpload } from '../../../store/console/uploads.ts';
import type { ConsoleContext } from '../context.ts';
import { MAX_FILE } from '../file-form.ts';
import { number } from '../number.ts';
import type { PageRequest } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

export const UPLOADS = '/console/endorsements/uploads';
export const addressOf = ({ id }: { id: number }): string => `${UPLOADS}/${id}`;
export const undoAddressOf = (upload: { id: number }): string => `${addressOf(upload)}/undo`;

/** The bounds of a file, for people. */
export const BOUNDS = `at most ${MAX_FILE} and ${MAX_ROWS.toLocaleString('en-US')} rows`;

/** The events that publishing makes, by their kinds: `2 events reach the stream: 1 new, 1 changed.` */
export function describeEvents(kinds: readonly (readonly [count: number, word: string])[]): string {
  const total = kinds.reduce((sum, [count]) => sum + count, 0);
  const list = kinds.filter(([count]) => count > 0).map(([count, word]) => `${number.format(count)} ${word}`);
  return `${total === 1 ? 'One event reaches' : `${number.format(total)} events reach`} the stream: ${list.join(', ')}.`;
}

/** The upload of a page, and the endorsers for which its account may publish. */
export interface PageWork extends UploadWork {
  endorsers: readonly AllowedEndorser[];
}

/**
 * Works on the upload in the path, in a transaction.
 *
 * @param hold whether to keep others from changing it meanwhile
 * @throws PageError 404 if the account has no such upload, or none any more
 */
export function withUpload<T>(
  { path, session }: PageRequest,
  { pool, clock }: ConsoleContext,
  { hold }: { hold: boolean },
  work: (client: ClientBase, upload: PageWork) => Promise<T>,
): Promise<T> {
  const { accountId } = session;
  return inTransaction(pool, async (client) => {
    const id = readRowId(path.id);
    const upload = id && (await findUpload(client, { accountId, id, hold }));
    if (!upload) throw new PageError(404, 'There is no such upload, or it was deleted.');
    const endorsers = await listAllowedEndorsers(client, accountId);
    return work(client, { accountId, endorsers, upload, now: clock.now() });
  });
}
