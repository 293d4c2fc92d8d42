import type { ClientBase } from 'pg';
import {
  compareUndo,
  findUndoability,
  makeUndo,
  UndoChangedError,
  type UndoEffects,
  undoUntil,
} from '../../../administration/uploads/undo.ts';
import {
  findUpload,
  listBatches,
  listUndoings,
  TooManyUploadsError,
  type Upload,
} from '../../../store/console/uploads.ts';
import type { ConsoleContext } from '../context.ts';
import type { Page, PageReply, PageRequest, ShownPage } from '../page.ts';
import { SEEN_FIELD } from '../uploads/preview-page.ts';
import { sendUpload } from '../uploads/sending.ts';
import { showNoUndo, showUndoPreview } from '../uploads/undo-page.ts';
import { addressOf, type PageWork, UPLOADS, withUpload } from '../uploads/upload.ts';

const CHANGED = 'Something has changed since the preview, so nothing more was sent. This is the new preview.';

/** The upload of a page that can be undone, and its newest undoing; or the page that says why it cannot. */
async function findUndoable(
  client: ClientBase,
  { upload, now }: PageWork,
  { publicationsKeptMs: keptMs }: ConsoleContext,
): Promise<{ upload: Upload; newest: Upload | null } | ShownPage> {
  const undoability = await findUndoability(client, { upload, keptMs, now });
  if (undoability !== 'possible') return showNoUndo(upload, undoability);
  const [newest = null] = await listUndoings(client, upload);
  return { upload, newest };
}

/** Names what a preview shows: the effects, and the newest undoing. */
const writeSeen = ({ seen }: UndoEffects, newest: Upload | null): string => `${newest?.id ?? 0}.${seen}`;

async function showPreview(
  request: PageRequest,
  { publicationsKeptMs: keptMs }: ConsoleContext,
  shown: {
    client: ClientBase;
    upload: Upload;
    newest: Upload | null;
    effects: UndoEffects;
    notice?: string | null;
    status?: number;
  },
): Promise<ShownPage> {
  const { client, upload, newest, effects, notice, status } = shown;
  const waiting = (await listBatches(client, upload.id)).filter(
    ({ publicationId }) => publicationId === null,
  );
  return showUndoPreview(request, upload, {
    ...{ effects, notice: notice ?? null, status: status ?? 200 },
    seen: writeSeen(effects, newest),
    waiting: waiting.reduce((sum, { count }) => sum + count, 0),
    until: undoUntil(upload, keptMs),
  });
}

const preview = (
  request: PageRequest,
  context: ConsoleContext,
  { notice, status }: { notice: string | null; status?: number },
): Promise<PageReply> =>
  withUpload(request, context, { hold: false }, async (client, work) => {
    if (work.upload.state === 'draft') return { redirect: addressOf(work.upload) };
    const found = await findUndoable(client, work, context);
    if ('title' in found) return found;
    const effects = await compareUndo(client, { accountId: work.accountId, upload: found.upload });
    return showPreview(request, context, { client, ...found, effects, notice, ...(status && { status }) });
  });

/** Undoes what the preview has shown, and nothing else. If somebody has undone the upload since, its receipt follows. */
async function undo(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { form, session, path } = request;
  const { accountId, person } = session;
  const [newestSeen, seen = ''] = (form.get(SEEN_FIELD) ?? '').split('.');
  try {
    const made = await withUpload(request, context, { hold: true }, async (client, work) => {
      if (work.upload.state === 'draft') return { redirect: addressOf(work.upload) };
      const found = await findUndoable(client, work, context);
      if ('title' in found) return found;
      const { upload, newest } = found;
      if (newest && String(newest.id) !== newestSeen) return { redirect: addressOf(newest) };
      return findUpload(client, {
        accountId,
        id: await makeUndo(client, { accountId, upload, person }, seen),
      });
    });
    if (made === null || 'title' in made || 'redirect' in made)
      return made ?? { redirect: `${UPLOADS}/${path.id}` };
    return sendUpload(request, context, made);
  } catch (error) {
    const status = 409;
    if (error instanceof UndoChangedError) return preview(request, context, { notice: CHANGED, status });
    if (error instanceof TooManyUploadsError) {
      const notice = `${error.message} Send or delete one of them first.`;
      return preview(request, context, { notice, status });
    }
    throw error;
  }
}

/** Undoing an upload: the preview of what is restored, and the undoing, which has a receipt like an upload. */
export const uploadUndoPages: readonly Page[] = [
  {
    method: 'GET',
    path: `${UPLOADS}/{id}/undo`,
    role: 'editor',
    handle: (request, context) =>
      preview(request, context, { notice: request.query.has('stopped') ? CHANGED : null }),
  },
  { method: 'POST', path: `${UPLOADS}/{id}/undo`, role: 'editor', handle: undo },
];
