/** The fields of a filter: finds endorsers and elections by name for those that take slugs, and sums up boxes. */
import { askApi, explainError } from './reconnect.ts';

/** A record that a field can take. */
interface Choice {
  slug: string;
  label: string;
}

interface Source {
  /** The name of its search field. */
  label: string;
  /** Some of the choices that match a text. */
  search(text: string, signal: AbortSignal): Promise<Choice[]>;
}

interface EndorserRecord {
  slug: string;
  name: string;
  state: string;
  category: { name: string };
}

interface ElectionRecord {
  slug: string;
  name: string;
  date: string;
}

const MOST_CHOICES = 12;
/** The most pages of 500 elections that a search reads. */
const MOST_PAGES = 5;
const DAY_MS = 24 * 60 * 60_000;
/** The pause in typing before a search begins, in milliseconds. */
const TYPING_MS = 200;

interface ListPage<Row> {
  data: Row[];
  next_cursor: string | null;
}

async function read<Row>(path: string, signal: AbortSignal | null = null): Promise<ListPage<Row>> {
  return (await askApi(`/v1/${path}`, { signal })).json();
}

/** Reads the elections that match a query, page by page. */
async function readElections(query: string): Promise<Choice[]> {
  const found: ElectionRecord[] = [];
  let after = '';
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { data, next_cursor } = await read<ElectionRecord>(`elections?limit=500&${query}${after}`);
    found.push(...data);
    if (next_cursor === null) break;
    after = `&cursor=${encodeURIComponent(next_cursor)}`;
  }
  return found.map(({ slug, name, date }) => ({ slug, label: `${name}, ${date}` }));
}

/** The day in a number of days from now, as YYYY-MM-DD. */
const dayFromNow = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** Upcoming elections by date, then those of the past two years, the newest first. */
async function loadElections(): Promise<Choice[]> {
  const past = `from=${dayFromNow(-730)}&to=${dayFromNow(0)}`;
  const [upcoming, before] = await Promise.all([readElections('upcoming=true'), readElections(past)]);
  const shown = new Set(upcoming.map(({ slug }) => slug));
  return [...upcoming, ...before.reverse().filter(({ slug }) => !shown.has(slug))];
}

/** Loaded at the first search. */
let elections: Promise<Choice[]> | undefined;
function findElections(): Promise<Choice[]> {
  elections ??= loadElections().catch((error: unknown) => {
    elections = undefined;
    throw error;
  });
  return elections;
}

const SOURCES: Readonly<Record<string, Source>> = {
  endorsers: {
    label: 'Find an endorser by name',
    async search(text, signal) {
      if (text === '') return [];
      // One more choice shows whether some are left out.
      const query = new URLSearchParams({ q: text, limit: String(MOST_CHOICES + 1) });
      const { data } = await read<EndorserRecord>(`endorsers?${query}`, signal);
      return data.map(({ slug, name, state, category }) => ({
        slug,
        label: `${name}, ${category.name}, ${state}`,
      }));
    },
  },
  elections: {
    label: 'Find an election, upcoming ones first',
    async search(text) {
      const words = text.toLowerCase().split(/\s+/);
      return (await findElections()).filter(({ slug, label }) =>
        words.every((word) => `${slug} ${label}`.toLowerCase().includes(word)),
      );
    },
  },
};

const valuesOf = (field: HTMLInputElement): string[] =>
  field.value
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');

/** Says how many choices a search has found, for people who do not see the list. */
function describeFound(count: number): string {
  if (count > MOST_CHOICES) return `The first ${MOST_CHOICES} are shown: type more.`;
  return count === 0 ? 'Nothing found.' : `${count} found.`;
}

/** A button that adds a choice to the field. */
function createAdder({ slug, label }: Choice, field: HTMLInputElement): HTMLLIElement {
  const item = document.createElement('li');
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.append(label);
  button.setAttribute('aria-label', `Add ${label}`);
  button.addEventListener('click', () => {
    field.value = [...new Set([...valuesOf(field), slug])].join(', ');
    field.dispatchEvent(new Event('change', { bubbles: true }));
    button.textContent = `Added: ${label}`;
    button.removeAttribute('aria-label');
  });
  item.append(button);
  return item;
}

/** Puts a search below a field. A chosen result is added to the field. */
function addPicker(field: HTMLInputElement, { label, search }: Source): void {
  const wrapper = document.createElement('label');
  const input = document.createElement('input');
  input.type = 'search';
  input.autocomplete = 'off';
  wrapper.append(label, ' ', input);
  const status = document.createElement('p');
  status.className = 'muted';
  status.setAttribute('role', 'status');
  const list = document.createElement('ul');
  list.className = 'choices';
  let searching = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async () => {
    searching.abort();
    searching = new AbortController();
    const { signal } = searching;
    try {
      const text = input.value.trim();
      const found = await search(text, signal);
      if (signal.aborted) return;
      list.replaceChildren(...found.slice(0, MOST_CHOICES).map((choice) => createAdder(choice, field)));
      status.textContent = found.length === 0 && text === '' ? '' : describeFound(found.length);
    } catch (error) {
      if (signal.aborted) return;
      const otherwise = 'The list cannot be read at the moment. Type again in a while.';
      status.textContent = explainError(error, otherwise);
    }
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(run, TYPING_MS);
  });
  input.addEventListener('focus', () => {
    if (list.childElementCount === 0) run();
  });
  // Without this, Enter would send the form before a result is chosen.
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  field.closest('.picker')?.append(wrapper, status, list);
}

for (const field of document.querySelectorAll<HTMLInputElement>('[data-picker]')) {
  const source = SOURCES[field.dataset.picker ?? ''];
  if (source) addPicker(field, source);
}

/** Says in the summary of folded boxes which of them are ticked. */
for (const boxes of document.querySelectorAll('[data-boxes]')) {
  const summary = boxes.querySelector('[data-chosen]');
  boxes.addEventListener('change', () => {
    const ticked = [...boxes.querySelectorAll<HTMLInputElement>('input:checked')].map(({ value }) => value);
    if (summary) summary.textContent = ticked.length === 0 ? 'any' : ticked.join(', ');
  });
}
