import { topicNames } from '../../../kafka/topic-names.ts';
import type { ConsoleSession } from '../../../store/access/console-sessions.ts';
import {
  findHistorySubject,
  findOldestChange,
  type HistoryEntry,
  type HistorySubject,
  listPositionChanges,
} from '../../../store/stream/position-history.ts';
import { Day, Moment, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { OutsideLink } from '../explorer/frame.ts';
import { EFFECTS, historyAddress } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import { definePage, type PageRequest, type ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

/** Each can have a statement of many thousand characters. */
const ON_PAGE = 25;
const SEQUENCE = /^\d{1,15}$/;
/** The commands that send submissions, each with its user behind it. */
const COMMAND = /^(ops (?:submit|rejected retry))(?: by .*)?$/;
/** Corrections of rejected submissions, which operators send from the console. */
const CORRECTION = /^correction(?: by .*)?$/;

/** The author of a change in words. People, keys and users are named only to operators and to members of their account. */
function describeAuthor(entry: HistoryEntry, { role, accountId }: ConsoleSession): string {
  const { isFromCatalogue, publishedBy, sender } = entry;
  if (isFromCatalogue) return 'An edit of the catalogue';
  if (publishedBy) {
    const { name, key, person } = publishedBy;
    if (role !== 'operator' && publishedBy.id !== accountId) return name;
    if (key !== null) return `${name}, with the key “${key}”`;
    return person === null ? name : `${name}, ${person} in the console`;
  }
  if (sender?.startsWith('publication ')) return 'An account; the record of its request is no longer kept';
  const [, command] = COMMAND.exec(sender ?? '') ?? [];
  if (command) return `The command “${role === 'operator' ? sender : command}”`;
  if (CORRECTION.test(sender ?? '')) {
    return role === 'operator'
      ? `A ${sender} of a rejected submission`
      : 'A correction of a rejected submission';
  }
  return role === 'operator' && sender !== null ? `A producer that calls itself “${sender}”` : 'A producer';
}

interface RowProps {
  entry: HistoryEntry;
  session: ConsoleSession;
  /** The topic of submissions. */
  topic: string;
}

function EntryRow({ entry, session, topic }: RowProps): Html {
  const { type, occurredAt, body, place, eventId, isWaiting } = entry;
  const { rank, statement, source_url, published_on } = body.endorsement;
  const json = { id: eventId, type: `endorsement.${type}`, occurred_at: occurredAt, ...body };
  return html`
    <tr>
      <td><${Moment} at=${occurredAt} seconds=${true} /></td>
      <td>${EFFECTS[type]}</td>
      <td class="details">
        ${rank !== null && `${rank}. `}${body.choice.label}
        ${statement && html`<div>“${statement}”</div>`}
        ${published_on && html`<div class="muted">published on <${Day}>${published_on}<//></div>`}
        <${OutsideLink} href=${source_url} text="Source" of=${`${body.choice.label}, ${occurredAt.toISOString()}`} />
      </td>
      <td>
        ${describeAuthor(entry, session)}
        ${place && !entry.publishedBy && html`<div class="muted">${topic} ${place.partition}/${place.offset}</div>`}
      </td>
      <td class="event">
        ${eventId ? html`<code>${eventId}</code>` : html`<span class="muted">${isWaiting ? 'on its way' : 'of an earlier history'}</span>`}
        <details><summary aria-label=${`JSON of the event of ${occurredAt.toISOString()}: ${body.choice.label}`}>JSON</summary><pre tabindex="0" aria-label="The JSON"><code>${JSON.stringify(json, null, 2)}</code></pre></details>
      </td>
    </tr>`;
}

/** @throws PageError 404 if the address names no endorser and contest */
async function requireSubject({ query }: PageRequest, { pool }: ConsoleContext): Promise<HistorySubject> {
  const endorser = query.get('endorser') ?? '';
  const named = query.get('contest') ?? '';
  const id = readRowId(named);
  const isText = !`${endorser}${named}`.includes('\0');
  const contest = id === null ? { key: named } : { id };
  const subject = isText ? await findHistorySubject(pool, { endorser, contest }) : null;
  if (!subject) throw new PageError(404, 'There is no such endorser, or no such contest.');
  return subject;
}

async function showHistory(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const { query, session } = request;
  const { pool, topicPrefix } = context;
  const { endorser, contest } = await requireSubject(request, context);
  const before = query.get('before') ?? '';
  const subject = { endorser: endorser.slug, contestId: contest.id };
  const page = { before: SEQUENCE.test(before) ? Number(before) : null, limit: ON_PAGE + 1 };
  const entries = await listPositionChanges(pool, subject, page);
  const shown = entries.slice(0, ON_PAGE);
  const oldest = await findOldestChange(pool);
  const older = `${historyAddress(endorser.slug, contest.id)}&before=${shown.at(-1)?.sequence}`;
  const { submissions: topic } = topicNames(topicPrefix);
  return {
    title: `History: ${endorser.name}, ${contest.title}`,
    body: html`
      <p>
        <a href=${`/console/explorer/endorsers/${encodeURIComponent(endorser.slug)}`}>${endorser.name}</a> in
        ${' '}<a href=${`/console/explorer/contests/${contest.id}`}>${contest.title}</a>, ${contest.election}, <${Day}>${contest.date}<//>
      </p>
      <${Table} caption="Changes, the newest first" head=${['Time', 'Change', 'Choice', 'By', 'Event']} empty=${`No ${page.before === null ? '' : 'earlier '}change of this position is kept.`}>
        ${shown.map((entry) => html`<${EntryRow} entry=${entry} session=${session} topic=${topic} />`)}
      <//>
      ${entries.length > ON_PAGE && html`<p><a class="button" href=${older}>Older changes</a></p>`}
      <p class="muted">
        ${oldest ? html`Changes are kept as long as the stream's window; the oldest of all is from <${Moment} at=${oldest} />.` : 'No changes are kept at present.'}
        ${' '}Accounts are verified. Commands and producers name themselves.
      </p>`,
  };
}

/** The changes of an endorser's position in a contest, with their authors. */
export const historyPages = [definePage('/console/history', 'member', showHistory)];
