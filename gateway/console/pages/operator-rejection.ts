import { checkCorrection } from '../../../administration/rejections/check-correction.ts';
import { readSubmission } from '../../../administration/rejections/describe.ts';
import { findWhatMended } from '../../../administration/rejections/find-mended.ts';
import { findLastOfSame } from '../../../administration/rejections/find-superseded.ts';
import { nameOf, originOf } from '../../../administration/rejections/name.ts';
import { findSettled, sendCorrection } from '../../../administration/rejections/settle.ts';
import { showRejection } from '../../../administration/rejections/show.ts';
import { decidePosition, type PickChange } from '../../../domain/position.ts';
import { findRoundedNumber } from '../../../schemas/json-numbers.ts';
import { shorten } from '../../../schemas/problems.ts';
import type { Rejection, Submission } from '../../../schemas/submission.ts';
import { writeSubmission } from '../../../schemas/submission-files.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { findOwnPosition, type OwnPosition } from '../../../store/console/own-positions.ts';
import { findContestId } from '../../../store/endorsements/known-names.ts';
import { findSettler } from '../../../store/stream/settled-rejections.ts';
import { actorOf } from '../actor.ts';
import { Moment, Notice } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { BallotText } from '../explorer/ballot-text.ts';
import { HistoryLink } from '../history-link.ts';
import { type Content, type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form } from '../layout.ts';
import type { Page, PageReply, PageRequest, ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readVersion, VERSION_FIELD } from '../publishing/own-position.ts';
import { Changes } from '../publishing/position-changes.ts';
import { PositionFields } from '../publishing/position-fields.ts';
import { readPosition, writePosition } from '../publishing/position-form.ts';
import { findNamedIn, findOneIn, nameIn, placeOf, REJECTED, refuseAsPage } from '../rejections/rejection.ts';
import { CSRF_FIELD } from '../session/forgery.ts';

/** The button that leads from the preview back to the form. */
const BACK_FIELD = 'back';
/** The largest submission that the form takes, in characters of JSON. */
const MAX_JSON = 100_000;

function PositionHistory({ of: { endorser, contest } }: { of: Submission }): Html {
  return html`<${HistoryLink} endorser=${endorser} contest=${contest} of=${`${endorser}, ${contest}`} />`;
}

/** The fate of a rejected submission since. */
async function loadStory(
  { pool }: ConsoleContext,
  item: Rejection,
  rejections: readonly Rejection[],
): Promise<Content[]> {
  const story: Content[] = [];
  const how = (await findSettled(pool, [item])).get(item);
  const settler = how ? await findSettler(pool, nameOf(item)) : null;
  if (settler) {
    const what = how === 'dismissed' ? 'dismissed it' : 'sent a correction';
    story.push(html`${isolateName(settler.author)} has ${what}, at <${Moment} at=${settler.at} />.`);
  }
  const later = findLastOfSame(item, rejections);
  if (later) {
    story.push(
      html`The same submission came again and was rejected again: <a href=${placeOf(later)}>${originOf(later)}</a>.`,
    );
  }
  const change = await findWhatMended(pool, item);
  const submission = readSubmission(item);
  if (change && submission) {
    const { partition, offset, sequence, occurredAt } = change;
    story.push(
      html`The submission ${`${partition}/${offset}`} has changed the position since, at <${Moment} at=${occurredAt} />: change ${sequence} of the stream. <${PositionHistory} of=${submission} />`,
    );
  }
  return story;
}

const Story = ({ story }: { story: readonly Content[] }): Html | null =>
  story.length === 0 ? null : html`<ul>${story.map((each) => html`<li>${each}</li>`)}</ul>`;

/** A rejection in full. */
function WholeRejection(props: {
  item: Rejection;
  story: readonly Content[];
  csrf: string;
  before: string | null;
}): Html {
  const { item, story, csrf, before } = props;
  const canRetry = readSubmission(item) !== null && !item.truncated;
  const place = placeOf(item);
  const search = before === null ? '' : `?${new URLSearchParams({ before })}`;
  return html`
    <pre tabindex="0" aria-label="The rejection"><code>${showRejection(item).join('\n')}</code></pre>
    <${Story} story=${story} />
    ${!canRetry && html`<p>It cannot be sent again: its producer must send it.</p>`}
    <div class="actions">
      ${canRetry && html`<a class="button" href=${`${place}/edit${search}`}>Edit and send again</a>${' '}`}
      ${canRetry && html`<${Form} action=${`${place}/retry${search}`} csrf=${csrf}><button class="plain">Retry</button><//>${' '}`}
      <${Form} action=${`${place}/dismiss${search}`} csrf=${csrf}><button class="plain">Dismiss</button><//>
    </div>`;
}

async function showOne(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const { query, csrf } = request;
  const { named, rejections } = await findNamedIn(request, context);
  const stories = [];
  for (const item of named) stories.push({ item, story: await loadStory(context, item, rejections) });
  return {
    title: `Rejected submission ${nameIn(request)}`,
    body: html`
      ${stories.map(({ item, story }) => html`<${WholeRejection} item=${item} story=${story} csrf=${csrf} before=${query.get('before')} />`)}
      <p><a href=${REJECTED}>All rejected submissions</a></p>`,
  };
}

/** A rejected submission that can be corrected. */
interface Correctable {
  item: Rejection;
  submission: Submission;
  /** All rejections that were read. */
  rejections: readonly Rejection[];
  /** The contest, if the submission is a whole position in one that exists; otherwise it is corrected as JSON. */
  position: OwnPosition | null;
}

/** @throws PageError 404 if there is no such rejection, 409 if it cannot be corrected or its name is ambiguous */
async function findCorrectable(request: PageRequest, context: ConsoleContext): Promise<Correctable> {
  const { item, rejections } = await findOneIn(request, context);
  const submission = readSubmission(item);
  if (!submission || item.truncated) {
    throw new PageError(409, 'It cannot be corrected here: its producer must send it.');
  }
  if (JSON.stringify(writeSubmission(submission)).length > MAX_JSON) {
    throw new PageError(409, 'It is too large to be corrected here: its producer must send it.');
  }
  const details = submission.picks.map((pick) => pick.details ?? '{}');
  const number = details.map(findRoundedNumber).find((rounded) => rounded !== null);
  if (number !== undefined) {
    throw new PageError(
      409,
      `It cannot be corrected here: its details have the number ${shorten(number)}, which would be rounded. Its producer must send it.`,
    );
  }
  const { action, endorser, contest, picks } = submission;
  const isPosition = action === 'position' && item.code !== 'unknown_endorser';
  const contestId = isPosition ? await findContestId(context.pool, contest) : null;
  const found = contestId && (await findOwnPosition(context.pool, { endorser, contestId, since: null }));
  return { item, submission, rejections, position: found ? { ...found, picks } : null };
}

/** @param refused the fields of a form that was refused, and why */
async function showEdit(
  { csrf, query, form }: PageRequest,
  context: ConsoleContext,
  { item, submission, rejections, position }: Correctable,
  refused: { values?: URLSearchParams; problems?: readonly string[] } = {},
): Promise<ShownPage> {
  const { values, problems = [] } = refused;
  const story = await loadStory(context, item, rejections);
  const before = query.get('before') ?? form.get('before');
  const isJson = position === null || query.get('as') === 'json' || values?.has('json') === true;
  const known = new Set(position?.choices.map(({ key }) => key));
  const lost = submission.picks.filter(({ choice }) => !known.has(choice)).map(({ choice }) => choice);
  return {
    title: `Correct ${originOf(item)}`,
    status: problems.length > 0 ? 400 : 200,
    body: html`
      ${problems.map((problem) => html`<${Notice} kind="bad">${problem}<//>`)}
      <p>It was rejected because: <code>${item.code}</code> ${item.message}</p>
      <${Story} story=${story} />
      <${Form} action=${`${placeOf(item)}/edit/preview`} csrf=${csrf} class="card">
        ${before && html`<input type="hidden" name="before" value=${before} />`}
        ${
          isJson
            ? html`<label>Submission <textarea name="json" rows="16" maxlength=${MAX_JSON} spellcheck="false" class="code">${values?.get('json') ?? JSON.stringify(writeSubmission(submission), null, 2)}</textarea></label>`
            : html`
          <p><strong>${submission.endorser}</strong> · <${BallotText}>${position.title}<//></p>
          ${lost.length > 0 && html`<p class="problem">The contest does not have these choices of the submission: ${lost.join(', ')}.</p>`}
          <${PositionFields} position=${position} values=${values ?? writePosition(position)} />`
        }
        <button>Preview</button> <a href=${placeOf(item)}>Cancel</a>
      <//>
      ${!isJson && html`<p><a href=${`${placeOf(item)}/edit?${new URLSearchParams({ ...(before && { before }), as: 'json' })}`}>Correct it as JSON, also its endorser and contest</a></p>`}`,
  };
}

/** The correction that a form has. */
async function readCorrection(
  { form }: PageRequest,
  { pool, clock }: ConsoleContext,
  { submission, position }: Correctable,
): Promise<{ correction: Submission } | { problems: string[] }> {
  const now = clock.now();
  let json = form.get('json') ?? '';
  if (!form.has('json') && position !== null) {
    const { endorser, contest } = submission;
    const { picks, problems } = readPosition(form, position, { endorser, now });
    if (problems.length > 0) {
      return { problems: problems.map(({ field, message }) => `${field ?? 'The position'} ${message}.`) };
    }
    json = JSON.stringify(writeSubmission({ action: 'position', endorser, contest, picks }));
  }
  return inTransaction(pool, (client) => checkCorrection(client, json, now));
}

/** A correction, the position that it concerns, and the changes that it would make. */
interface Effect {
  correction: Submission;
  position: OwnPosition;
  changes: PickChange[];
}

/**
 * Finds out what a correction would change.
 *
 * @param since the version of the position that the person has seen; null for none
 * @returns a sentence if it would be rejected again
 */
async function findEffect(
  { pool }: ConsoleContext,
  correction: Submission,
  since: number | null,
): Promise<Effect | string> {
  const { endorser, contest } = correction;
  const contestId = await findContestId(pool, contest);
  const position = contestId && (await findOwnPosition(pool, { endorser, contestId, since }));
  if (!position) return `There is no contest ${contest} any more.`;
  const keys = new Set(position.choices.map(({ key }) => key));
  const decided = decidePosition(new Map(position.picks.map((pick) => [pick.choice, pick])), correction, {
    key: contest,
    vote_method: position.vote_method,
    hasChoice: (choice) => keys.has(choice),
  });
  return 'code' in decided ? decided.message : { correction, position, changes: decided.changes };
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
  { form, csrf }: PageRequest,
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
      <${Form} action=${`${place}/edit`} csrf=${csrf}>
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
export const operatorRejectionPages: readonly Page[] = [
  { method: 'GET', path: `${REJECTED}/{partition}/{offset}`, role: 'operator', handle: showOne },
  {
    method: 'GET',
    path: `${REJECTED}/{partition}/{offset}/edit`,
    role: 'operator',
    handle: async (request, context) => showEdit(request, context, await findCorrectable(request, context)),
  },
  {
    method: 'POST',
    path: `${REJECTED}/{partition}/{offset}/edit`,
    role: 'operator',
    comesBack: true,
    handle: correct,
  },
  {
    method: 'POST',
    path: `${REJECTED}/{partition}/{offset}/edit/preview`,
    role: 'operator',
    comesBack: true,
    handle: previewCorrection,
  },
];
