import type { StreamFilter } from '../../../domain/stream-filter.ts';
import {
  CHANGE_TYPES,
  CONTEST_KINDS,
  ENDORSER_STATES,
  type FilterField,
  LEVELS,
  STATE_CODES,
} from '../../../schemas/vocabulary.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { FIELD_LABELS } from './filter-form.ts';

interface Option {
  value: string;
  label: string;
}

const asOptions = (values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

const STATES = asOptions(STATE_CODES);
const HOME_STATES = asOptions(ENDORSER_STATES);
const ELECTION_LEVELS = asOptions(LEVELS);
const KINDS = asOptions(CONTEST_KINDS);
const TYPES = asOptions(CHANGE_TYPES);

/** Loads the categories of endorsers, as the options of a filter. @throws ApiError as the API does */
export async function loadCategories(request: PageRequest, { api }: ConsoleContext): Promise<Option[]> {
  const answer = await api.call(request, { path: '/v1/endorser-categories' });
  const { data } = answer as { data: { slug: string; name: string }[] };
  return data.map(({ slug, name }) => ({ value: slug, label: name }));
}

/** Boxes for the values of a closed set. Chosen values that are unknown stay, so that their refusal can be seen. */
function Boxes(props: {
  field: FilterField;
  options: readonly Option[];
  filter: StreamFilter;
  isLong?: boolean;
}): Html {
  const { field, options, filter, isLong = false } = props;
  const chosen = filter[field] ?? [];
  const unknown = chosen.filter((value) => !options.some((option) => option.value === value));
  const boxes = html`
    <div class=${isLong ? 'boxes long' : 'boxes'}>
      ${[...options, ...asOptions(unknown)].map(
        ({ value, label }) => html`
        <label class="check"><input type="checkbox" name=${field} value=${value} checked=${chosen.includes(value)} /> ${label}</label>`,
      )}
    </div>`;
  if (!isLong) return html`<fieldset><legend>${FIELD_LABELS[field]}</legend>${boxes}</fieldset>`;
  const summary = chosen.length === 0 ? 'any' : chosen.join(', ');
  return html`
    <fieldset>
      <legend class="unseen">${FIELD_LABELS[field]}</legend>
      <details><summary>${FIELD_LABELS[field]}: <span class="muted">${summary}</span></summary>${boxes}</details>
    </fieldset>`;
}

/** A field for slugs, to which scripts add a search by name. */
function Slugs({ field, filter, hint }: { field: FilterField; filter: StreamFilter; hint: string }): Html {
  return html`
    <div class="picker"><label>${FIELD_LABELS[field]}
      <input name=${field} value=${(filter[field] ?? []).join(', ')} data-picker=${field} autocomplete="off" spellcheck="false" />
      <small>${hint}</small>
    </label></div>`;
}

/** The fields of a filter. A form with them sends what readFilter reads. */
export function FilterFields({ filter, categories }: { filter: StreamFilter; categories: Option[] }): Html {
  return html`
    <p class="muted">Fields narrow each other down; several values of one field widen it. An empty field takes everything.</p>
    <div class="filter">
      <${Boxes} field="types" options=${TYPES} filter=${filter} />
      <${Boxes} field="contest_kinds" options=${KINDS} filter=${filter} />
      <${Boxes} field="levels" options=${ELECTION_LEVELS} filter=${filter} />
      <${Boxes} field="categories" options=${categories} filter=${filter} />
      <${Boxes} field="states" options=${STATES} filter=${filter} isLong=${true} />
      <${Boxes} field="endorser_states" options=${HOME_STATES} filter=${filter} isLong=${true} />
      <${Slugs} field="elections" filter=${filter} hint="Slugs of elections, comma-separated" />
      <${Slugs} field="endorsers" filter=${filter} hint="Slugs of endorsers, comma-separated" />
    </div>`;
}
