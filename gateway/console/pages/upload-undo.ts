import type { ClientBase } from 'pg';
import {
  compareUndo,
  findUndoability,
  makeUndo,
  UndoChangedError,
  type UndoEffects,
  undoUntil,
} from '../../../administration/uploads/undo.ts';
import { TooManyFilesError } from '../../../store/console/make-room.ts';
import { findUpload, listBatches, listUndoings, type Upload } from '../../../store/console/uploads.ts';
import type { ConsoleContext } from '../context.ts';
import { defineForm, definePage, type PageReply, type PageRequest, type ShownPage } from '../page.ts';
import { SEEN_FIELD } from '../uploads/preview-page.ts';
import { sendUpload } from '../uploads/sending.ts';
import { showNoUndo, showUndoPreview } from '../uploads/undo-page.ts';
import { addressOf, type PageWork, UPLOADS, withUpload } from '../uploads/upload.ts';

const CHANGED = 'Something has changed since the preview, so nothing more was sent. This is the new preview.';

/** The newest undoing of an upload that can be undone; or the page that says why it cannot. */
async function findUndoable(
  client: ClientBase,
  { upload, now }: PageWork,
  { publicationsKeptMs: keptMs }: ConsoleContext,
): Promise<{ newest: Upload | null } | ShownPage> {
  const undoability = await findUndoability(client, { upload, keptMs, now });
  if (undoability !== 'possible') return showNoUndo(upload, undoability);
  const [newest = null] = await listUndoings(client, upload);
  return { newest };
}

/** Names what a preview shows: the effects, and the newest undoing. */
const writeSeen = ({ seen }: UndoEffects, newest: Upload | null): string => `${newest?.id ?? 0}.${seen}`;

const preview = (
  request: PageRequest,
  context: ConsoleContext,
  answer: Pick<ShownPage, 'problem' | 'status'>,
): Promise<PageReply> =>
  withUpload(request, context, { hold: false }, async (client, work) => {
    const { upload } = work;
    if (upload.state === 'draft') return { redirect: addressOf(upload) };
    const found = await findUndoable(client, work, context);
    if ('title' in found) return found;
    const effects = await compareUndo(client, work);
    const batches = await listBatches(client, upload.id);
    const waiting = batches.filter(({ publicationId }) => publicationId === null);
    return showUndoPreview(upload, {
      ...answer,
      effects,
      seen: writeSeen(effects, found.newest),
      waiting: waiting.reduce((sum, { count }) => sum + count, 0),
      until: undoUntil(upload, context.publicationsKeptMs),
    });
  });

/** Undoes what the preview has shown, and nothing else. If somebody has undone the upload since, its receipt follows. */
async function undo(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { form, session, path } = request;
  const { person } = session;
  const [newestSeen, seen = ''] = (form.get(SEEN_FIELD) ?? '').split('.');
  try {
    const made = await withUpload(request, context, { hold: true }, async (client, work) => {
      const { upload, accountId } = work;
      if (upload.state === 'draft') return { redirect: addressOf(upload) };
      const found = await findUndoable(client, work, context);
      if ('title' in found) return found;
      const { newest } = found;
      if (newest && String(newest.id) !== newestSeen) return { redirect: addressOf(newest) };
      const id = await makeUndo(client, { accountId, upload, person }, seen);
      return findUpload(client, { accountId, id });
    });
    if (made === null || 'title' in made || 'redirect' in made)
      return made ?? { redirect: `${UPLOADS}/${path.id}` };
    return sendUpload(request, context, made);
  } catch (error) {
    const status = 409;
    if (error instanceof UndoChangedError) return preview(request, context, { problem: CHANGED, status });
    if (error instanceof TooManyFilesError) {
      const problem = `${error.message} Send or delete one of them first.`;
      return preview(request, context, { problem, status });
    }
    throw error;
  }
}

/** Undoing an upload: the preview of what is restored, and the undoing, which has a receipt like an upload. */
export const uploadUndoPages = [
  definePage(`${UPLOADS}/{id}/undo`, 'editor', (request, context) =>
    preview(request, context, { problem: request.query.has('stopped') ? CHANGED : null, status: 200 }),
  ),
  defineForm(`${UPLOADS}/{id}/undo`, 'editor', undo),
];
