import { Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { FilterFields, loadCategories } from '../filter/filter-fields.ts';
import { describeFilter, writeFilter } from '../filter/filter-form.ts';
import { addressOf, readStreamView, STARTS, type StreamView, writeApiQuery } from '../filter/stream-view.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form } from '../layout.ts';
import { definePage, type PageRequest, type ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { requireSubscription, type Subscription } from '../subscriptions/subscription.ts';
import { loadEventPage, ShownEvents } from './live-events.ts';

const START_LABELS = {
  latest: 'Now: events from here on',
  earliest: 'The oldest event that is kept',
  since: 'A time (UTC)',
  cursor: 'After an id',
} as const satisfies Record<StreamView['start'], string>;

function describeStart({ start, since, cursor }: StreamView): string {
  if (start === 'since') return `since ${since}`;
  if (start === 'cursor') return `after ${cursor}`;
  return start === 'latest' ? 'from now on' : 'from the oldest event';
}

/** The form that chooses the view, which becomes its address. Without scripts it also asks for events. */
async function renderViewForm(
  view: StreamView,
  request: PageRequest,
  context: ConsoleContext,
): Promise<Html> {
  const { filter, subscription, start, since, cursor } = view;
  const categories = subscription === null ? await loadCategories(request, context) : [];
  return html`
    <form action="/console/live">
      ${
        subscription === null
          ? html`<${FilterFields} filter=${filter} categories=${categories} />`
          : html`<input type="hidden" name="subscription" value=${subscription} />
            <p>The filter is that of a subscription, which <a href=${`/console/subscriptions/${subscription}`}>can be changed</a>. <a href="/console/live">Use another filter</a></p>`
      }
      <fieldset class="starts">
        <legend>Begin with</legend>
        ${STARTS.map(
          (each) => html`
          <label class="check"><input type="radio" name="start" value=${each} checked=${each === start} /> ${START_LABELS[each]}</label>`,
        )}
        <label>Time, in UTC <input type="datetime-local" step="1" name="since" value=${since} /></label>
        <label>Id of an event, or a cursor <input name="cursor" value=${cursor} spellcheck="false" autocomplete="off" /></label>
      </fieldset>
      <noscript><input type="hidden" name="show" value="events" /></noscript>
      <button>Watch</button>
    </form>`;
}

/** The part that the script fills. */
function Watching({ view }: { view: StreamView }): Html {
  const fromNow = addressOf({ ...view, start: 'latest' });
  return html`
    <div data-live data-query=${String(writeApiQuery(view))} hidden>
      <div class="live-bar">
        <p role="status" class="live-state"><span data-sentence></span></p>
        <span data-countdown class="muted" aria-hidden="true"></span>
        <button type="button" class="plain" data-pause>Pause</button>
        <a href=${fromNow} data-place hidden>Link to this place</a>
        <label class="check"><input type="checkbox" data-raw /> Raw frames</label>
      </div>
      <p class="notice bad" data-when-expired hidden>The stream no longer has what follows this id.
        <a href=${fromNow}>Begin with new events</a></p>
      <p class="notice bad" data-when-signed-out hidden>Your session has ended. <a href="/console/sign-in" data-sign-in>Sign in</a> to continue after the last event.</p>
      <p class="notice bad" data-when-refused hidden>The service does not accept this, so the page does not try again.</p>
      <p><strong data-total>0</strong> events since the chosen start</p>
      <div class="live-counts">
        <table><caption>By type</caption><tbody data-by-type></tbody></table>
        <table><caption>By state</caption><tbody data-by-state></tbody></table>
      </div>
      <pre data-frames hidden tabindex="0" aria-label="Raw frames, the newest first"></pre>
      <${Table} caption="Events, the newest first" head=${['Time (UTC)', 'Type', 'Endorser', 'Choice', 'Contest', 'Event']} filled=${true} />
      <p class="muted" data-nothing>No event yet.</p>
    </div>`;
}

/** Saves the current filter. */
function SaveForm({ view }: { view: StreamView }): Html {
  return html`
    <details><summary>Save the filter that is watched</summary>
    <${Form} action="/console/subscriptions" class="inline">
      ${[...writeFilter(view.filter)].map(([field, values]) => html`<input type="hidden" name=${field} value=${values} />`)}
      <label>Name <input name="name" required maxlength="100" /></label>
      <button class="plain">Save as subscription</button>
    <//></details>`;
}

/** The subscription that a view names by its id, if the account has it. The API explains other names. */
async function findWatched(
  { subscription }: StreamView,
  request: PageRequest,
  context: ConsoleContext,
): Promise<Subscription | null> {
  if (subscription === null) return null;
  return requireSubscription(request, context, subscription).catch((error: unknown) => {
    if (error instanceof PageError) return null;
    throw error;
  });
}

/** Describes the filter of a view. */
function describeView(view: StreamView, watched: Subscription | null): string {
  if (view.subscription === null) return `${describeFilter(view.filter)}, ${describeStart(view)}.`;
  if (!watched) return `The subscription “${isolateName(view.subscription)}”, ${describeStart(view)}.`;
  return `The subscription “${isolateName(watched.name)}”, ${describeStart(view)}. ${describeFilter(watched.filter)}.`;
}

async function showLive(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const { query } = request;
  const view = readStreamView(query);
  const events = query.get('show') === 'events' ? await loadEventPage(view, request, context) : null;
  const watched = await findWatched(view, request, context);
  return {
    title: 'Live',
    script: 'live',
    body: html`
      <p><span data-description=${watched ? '' : null}>${describeView(view, watched)}</span>
        <span class="muted"> This page is not one of the open streams of your plan.</span></p>
      <div class="card wide">
        <details>
          <summary>Filter and start</summary>
          ${await renderViewForm(view, request, context)}
        </details>
        ${view.subscription === null && html`<${SaveForm} view=${view} />`}
      </div>
      <${Watching} view=${view} />
      <noscript>
        <p class="notice good">Your browser runs no scripts, so this page cannot follow the stream. “Watch” shows a page of events instead.</p>
        ${events && html`<${ShownEvents} events=${events} view=${view} />`}
      </noscript>`,
  };
}

/** The stream in the browser. The view is in the address, so that people can bookmark it. */
export const livePages = [definePage('/console/live', 'member', showLive)];
