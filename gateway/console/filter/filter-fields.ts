import type { StreamFilter } from '../../../domain/stream-filter.ts';
import { streamFilters } from '../../../schemas/http/parameters.ts';
import type { FilterField } from '../../../schemas/vocabulary.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import type { PageRequest } from '../page.ts';
import { labelState } from '../state-label.ts';
import { FIELD_LABELS, FIELDS } from './filter-form.ts';

interface Option {
  value: string;
  label: string;
}

const asOptions = (values: readonly string[]): Option[] =>
  values.map((value) => ({ value, label: labelState(value).replaceAll('_', ' ') }));

/** More values than any list has. */
const MANY = 1_000_000;
/** A field with more options than this is folded. */
const MOST_OPEN = 20;

/** Loads the categories of endorsers, as the options of a filter. @throws ApiError as the API does */
export async function loadCategories(request: PageRequest, { api }: ConsoleContext): Promise<Option[]> {
  const path = '/v1/endorser-categories';
  const { data } = await api.call<{ data: { slug: string; name: string }[] }>(request, { path });
  return data.map(({ slug, name }) => ({ value: slug, label: name }));
}

/** Boxes for the values of a closed set. Chosen values that are unknown stay, so that their refusal can be seen. */
function Boxes(props: { field: FilterField; options: readonly Option[]; filter: StreamFilter }): Html {
  const { field, options, filter } = props;
  const isLong = options.length > MOST_OPEN;
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
      <details data-boxes><summary>${FIELD_LABELS[field]}: <span class="muted" data-chosen>${summary}</span></summary>${boxes}</details>
    </fieldset>`;
}

/** A field for slugs, to which scripts add a search by name. */
function Slugs({ field, filter }: { field: FilterField; filter: StreamFilter }): Html {
  return html`
    <div class="picker"><label>${FIELD_LABELS[field]}
      <input name=${field} value=${(filter[field] ?? []).join(', ')} data-picker=${field} autocomplete="off" spellcheck="false" />
      <small>Slugs of ${FIELD_LABELS[field].toLowerCase()}, comma-separated</small>
    </label></div>`;
}

/** The values that a field offers; null if it takes slugs, of which there are too many. */
function optionsOf(field: FilterField, categories: Option[]): Option[] | null {
  if (field === 'categories') return categories;
  const { items } = streamFilters[field];
  return 'enum' in items ? asOptions(items.enum) : null;
}

/** The fields of a filter, those with the fewest values first. A form with them sends what readFilter reads. */
export function FilterFields({ filter, categories }: { filter: StreamFilter; categories: Option[] }): Html {
  const fields = FIELDS.map((field) => ({ field, options: optionsOf(field, categories) })).sort(
    (one, other) => (one.options?.length ?? MANY) - (other.options?.length ?? MANY),
  );
  return html`
    <p class="muted">Fields narrow each other down; several values of one field widen it. An empty field takes everything.</p>
    <div class="filter">
      ${fields.map(({ field, options }) =>
        options === null
          ? html`<${Slugs} field=${field} filter=${filter} />`
          : html`<${Boxes} field=${field} options=${options} filter=${filter} />`,
      )}
    </div>`;
}
