import type { RejectionSearch } from '../../../administration/rejections/search.ts';
import { Select } from '../components.ts';
import { type Html, html } from '../html.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const AGES = [
  ['1', 'the last day'],
  ['7', 'the last 7 days'],
] as const;

/** The longest value of a field, in characters. */
const MAX_VALUE = 200;
export const SEARCH_FIELDS = ['code', 'endorser', 'days', 'show'] as const;

/** The filters of a page's address. @param now milliseconds since 1970 */
export function readSearch(query: URLSearchParams, now: number): RejectionSearch & { isOpen: boolean } {
  const text = (name: string) => query.get(name)?.trim().slice(0, MAX_VALUE) || null;
  const days = AGES.find(([value]) => value === query.get('days'))?.[0];
  return {
    code: text('code'),
    endorser: text('endorser'),
    since: days === undefined ? null : now - Number(days) * DAY_MS,
    isOpen: query.get('show') === 'open',
  };
}

/** The form of the filters. @param codes the reasons to offer */
export function SearchForm({ query, codes }: { query: URLSearchParams; codes: readonly string[] }): Html {
  return html`
    <form class="filters" method="get">
      <label>Reason <input name="code" list="codes" value=${query.get('code') ?? ''} maxlength=${MAX_VALUE} placeholder="unknown_choice" /></label>
      <datalist id="codes">${codes.map((code) => html`<option value=${code}></option>`)}</datalist>
      <label>Endorser <input name="endorser" value=${query.get('endorser') ?? ''} maxlength=${MAX_VALUE} placeholder="its slug" /></label>
      <${Select} label="Rejected in" name="days" options=${AGES} chosen=${query.get('days')} none="the last 30 days" />
      <${Select} label="Show" name="show" options=${[['open', 'What is still to be done']]} chosen=${query.get('show')} none="All" />
      <button>Show</button>
    </form>`;
}
