import { type Html, html } from './html.ts';

/** The changes of a history in words, by their types. */
export const EFFECTS = { created: 'Endorsed', updated: 'Changed', deleted: 'Withdrawn' } as const;

/** The address of the history of an endorser's position. @param contest its id or its key */
export const historyAddress = (endorser: string, contest: number | string): string =>
  `/console/history?${new URLSearchParams({ endorser, contest: String(contest) })}`;

/** A link to the history of an endorser's position. @param of a few words that tell it from the other links of its page */
export function HistoryLink(props: { endorser: string; contest: number | string; of: string }): Html {
  return html`<a href=${historyAddress(props.endorser, props.contest)} aria-label=${`History: ${props.of}`}>History</a>`;
}
