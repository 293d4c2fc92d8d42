/** Finds endorsers and elections by name, for the fields of a filter that take their slugs. */

/** A record that a field can take. */
interface Choice {
  slug: string;
  label: string;
}

interface Source {
  /** What its search field is called. */
  label: string;
  /** The choices for a text, of which there may be many more. */
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
/** How long typing must pause before a search, in milliseconds. */
const TYPING_MS = 200;

async function read<T>(path: string, signal: AbortSignal | null = null): Promise<T[]> {
  const response = await fetch(`/console/api/v1/${path}`, { signal });
  if (!response.ok) throw new Error(`The list was answered with ${response.status}.`);
  return (await response.json()).data;
}

const describeElection = ({ slug, name, date }: ElectionRecord): Choice => ({
  slug,
  label: `${name}, ${date}`,
});

/** Upcoming elections, and those of the past if no upcoming one matches. */
const elections = new Map<string, Promise<Choice[]>>();
function readElections(query: string): Promise<Choice[]> {
  const known = elections.get(query);
  if (known) return known;
  const reading = read<ElectionRecord>(`elections?limit=500&${query}`).then((found) =>
    found.map(describeElection),
  );
  elections.set(query, reading);
  reading.catch(() => elections.delete(query));
  return reading;
}

const SOURCES: Readonly<Record<string, Source>> = {
  endorsers: {
    label: 'Find an endorser by name',
    async search(text, signal) {
      if (text === '') return [];
      const query = new URLSearchParams({ q: text, limit: String(MOST_CHOICES) });
      const found = await read<EndorserRecord>(`endorsers?${query}`, signal);
      return found.map(({ slug, name, state, category }) => ({
        slug,
        label: `${name}, ${category.name}, ${state}`,
      }));
    },
  },
  elections: {
    label: 'Find an election, upcoming ones first',
    async search(text) {
      const words = text.toLowerCase().split(/\s+/);
      const matching = (choices: Choice[]) =>
        choices.filter(({ slug, label }) =>
          words.every((word) => `${slug} ${label}`.toLowerCase().includes(word)),
        );
      const upcoming = matching(await readElections('upcoming=true'));
      if (upcoming.length > 0) return upcoming;
      const today = new Date().toISOString().slice(0, 10);
      return matching(await readElections(`to=${today}`)).reverse();
    },
  },
};

const valuesOf = (field: HTMLInputElement): string[] =>
  field.value
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');

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

/** Puts a search below a field, whose results add to it. */
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
      const more =
        found.length > MOST_CHOICES ? `The first ${MOST_CHOICES} of ${found.length}: type more.` : '';
      status.textContent = found.length === 0 && text !== '' ? 'Nothing found.' : more;
    } catch {
      if (!signal.aborted)
        status.textContent = 'The list cannot be read at the moment. Type again in a while.';
    }
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(run, TYPING_MS);
  });
  input.addEventListener('focus', () => {
    if (list.childElementCount === 0) run();
  });
  // Enter would send the form, before its results were chosen from.
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') event.preventDefault();
  });
  field.closest('.picker')?.append(wrapper, status, list);
}

for (const field of document.querySelectorAll<HTMLInputElement>('[data-picker]')) {
  const source = SOURCES[field.dataset.picker ?? ''];
  if (source) addPicker(field, source);
}
