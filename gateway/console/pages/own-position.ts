import type { SubmittedPick } from '../../../schemas/submission.ts';
import { writeSubmission } from '../../../schemas/submission-files.ts';
import type { OwnPosition } from '../../../store/console/own-positions.ts';
import { ApiError } from '../../http/api-error.ts';
import { Day } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { Spanish } from '../explorer/ballot-text.ts';
import { FormId, idempotencyKeyOf } from '../form-id.ts';
import { historyAddress } from '../history-link.ts';
import { type Content, type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { defineForm, definePage, type PageReply, type PageRequest, type ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { findSubject, type Subject, VERSION_FIELD } from '../publishing/own-position.ts';
import { Changes, changesTo, PickText } from '../publishing/position-changes.ts';
import { PositionFields } from '../publishing/position-fields.ts';
import { PICK_TEXTS, readFields, readPosition, writePosition } from '../publishing/position-form.ts';
import { showReceipt } from '../publishing/receipt.ts';
import { readRowId } from '../row-id.ts';

const addressOf = ({ position: { id } }: Subject): string => `/console/endorsements/${id}`;
const listOf = ({ endorser, position }: Subject): string =>
  `/console/endorsements?${new URLSearchParams({ endorser: endorser.slug, election: position.election })}`;

/** The contest, and the endorser that takes the position. */
function Place({ subject }: { subject: Subject }): Html {
  const { endorser, position } = subject;
  const explorer = `/console/explorer/contests/${position.id}`;
  return html`
    <p><strong>${endorser.name}</strong> · <a href=${listOf(subject)}>${position.electionName}</a>, <${Day}>${position.date}<//> · ${position.district} · <a href=${explorer}>All positions</a> · <a href=${historyAddress(endorser.slug, position.id)}>History</a></p>
    ${position.title_es && html`<p><${Spanish}>${position.title_es}<//></p>`}
    ${position.description && html`<p>${position.description}</p>`}
    ${position.description_es && html`<p><${Spanish}>${position.description_es}<//></p>`}`;
}

/** How often, and how many times, a page looks for a change that is on its way; in milliseconds. */
const LOOK_MS = 100;
const MAX_LOOKS = 20;

/** The position that has changed since the form was shown. */
function Stored({ position }: { position: OwnPosition }): Html {
  return html`
    <section class="card">
      <h2>The position now</h2>
      ${
        position.picks.length === 0
          ? html`<p>No position.</p>`
          : html`<ul>${position.picks.map((pick) => html`<li><${PickText} position=${position} pick=${pick} /></li>`)}</ul>`
      }
      <p>The form below has what you entered. Publishing it replaces the position above.</p>
    </section>`;
}

interface ShownForm {
  values: URLSearchParams;
  /** The reasons why the form was not published. */
  problems?: readonly string[];
  status?: number | undefined;
  /** Whether the position has changed since the version in `values`. The form shows the new one then. */
  isOutdated?: boolean;
}

function showForm(subject: Subject, { values, problems, status, isOutdated = false }: ShownForm): ShownPage {
  const { endorser, position } = subject;
  // A person who corrects a form has not seen a later position, which the next preview then shows.
  const seen = isOutdated ? null : values.get(VERSION_FIELD);
  return {
    title: position.title,
    script: 'position',
    problem: problems,
    status,
    body: html`
      <${Place} subject=${subject} />
      ${isOutdated && html`<${Stored} position=${position} />`}
      <${Form} action=${`${addressOf(subject)}/preview`} class="card">
        <input type="hidden" name="endorser" value=${endorser.slug} />
        <input type="hidden" name=${VERSION_FIELD} value=${seen ?? position.sequence} />
        <${PositionFields} position=${position} values=${values} />
        <button>Preview</button> <a href=${listOf(subject)}>Cancel</a>
      <//>
      ${position.picks.length > 0 && html`<p><a class="danger" href=${`${addressOf(subject)}/withdraw?${new URLSearchParams({ endorser: endorser.slug })}`}>Withdraw the position</a></p>`}`,
  };
}

/** Asks before anything is published. @param values the fields of the position */
function showPreview(
  subject: Subject,
  { values, picks, note }: { values: URLSearchParams; picks: readonly SubmittedPick[]; note?: Content },
): ShownPage {
  const { endorser, position } = subject;
  const changes = changesTo(position, picks);
  const fields = [...values].filter(([name]) => /^choice$|:/.test(name));
  const isWithdrawal = picks.length === 0 && changes.length > 0;
  const back = 'Back to the form';
  return {
    title: isWithdrawal ? `Withdraw the position in ${position.title}?` : `Publish: ${position.title}`,
    body: html`
      <${Place} subject=${subject} />
      ${note}
      <${Changes} position=${position} changes=${changes} />
      <${Form} action=${addressOf(subject)}>
        <input type="hidden" name="endorser" value=${endorser.slug} />
        <input type="hidden" name=${VERSION_FIELD} value=${position.sequence} />
        <${FormId} />
        ${fields.map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
        <div class="actions">
          ${changes.length > 0 && html`<button class=${isWithdrawal ? 'danger' : null}>${isWithdrawal ? 'Withdraw' : 'Publish'}</button>${' '}`}
          ${
            fields.length > 0
              ? html`<button class="plain" formaction=${`${addressOf(subject)}/edit`}>${back}</button>`
              : html`<a href=${`${addressOf(subject)}?${new URLSearchParams({ endorser: endorser.slug })}`}>${back}</a>`
          }
        </div>
      <//>`,
  };
}

/** A warning about more choices than a voter may mark. For an endorser it is not a mistake. */
function describeSurplus({ position }: Subject, picks: readonly SubmittedPick[]): Html | null {
  const { vote_method, mostMarked, choices } = position;
  const picked = choices.filter(({ key }) => picks.some(({ choice }) => choice === key));
  const count = new Set(picked.map(({ contender }) => contender)).size;
  if (mostMarked === null || count <= mostMarked) return null;
  const verb = vote_method === 'ranked_choice' ? 'rank' : 'mark';
  return html`<p>You endorse ${count} choices; a voter may ${verb} ${mostMarked}.</p>`;
}

/** A warning about new texts of choices that the form does not endorse. */
function describeUnused(
  { position }: Subject,
  values: URLSearchParams,
  picks: readonly SubmittedPick[],
): Html | null {
  const [fields, held] = [readFields(values), readFields(writePosition(position))];
  const unused = position.choices.filter(
    ({ key }) =>
      !picks.some(({ choice }) => choice === key) &&
      PICK_TEXTS.some((field) => {
        const text = fields.textOf(field, key)?.trim().replaceAll('\r\n', '\n') ?? '';
        return text !== '' && text !== held.textOf(field, key);
      }),
  );
  if (unused.length === 0) return null;
  return html`<p>Your texts beside ${unused.map(({ label }) => label).join(', ')} are not published, because you do not endorse ${unused.length === 1 ? 'that choice' : 'these choices'}.</p>`;
}

async function preview(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const subject = await findSubject(request, context);
  const read = readForm(request, subject, context);
  if ('title' in read) return read;
  const note = html`${describeSurplus(subject, read.picks)}${describeUnused(subject, request.form, read.picks)}`;
  return showPreview(subject, { values: request.form, picks: read.picks, note });
}

/** The picks of a form, or the form again with the reasons why it cannot be published. */
function readForm(
  request: PageRequest,
  subject: Subject,
  { clock }: ConsoleContext,
): { picks: SubmittedPick[] } | ShownPage {
  const { form: values } = request;
  const { position, endorser } = subject;
  const { picks, problems } = readPosition(values, position, { endorser: endorser.slug, now: clock.now() });
  if (problems.length > 0) return showForm(subject, { values, problems });
  const isOutdated = position.isChanged || !values.has(VERSION_FIELD);
  if (!isOutdated || changesTo(position, picks).length === 0) return { picks };
  return showOutdated(request, subject);
}

/** The form beside the position that was stored since the form was shown. */
function showOutdated(request: PageRequest, subject: Subject): ShownPage {
  const problem = 'The position has changed since you opened the form, so nothing was published.';
  const { form: values } = request;
  return showForm(subject, { values, problems: [problem], status: 409, isOutdated: true });
}

/** The subject once its position has changed, or as it is after two seconds. */
async function awaitChange(request: PageRequest, context: ConsoleContext): Promise<Subject> {
  for (let look = 1; ; look += 1) {
    const subject = await findSubject(request, context);
    if (subject.position.isChanged || look === MAX_LOOKS || request.closed.aborted) return subject;
    await context.clock.wait(LOOK_MS, request.closed);
  }
}

/** Publishes a position, and shows the receipt. */
async function publish(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const subject = await findSubject(request, context);
  const { position, endorser } = subject;
  const read = readForm(request, subject, context);
  if ('title' in read) return read;
  const named = { endorser: endorser.slug, contest: position.key };
  const body = { submissions: [writeSubmission({ action: 'position', ...named, picks: read.picks })] };
  let id: number;
  try {
    const { data } = await context.api.call<{ data: { id: number } }>(request, {
      ...{ method: 'POST', path: '/v1/submissions', body },
      idempotencyKey: idempotencyKeyOf(request.form),
      unchangedSince: String(position.sequence),
    });
    id = data.id;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { message, status } = error;
    const present = status === 409 ? await awaitChange(request, context) : subject;
    if (present.position.isChanged) return showOutdated(request, present);
    return showForm(subject, { values: request.form, problems: [message], status });
  }
  return showReceipt(request, context, {
    id,
    children: html`
      <p><a href=${listOf(subject)}>Our endorsements</a></p>
      ${!position.isChanged && html`<${UndoForm} subject=${subject} />`}`,
  });
}

/**
 * Leads back to the position before, which is known only to the first answer to a form. The preview shows the changes
 * first.
 */
function UndoForm({ subject }: { subject: Subject }): Html {
  const { position, endorser } = subject;
  return html`
    <${Form} action=${`${addressOf(subject)}/undo`}>
      <input type="hidden" name="endorser" value=${endorser.slug} />
      ${[...writePosition(position)].map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}
      <button class="plain">Undo</button>
    <//>`;
}

async function undo(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const subject = await findSubject(request, context);
  const { form: values } = request;
  // The reader has seen no version since, so that the preview shows the difference from the present position.
  values.set(VERSION_FIELD, String(subject.position.sequence));
  const read = readForm(request, subject, context);
  return 'title' in read ? read : showPreview(subject, { values, picks: read.picks });
}

/** An endorser's position in a contest: its form, the preview, the publication and the receipts. */
export const ownPositionPages = [
  definePage('/console/endorsements/receipts/{id}', 'editor', async (request, context) => {
    const id = readRowId(request.path.id);
    if (id === null) throw new PageError(404, 'There is no such receipt.');
    return showReceipt(request, context, { id });
  }),
  definePage('/console/endorsements/{id}', 'editor', async (request, context) => {
    const subject = await findSubject(request, context);
    return showForm(subject, { values: writePosition(subject.position) });
  }),
  defineForm('/console/endorsements/{id}', 'editor', publish, { comesBack: true }),
  defineForm('/console/endorsements/{id}/preview', 'editor', preview, { comesBack: true }),
  defineForm('/console/endorsements/{id}/undo', 'editor', undo, { comesBack: true }),
  defineForm(
    '/console/endorsements/{id}/edit',
    'editor',
    async (request, context) => {
      return showForm(await findSubject(request, context), { values: request.form });
    },
    { comesBack: true },
  ),
  definePage('/console/endorsements/{id}/withdraw', 'editor', async (request, context) => {
    const subject = await findSubject(request, context);
    return showPreview(subject, { values: new URLSearchParams(), picks: [] });
  }),
];
