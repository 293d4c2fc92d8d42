import { readSubmission } from '../../../administration/rejections/describe.ts';
import { originOf } from '../../../administration/rejections/name.ts';
import { retryChosen } from '../../../administration/rejections/retry.ts';
import { sendCorrection } from '../../../administration/rejections/settle.ts';
import { showRejection } from '../../../administration/rejections/show.ts';
import type { Rejection } from '../../../schemas/submission.ts';
import { writeSubmission } from '../../../schemas/submission-files.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { actorOf } from '../actor.ts';
import type { ConsoleContext } from '../context.ts';
import { BallotText } from '../explorer/ballot-text.ts';
import { type Content, type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import {
  defineForm,
  definePage,
  type PageReply,
  type PageRequest,
  type Refusal,
  type ShownPage,
} from '../page.ts';
import { readVersion, VERSION_FIELD } from '../publishing/own-position.ts';
import { Changes } from '../publishing/position-changes.ts';
import { PositionFields } from '../publishing/position-fields.ts';
import { writePosition } from '../publishing/position-form.ts';
import {
  type Correctable,
  type Effect,
  findCorrectable,
  findEffect,
  MAX_JSON,
  readCorrection,
} from '../rejections/correction.ts';
import { findNamedIn, findOneIn, nameIn, placeOf, REJECTED, refuseAsPage } from '../rejections/rejection.ts';
import { loadStory, PositionHistory, Story } from '../rejections/story.ts';
import { CSRF_FIELD } from '../session/forgery.ts';

/** The button that leads from the preview back to the form. */
const BACK_FIELD = 'back';

/** The field with the length of the story that a page has told. The list offers a retry only without a story. */
const SEEN_FIELD = 'seen';

/** A rejection in full. */
function WholeRejection(props: { item: Rejection; story: readonly Content[]; search: string }): Html {
  const { item, story, search } = props;
  const canRetry = readSubmission(item) !== null && !item.truncated;
  const place = placeOf(item);
  return html`
    <pre tabindex="0" aria-label="The rejection"><code>${showRejection(item).join('\n')}</code></pre>
    <${Story} story=${story} />
    ${!canRetry && html`<p>It cannot be sent again: its producer must send it.</p>`}
    <div class="actions">
      ${canRetry && html`<a class="button" href=${`${place}/edit${search}`}>Edit and send again</a>${' '}`}
      ${
        canRetry &&
        html`
        <${Form} action=${`${place}/retry${search}`}>
          <input type="hidden" name=${SEEN_FIELD} value=${story.length} />
          <button class="plain">Retry</button>
        <//>${' '}`
      }
      <${Form} action=${`${place}/dismiss${search}`}><button class="plain">Dismiss</button><//>
    </div>`;
}

async function showOne(
  request: PageRequest,
  context: ConsoleContext,
  refusal: Refusal | null = null,
): Promise<ShownPage> {
  const { named, ...found } = await findNamedIn(request, context);
  const stories = [];
  for (const item of named) stories.push({ item, story: await loadStory(context, item, found) });
  return {
    title: `Rejected submission ${nameIn(request)}`,
    ...refusal,
    body: html`
      ${stories.map(({ item, story }) => html`<${WholeRejection} item=${item} story=${story} search=${found.search} />`)}
      <p><a href=${REJECTED}>All rejected submissions</a></p>`,
  };
}

/** Sends a submission again. If something became of it that the page has not told, a retry could undo a newer change. */
const retryOne = (request: PageRequest, context: ConsoleContext): Promise<PageReply> =>
  refuseAsPage(async () => {
    const { item, ...found } = await findOneIn(request, context);
    const story = await loadStory(context, item, found);
    if (story.length > Number(request.form.get(SEEN_FIELD) ?? 0)) {
      const problem =
        'Something has become of it since the page was opened, so nothing was sent. The list below tells it.';
      return showOne(request, context, { problem, status: 409 });
    }
    const sent = await inTransaction(context.pool, (client) =>
      retryChosen(client, context, [item], actorOf(request.session)),
    );
    return { redirect: `${REJECTED}?sent=${sent}` };
  });

/** @param refused the fields of a form that was refused, and why */
async function showEdit(
  { query, form }: PageRequest,
  context: ConsoleContext,
  { item, submission, position, ...found }: Correctable,
  refused: { values?: URLSearchParams; problems?: readonly string[] } = {},
): Promise<ShownPage> {
  const { values, problems = [] } = refused;
  const story = await loadStory(context, item, found);
  const before = query.get('before') ?? form.get('before');
  const isJson = position === null || query.get('as') === 'json' || values?.has('json') === true;
  const known = new Set(position?.choices.map(({ key }) => key));
  const lost = submission.picks.filter(({ choice }) => !known.has(choice)).map(({ choice }) => choice);
  return {
    title: `Correct ${originOf(item)}`,
    problem: problems,
    body: html`
      <p>It was rejected because: <code>${item.code}</code> ${item.message}</p>
      <${Story} story=${story} />
      <${Form} action=${`${placeOf(item)}/edit/preview`} class="card">
        ${before && html`<input type="hidden" name="before" value=${before} />`}
        ${
          isJson
            ? html`<label>Submission <textarea name="json" rows="16" maxlength=${MAX_JSON} spellcheck="false" class="code">${values?.get('json') ?? JSON.stringify(writeSubmission(submission), null, 2)}</textarea></label>`
            : html`
          <p><strong>${submission.endorser}</strong> · <${BallotText}>${position.title}<//></p>
          ${lost.length > 0 && html`<p class="problem">The contest does not have these choices of the submission: ${lost.join(', ')}.</p>`}
          <${PositionFields} position=${position} values=${values ?? writePosition(position)} />`
        }
        <button>Preview</button> <a href=${placeOf(item) + found.search}>Cancel</a>
      <//>
      ${!isJson && html`<p><a href=${`${placeOf(item)}/edit?${new URLSearchParams({ ...(before && { before }), as: 'json' })}`}>Correct it as JSON, also its endorser and contest</a></p>`}`,
  };
}

/** A correction that would be applied, or the form again with the reasons why it would not. */
async function readEffect(
  request: PageRequest,
  context: ConsoleContext,
  found: Correctable,
): Promise<Effect | ShownPage> {
  const { form } = request;
  const refuse = (problems: readonly string[]) =>
    showEdit(request, context, found, { values: form, problems });
  const read = await readCorrection(request, context, found);
  if ('problems' in read) return refuse(read.problems);
  const effect = await findEffect(context, read.correction, readVersion(form));
  return typeof effect === 'string' ? refuse([effect]) : effect;
}

/** Asks before a correction is sent. */
async function previewCorrection(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const found = await findCorrectable(request, context);
  if (request.form.has(BACK_FIELD)) return showEdit(request, context, found, { values: request.form });
  const effect = await readEffect(request, context, found);
  return 'title' in effect ? effect : showPreview(request, found, effect);
}

function showPreview(
  { form }: PageRequest,
  { item }: Correctable,
  { position, changes, correction }: Effect,
  problem: string | null = null,
): ShownPage {
  const place = placeOf(item);
  const fields = [...form].filter(([name]) => name !== CSRF_FIELD && name !== VERSION_FIELD);
  return {
    title: `Send the correction of ${originOf(item)}?`,
    problem,
    status: problem === null ? 200 : 409,
    body: html`
      <p><strong>${correction.endorser}</strong> · <${BallotText}>${position.title}<//> <code>${correction.contest}</code> · <${PositionHistory} of=${correction} /></p>
      <${Changes} position=${position} changes=${changes} />
      <${Form} action=${`${place}/edit`}>
        <input type="hidden" name=${VERSION_FIELD} value=${position.sequence} />
        ${fields.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
        <div class="actions">
          <button>Send the correction</button>${' '}
          <button class="plain" name=${BACK_FIELD} formaction=${`${place}/edit/preview`}>Back to the form</button>
        </div>
      <//>`,
  };
}

/** Sends what the preview has shown, and nothing else. */
async function correct(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const found = await findCorrectable(request, context);
  const effect = await readEffect(request, context, found);
  if ('title' in effect) return effect;
  if (effect.position.isChanged) {
    const problem =
      'The position has changed since the preview, so nothing was sent. This is the new preview.';
    return showPreview(request, found, effect, problem);
  }
  const { correction } = effect;
  await refuseAsPage(() =>
    inTransaction(context.pool, (client) =>
      sendCorrection(client, context, { rejection: found.item, correction }, actorOf(request.session)),
    ),
  );
  return { redirect: `${REJECTED}?corrected=1` };
}

/** A rejected submission: the reason, what became of it since, and its correction, for operators. */
export const operatorRejectionPages = [
  definePage(`${REJECTED}/{partition}/{offset}`, 'operator', (request, context) => showOne(request, context)),
  defineForm(`${REJECTED}/{partition}/{offset}/retry`, 'operator', retryOne),
  definePage(`${REJECTED}/{partition}/{offset}/edit`, 'operator', async (request, context) =>
    showEdit(request, context, await findCorrectable(request, context)),
  ),
  defineForm(`${REJECTED}/{partition}/{offset}/edit`, 'operator', correct, { comesBack: true }),
  defineForm(`${REJECTED}/{partition}/{offset}/edit/preview`, 'operator', previewCorrection, {
    comesBack: true,
  }),
];
