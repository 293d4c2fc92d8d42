import { showCounts } from './count-bars.ts';
import { EventCounts, type ShownEvent } from './event-counts.ts';
import { showLocalTimes } from './show-local-times.ts';
import type { Block } from './sse-parser.ts';

/** The most events and frames that the page keeps. */
const MOST_ROWS = 300;
const MOST_STATES = 8;

interface ReceivedEvent {
  event: ShownEvent;
  json: string;
}

/** Finds an element of the page by its data attribute. */
export function find<Found extends Element = HTMLElement>(name: string): Found {
  const found = document.querySelector<Found>(`[data-${name}]`);
  if (!found) throw new Error(`The page has no data-${name}.`);
  return found;
}

/** The JSON of an event, folded away. It is formatted when somebody looks at it. */
function createJson(json: string): HTMLDetailsElement {
  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.append('JSON');
  details.append(summary);
  const open = () => {
    const pre = document.createElement('pre');
    pre.append(JSON.stringify(JSON.parse(json), null, 2));
    details.append(pre);
  };
  details.addEventListener('toggle', open, { once: true });
  return details;
}

function createRow({ event, json }: ReceivedEvent): HTMLTableRowElement {
  const { type, occurred_at, endorser, contest, election, choice } = event;
  const row = document.createElement('tr');
  const time = document.createElement('time');
  time.dateTime = occurred_at;
  time.append(occurred_at.slice(11, 19));
  time.title = occurred_at;
  // A title may run from right to left or turn the text around it; the state must keep its place.
  const title = document.createElement('bdi');
  const link = document.createElement('a');
  link.href = `/console/explorer/contests/${contest.id}`;
  link.append(contest.title);
  title.append(link);
  const history = document.createElement('a');
  const subject = { endorser: endorser.slug, contest: String(contest.id) };
  history.href = `/console/history?${new URLSearchParams(subject)}`;
  history.setAttribute('aria-label', `History of ${endorser.name} in ${contest.title}`);
  history.append('History');
  const cells: (string | Node)[][] = [
    [time],
    [type.replace('endorsement.', '')],
    [endorser.name],
    [choice.label],
    [title, `, ${election.state}`],
    [createJson(json), history],
  ];
  for (const content of cells) {
    const cell = document.createElement('td');
    cell.append(...content);
    row.append(cell);
  }
  showLocalTimes(row);
  return row;
}

/** The list of events, the frames and the counts of the live page. It draws at most once per frame of the screen. */
export class LiveView {
  readonly #counts = new EventCounts();
  #newEvents: ReceivedEvent[] = [];
  #newFrames: string[] = [];
  #isDue = false;
  readonly #rows = find('rows');
  readonly #frames = find('frames');

  /** @param json an event, as the stream has it */
  addEvent(json: string): void {
    const event: ShownEvent = JSON.parse(json);
    this.#counts.add(event);
    this.#newEvents = [...this.#newEvents, { event, json }].slice(-MOST_ROWS);
    this.#draw();
  }

  addFrame({ raw }: Block): void {
    this.#newFrames = [...this.#newFrames, `${raw}\n\n`].slice(-MOST_ROWS);
    this.#draw();
  }

  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#drawNow();
    });
  }

  #drawNow(): void {
    const frames = this.#newFrames.map((frame) => document.createTextNode(frame));
    this.#frames.prepend(...frames.reverse());
    keepFirst(this.#frames, MOST_ROWS);
    this.#newFrames = [];
    if (this.#newEvents.length === 0) return;
    this.#rows.prepend(...this.#newEvents.map(createRow).reverse());
    keepFirst(this.#rows, MOST_ROWS);
    this.#newEvents = [];
    find('nothing').hidden = true;
    find('total').textContent = this.#counts.total.toLocaleString('en');
    showCounts(
      find('by-type'),
      this.#counts.byType().map(([type, count]) => [type.replace('endorsement.', ''), count]),
    );
    showCounts(find('by-state'), this.#counts.byState(MOST_STATES));
  }
}

function keepFirst(element: Element, most: number): void {
  while (element.childNodes.length > most) element.lastChild?.remove();
}
