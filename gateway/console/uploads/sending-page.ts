import { findUndoability, undoUntil } from '../../../administration/uploads/undo.ts';
import {
  findUpload,
  listBatches,
  listUndoings,
  type Upload,
  type UploadBatch,
} from '../../../store/console/uploads.ts';
import { ApiError } from '../../http/api-error.ts';
import { Moment, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { HistoryLink } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { countThat, number } from '../number.ts';
import type { PageRequest, ShownPage } from '../page.ts';
import { loadOutcomes, type Outcome } from '../publishing/receipt.ts';
import { DeleteForm } from './review-page.ts';
import { UndoLimit } from './undo-page.ts';
import { addressOf, UPLOADS, undoAddressOf } from './upload.ts';

/** The most rejected submissions that a page lists. */
const MAX_LISTED = 50;

const sum = (batches: readonly UploadBatch[]): number =>
  batches.reduce((total, { count }) => total + count, 0);

interface Followed {
  outcomes: Outcome[];
  /** The number of submissions whose outcome is not known, and why. */
  unknown: number;
  reason: string | null;
}

/** The outcomes of the submissions that are sent. The last batch comes first: waiting for it is enough for all. */
async function follow(
  request: PageRequest,
  context: ConsoleContext,
  sent: readonly UploadBatch[],
): Promise<Followed> {
  const followed: Followed = { outcomes: [], unknown: 0, reason: null };
  for (const batch of sent.toReversed()) {
    const wait = batch === sent.at(-1) ? undefined : 0;
    const outcomes = await loadOutcomes(request, context, batch.publicationId ?? 0, wait).catch(
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return error.message;
        throw error;
      },
    );
    if (typeof outcomes === 'string') {
      followed.unknown += batch.count;
      followed.reason = outcomes;
    } else followed.outcomes.push(...outcomes);
  }
  return followed;
}

/** The progress of an upload that is being sent, and then its receipt. */
export async function showSending(
  request: PageRequest,
  context: ConsoleContext,
  { upload, problem = null }: { upload: Upload; problem?: string | null },
): Promise<ShownPage> {
  const batches = await listBatches(context.pool, upload.id);
  const sent = batches.filter(({ publicationId }) => publicationId !== null);
  const [all, done] = [sum(batches), sum(sent)];
  const isSending = done < all;
  // The outcomes of a half are of no use yet.
  const followed = isSending ? null : await follow(request, context, sent);
  const sendsOn = isSending && request.query.has('on');
  const undo = sendsOn ? null : await loadUndo(request, context, upload);
  return {
    title: `Receipt: ${upload.fileName}`,
    status: problem === null ? 200 : 409,
    ...(sendsOn && { script: 'send-on' }),
    body: html`
      ${problem && html`<${Notice} kind="bad" answers>${problem} ${number.format(all - done)} submissions are not sent yet.<//>`}
      <p><label>${`${number.format(done)} of ${number.format(all)} submissions are sent.`} <progress value=${done} max=${all}></progress></label></p>
      ${upload.leftOut > 0 && html`<p>${countThat(upload.leftOut, 'row', 'was', 'were')} left out: not decided on, or not usable. Upload what is missing as another table.</p>`}
      ${
        isSending &&
        html`
        <${Form} action=${`${addressOf(upload)}/send`}><button data-send-on>Send the rest</button><//>
        <p>Nothing is sent twice. If you delete the upload, what is sent stays published, and the rest is not sent.</p>
        <${DeleteForm} upload=${upload} />`
      }
      ${followed && html`<${Result} followed=${followed} upload=${upload} />`}
      ${sent.length > 0 && html`<p>Receipts: ${sent.map(({ publicationId, count }, at) => html`${at > 0 && ', '}<a href=${`/console/endorsements/receipts/${publicationId}`}>${publicationId}</a> (${number.format(count)})`)}</p>`}
      ${undo && html`<${Undo} undo=${undo} upload=${upload} />`}
      <p><a href="/console/endorsements">Our endorsements</a> · <a href=${UPLOADS}>All uploads</a></p>`,
  };
}

/** The undoing of an upload, as its receipt shows it. */
async function loadUndo({ session }: PageRequest, context: ConsoleContext, upload: Upload) {
  const { pool, clock, publicationsKeptMs: keptMs } = context;
  const { accountId } = session;
  return {
    undoability: await findUndoability(pool, { upload, keptMs, now: clock.now() }),
    until: undoUntil(upload, keptMs),
    undoings: await listUndoings(pool, upload),
    undone: upload.undoes === null ? null : await findUpload(pool, { accountId, id: upload.undoes }),
  };
}

function Undo({ undo, upload }: { undo: Awaited<ReturnType<typeof loadUndo>>; upload: Upload }): Html {
  const { undoability, until, undoings, undone } = undo;
  return html`
    ${undone && html`<p>It restores what stood before <a href=${addressOf(undone)}>${undone.fileName}</a>.</p>`}
    ${undoings.map((each) => html`<p>Undone: <a href=${addressOf(each)}>${each.fileName}</a>, by ${each.person}, <${Moment} at=${each.changedAt} /></p>`)}
    ${undoability === 'possible' && html`<p><a class="button" href=${undoAddressOf(upload)}>Undo this upload</a></p><${UndoLimit} until=${until} />`}
    ${undoability === 'late' && html`<p class="muted">It can no longer be undone.</p>`}`;
}

function Result({ followed, upload }: { followed: Followed; upload: Upload }): Html {
  const { outcomes, unknown, reason } = followed;
  const countOf = (status: Outcome['status']) => outcomes.filter((each) => each.status === status).length;
  const rejected = outcomes.filter(({ status }) => status === 'rejected');
  const onTheirWay = countOf('submitted') + unknown;
  return html`
    ${
      rejected.length > 0
        ? html`<${Notice} kind="bad">The service has rejected ${number.format(rejected.length)} of them, and these change nothing.<//>`
        : onTheirWay > 0
          ? html`<${Notice} kind="good">All are stored safely${unknown > 0 ? `. The outcomes of ${number.format(unknown)} cannot be shown: ${reason}` : ', and some are on their way.'}<//>`
          : html`<${Notice} kind="good">It is done: readers and the stream have it.<//>`
    }
    <ul>
      <li>${number.format(countOf('applied'))} on the stream</li>
      <li>${number.format(countOf('unchanged'))} with nothing to change</li>
      ${countOf('submitted') > 0 && html`<li>${number.format(countOf('submitted'))} on their way</li>`}
    </ul>
    ${onTheirWay > 0 && html`<p><a class="button" href=${addressOf(upload)}>Look again</a></p>`}
    ${
      rejected.length > 0 &&
      html`
      <${Table} caption="Rejected" head=${['Endorser', 'Contest', 'Reason', 'History']}>
        ${rejected.slice(0, MAX_LISTED).map(({ endorser, contest, reason: why }) => html`<tr><th scope="row">${endorser}</th><td>${contest}</td><td>${why?.message}</td><td><${HistoryLink} endorser=${endorser} contest=${contest} of=${`${endorser}, ${contest}`} /></td></tr>`)}
      <//>
      ${rejected.length > MAX_LISTED && html`<p>The first ${MAX_LISTED} are shown; the receipts have all.</p>`}`
    }`;
}
