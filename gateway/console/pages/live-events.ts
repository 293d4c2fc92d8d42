import type { Event } from '../../../schemas/http/events.ts';
import { ApiError } from '../../http/api-error.ts';
import { Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { addressOf, type StreamView, writeApiQuery } from '../filter/stream-view.ts';
import { HistoryLink } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';

const MOST_EVENTS = 100;
/** Without scripts a page cannot wait for new events, so "now" begins this long ago, in milliseconds. */
const RECENT_MS = 10 * 60_000;

/** Events of a view, or the reason why the API refused it. */
type EventPage = { events: Event[]; next: string; isRecent: boolean } | { refusal: string };

/** Loads a page of events for a browser without scripts. @throws errors other than a refusal by the API */
export async function loadEventPage(
  view: StreamView,
  request: PageRequest,
  { api, clock }: ConsoleContext,
): Promise<EventPage> {
  const isRecent = view.start === 'latest';
  const since = new Date(clock.now() - RECENT_MS).toISOString();
  const query = writeApiQuery(isRecent ? { ...view, start: 'since', since } : view);
  query.set('limit', String(MOST_EVENTS));
  try {
    const call = { path: '/v1/events', query };
    const page = await api.call<{ data: Event[]; next_cursor: string }>(request, call);
    return { events: page.data, next: page.next_cursor, isRecent };
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    throw error;
  }
}

/** A page of events, the oldest first, with a link to the next ones. */
export function ShownEvents({ events: page, view }: { events: EventPage; view: StreamView }): Html {
  if ('refusal' in page) return html`<${Notice} kind="bad">${page.refusal}<//>`;
  const later = addressOf({ ...view, start: 'cursor', cursor: page.next });
  return html`
    ${page.isRecent && html`<p>The events of the last ten minutes:</p>`}
    <${Table} caption="Events, the oldest first" head=${['Time (UTC)', 'Type', 'Endorser', 'Choice', 'Contest', 'History']} empty="There are none.">
      ${page.events.map(
        ({ type, occurred_at, endorser, choice, contest, election }) => html`
        <tr>
          <td><time datetime=${occurred_at}>${occurred_at.slice(0, 19).replace('T', ' ')}</time></td>
          <td>${type.replace('endorsement.', '')}</td><td>${endorser.name}</td><td>${choice.label}</td>
          <td><a href=${`/console/explorer/contests/${contest.id}`}>${contest.title}</a>, ${election.state}</td>
          <td><${HistoryLink} endorser=${endorser.slug} contest=${contest.id} of=${`${endorser.name}, ${contest.title}`} /></td>
        </tr>`,
      )}
    <//>
    <p><a href=${`${later}&show=events`}>Later events</a></p>`;
}
