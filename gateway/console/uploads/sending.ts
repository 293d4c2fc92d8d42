import {
  findNextBatch,
  listBatches,
  markPublished,
  type Upload,
  type UploadBatch,
} from '../../../store/console/uploads.ts';
import { ApiError } from '../../http/api-error.ts';
import { Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { number } from '../number.ts';
import type { PageRequest, ShownPage } from '../page.ts';
import { loadOutcomes, type Outcome } from '../publishing/receipt.ts';
import { DeleteForm } from './review-page.ts';
import { addressOf, UPLOADS } from './upload.ts';

/** The longest time in which one request sends batches, in milliseconds. The page then shows the progress. */
const SENDING_MS = 3_000;
/** The most rejected submissions that a page lists. */
const MAX_LISTED = 50;

/**
 * Sends batches of an upload that are not sent yet, each of them as one request to publish.
 *
 * @returns why the next batch is not accepted; null if all are sent, or the time is over
 */
export async function sendBatches(
  request: PageRequest,
  { api, pool, clock }: ConsoleContext,
  id: number,
): Promise<string | null> {
  const until = clock.now() + SENDING_MS;
  do {
    const batch = await findNextBatch(pool, id);
    if (batch === null) return null;
    try {
      const answer = await api.call(request, {
        method: 'POST',
        path: '/v1/submissions',
        body: { submissions: JSON.parse(batch.submissions) },
        idempotencyKey: batch.idempotencyKey,
      });
      const { data } = answer as { data: { id: number } };
      await markPublished(pool, id, { ordinal: batch.ordinal, publicationId: data.id });
    } catch (error) {
      if (error instanceof ApiError) return error.message;
      throw error;
    }
  } while (clock.now() < until);
  return null;
}

const sum = (batches: readonly UploadBatch[]): number =>
  batches.reduce((total, { count }) => total + count, 0);

interface Followed {
  outcomes: Outcome[];
  /** The number of submissions whose outcome is not known, and why. */
  unknown: number;
  reason: string | null;
}

/** The outcomes of the submissions that are sent. Waits some seconds for the last ones. */
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
  const goesOn = isSending && problem === null && request.query.has('on');
  return {
    title: `Receipt: ${upload.fileName}`,
    status: problem === null ? 200 : 409,
    ...(goesOn && { script: 'send-on' }),
    body: html`
      ${problem && html`<${Notice} kind="bad">${problem} ${number.format(all - done)} submissions are not sent yet.<//>`}
      <p><label>${`${number.format(done)} of ${number.format(all)} submissions are sent.`} <progress value=${done} max=${all}></progress></label></p>
      ${
        isSending &&
        html`
        <${Form} action=${`${addressOf(upload)}/send`} csrf=${request.csrf}><button data-send-on>Send the rest</button><//>
        <p>Nothing is sent twice. If you delete the upload, what is sent stays published, and the rest is not sent.</p>
        <${DeleteForm} upload=${upload} csrf=${request.csrf} />`
      }
      ${followed && html`<${Result} followed=${followed} upload=${upload} />`}
      ${sent.length > 0 && html`<p>Receipts: ${sent.map(({ publicationId, count }, at) => html`${at > 0 && ', '}<a href=${`/console/endorsements/receipts/${publicationId}`}>${publicationId}</a> (${number.format(count)})`)}</p>`}
      <p><a href="/console/endorsements">Our endorsements</a> · <a href=${UPLOADS}>All uploads</a></p>`,
  };
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
      <${Table} caption="Rejected" head=${['Endorser', 'Contest', 'Reason']}>
        ${rejected.slice(0, MAX_LISTED).map(({ endorser, contest, reason: why }) => html`<tr><th scope="row">${endorser}</th><td>${contest}</td><td>${why?.message}</td></tr>`)}
      <//>
      ${rejected.length > MAX_LISTED && html`<p>The first ${MAX_LISTED} are shown; the receipts have all.</p>`}`
    }`;
}
