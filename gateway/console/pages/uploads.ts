import type { ClientBase } from 'pg';
import { makeBatches } from '../../../administration/uploads/batches.ts';
import { checkTable, MAX_ROWS, stageUpload } from '../../../administration/uploads/review.ts';
import { countRemovals } from '../../../domain/removal-guard.ts';
import { TableError } from '../../../intake/tables/table-error.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { TooManyFilesError } from '../../../store/console/make-room.ts';
import {
  changeUpload,
  deleteUpload,
  findUpload,
  KEPT_DAYS,
  listUploads,
  MAX_UPLOADS,
  saveUpload,
  type Upload,
  type UploadSettings,
} from '../../../store/console/uploads.ts';
import { FileTable } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { html } from '../html.ts';
import { Form } from '../layout.ts';
import { defineForm, definePage, type PageReply, type PageRequest, type ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { listElections, listEndorsers } from '../publishing/own-position.ts';
import { readRowId } from '../row-id.ts';
import { replacesUnseen } from '../shown-values.ts';
import { CONSENT_FIELD, countChanges, SEEN_FIELD, showUploadPreview } from '../uploads/preview-page.ts';
import { showReview } from '../uploads/review-page.ts';
import { mergeDecisions } from '../uploads/row-choices.ts';
import { sendUpload } from '../uploads/sending.ts';
import { showSending } from '../uploads/sending-page.ts';
import { readSettings, SettingFields } from '../uploads/settings-form.ts';
import { addressOf, BOUNDS, type PageWork, UPLOADS, withUpload } from '../uploads/upload.ts';

const NO_SETTINGS: UploadSettings = { map: [], endorser: null, election: null, isWhole: false };

const STATES: Readonly<Record<Upload['state'], string>> = {
  draft: 'not sent',
  sending: 'partly sent',
  sent: 'sent',
};

/** The form for a file, and the account's uploads. @param problem why a file was not taken */
async function showUploads(
  request: PageRequest,
  context: ConsoleContext,
  problem: string | null = null,
): Promise<ShownPage> {
  const { form, session } = request;
  const { pool } = context;
  const title = 'Upload endorsements';
  const endorsers = await listEndorsers(request, context);
  if (endorsers.length === 0) {
    return {
      title,
      body: html`<p>This account may not publish for any endorser yet. Ask an operator of the service to allow it.</p>`,
    };
  }
  const settings = problem === null ? NO_SETTINGS : readSettings(form, { endorsers, header: [] });
  const elections = await listElections(pool, context, settings.election);
  const uploads = await listUploads(pool, session.accountId);
  return {
    title,
    problem,
    body: html`
      <p>Choose a table of endorsements: comma-, semicolon- or tab-separated text (CSV or TSV), ${BOUNDS}. Its first line has the names of the columns. You see what each row means before anything is published.</p>
      <${Form} action=${UPLOADS} class="card" hasFile>
        <label>File <input type="file" name="file" accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values" required /></label>
        <${SettingFields} endorsers=${endorsers} elections=${elections} settings=${settings} />
        <button>Upload</button>
      <//>
      <${FileTable} caption="Uploads of the account" files=${uploads.map((upload) => ({ ...upload, address: addressOf(upload), state: STATES[upload.state] }))} />
      <p class="muted">An account has at most ${MAX_UPLOADS} uploads. Each is kept for ${KEPT_DAYS} days after its last change.</p>
      <p><a href="/console/endorsements">Our endorsements</a></p>`,
  };
}

/** Takes a file, and shows what its rows mean. */
async function takeFile(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { file, form, session } = request;
  const refuse = (problem: string) => showUploads(request, context, problem);
  const endorsers = await listEndorsers(request, context);
  if (endorsers.length === 0) {
    throw new PageError(403, 'The account may not publish for any endorser. Ask an operator to allow it.');
  }
  if (file === null)
    return refuse('Choose a file that is not empty. A browser does not keep the choice of a file.');
  try {
    const header = await checkTable(file.content);
    const settings = readSettings(form, { endorsers, header: [] });
    const { accountId, person } = session;
    const table = { fileName: file.name, content: file.content, header };
    const id = await inTransaction(context.pool, (client) =>
      saveUpload(client, { accountId, person, ...table, settings }),
    );
    return { redirect: addressOf({ id }) };
  } catch (error) {
    if (error instanceof TableError) return refuse(error.problem);
    if (error instanceof TooManyFilesError) {
      return refuse(`${error.message} Send or delete one of them first.`);
    }
    throw error;
  }
}

/** The rows of a draft, or the progress of an upload that is sent. */
async function showUpload(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const after = readRowId(request.query.get('after')) ?? 0;
  const shown = await withUpload(request, context, { hold: false }, async (client, work) =>
    work.upload.state === 'draft' ? showReview(context, { client, work, options: { after } }) : work.upload,
  );
  // Not within the transaction, because it waits.
  return 'title' in shown ? shown : showSending(request, context, { upload: shown });
}

/** Changes a draft in a transaction. If it is sent already, the person gets its receipt. */
function changeDraft(
  request: PageRequest,
  context: ConsoleContext,
  change: (client: ClientBase, work: PageWork) => Promise<PageReply>,
): Promise<PageReply> {
  return withUpload(request, context, { hold: true }, async (client, work) =>
    work.upload.state === 'draft' ? change(client, work) : { redirect: addressOf(work.upload) },
  );
}

const saveChoices = (request: PageRequest, context: ConsoleContext) =>
  changeDraft(request, context, async (client, work) => {
    const { form } = request;
    const { upload } = work;
    const { decisions, refused } = mergeDecisions(form, upload.decisions);
    if (Object.keys(decisions).length > MAX_ROWS)
      throw new PageError(400, 'A table has fewer rows than that.');
    await changeUpload(client, upload.id, { settings: upload.settings, decisions });
    const after = readRowId(form.get('after')) ?? 0;
    if (refused.size > 0) {
      const problem =
        'Somebody else has decided on some of these rows since you opened the page. Their decisions are kept, and your other choices are saved.';
      const saved = { ...work, upload: { ...upload, decisions } };
      return showReview(context, {
        client,
        work: saved,
        options: { after, refused, problem, status: 409 },
      });
    }
    const last = form.getAll('line').at(-1);
    return { redirect: `${addressOf(upload)}?after=${readRowId(last) ?? after}` };
  });

const saveSettings = (request: PageRequest, context: ConsoleContext) =>
  changeDraft(request, context, async (client, work) => {
    const { form } = request;
    const { upload, endorsers } = work;
    const settings = readSettings(form, { endorsers, header: upload.header });
    if (replacesUnseen(form, upload.settings, settings)) {
      const problem =
        'Somebody else has changed the endorser, the election or the columns since you opened the page, so your choice is not saved. The form below has theirs.';
      const options = { after: 0, problem, status: 409, showsSettings: true };
      return showReview(context, { client, work, options });
    }
    await changeUpload(client, upload.id, { settings, decisions: upload.decisions });
    return { redirect: addressOf(upload) };
  });

const preview = (request: PageRequest, context: ConsoleContext) =>
  withUpload(request, context, { hold: false }, async (client, work): Promise<PageReply> => {
    if (work.upload.state !== 'draft') return { redirect: addressOf(work.upload) };
    try {
      return showUploadPreview(work, { effects: await stageUpload(client, work) });
    } catch (error) {
      // The rows' page shows the problem.
      if (error instanceof TableError) return { redirect: addressOf(work.upload) };
      throw error;
    }
  });

/** Publishes what the preview has shown, and nothing else. */
async function publish(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { form } = request;
  const made = await changeDraft(request, context, async (client, work) => {
    const effects = await stageUpload(client, work);
    const refuse = (problem: string | null) => showUploadPreview(work, { effects, problem, status: 409 });
    if (effects.digest !== form.get(SEEN_FIELD)) {
      return refuse(
        'Something has changed since the preview, so nothing was published. This is the new preview.',
      );
    }
    if (effects.refusal !== null || countChanges(effects) === 0) return refuse(null);
    if (effects.needsConsent && form.get(CONSENT_FIELD) !== String(countRemovals(effects.removals))) {
      return refuse('Nothing was published: agree to the withdrawals first.');
    }
    await makeBatches(client, work, effects);
    return { redirect: addressOf(work.upload) };
  });
  return 'title' in made ? made : send(request, context);
}

/** Sends batches of an upload, and shows the progress. */
async function send(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const upload = await withUpload(request, context, { hold: false }, async (_client, work) => work.upload);
  return upload.state === 'draft' ? { redirect: addressOf(upload) } : sendUpload(request, context, upload);
}

/** Deletes an upload as the page has shown it. If somebody has sent it since, its receipt follows. */
async function remove(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { form, path, session } = request;
  const { accountId } = session;
  const { pool } = context;
  const id = readRowId(path.id);
  if (id === null) return { redirect: UPLOADS };
  await deleteUpload(pool, { accountId, id, state: form.get(SEEN_FIELD) ?? '' });
  const kept = await findUpload(pool, { accountId, id });
  return { redirect: kept ? addressOf(kept) : UPLOADS };
}

/** Tables of endorsements: the upload, the review of what their rows mean, the preview and the publication. */
export const uploadPages = [
  definePage(UPLOADS, 'editor', showUploads),
  defineForm(UPLOADS, 'editor', takeFile, { takesFile: true }),
  definePage(`${UPLOADS}/{id}`, 'editor', showUpload),
  defineForm(`${UPLOADS}/{id}`, 'editor', saveChoices),
  defineForm(`${UPLOADS}/{id}/settings`, 'editor', saveSettings),
  definePage(`${UPLOADS}/{id}/preview`, 'editor', preview),
  defineForm(`${UPLOADS}/{id}/publish`, 'editor', publish),
  defineForm(`${UPLOADS}/{id}/send`, 'editor', send),
  defineForm(`${UPLOADS}/{id}/delete`, 'editor', remove),
];
