import { isDeepStrictEqual } from 'node:util';
import { type Html, html } from './html.ts';

/** The field with the stored values that a form has shown, so that those of somebody else are not replaced unseen. */
const SHOWN_FIELD = 'shown';

/** The hidden field of a form that shows these stored values. */
export function ShownValues({ values }: { values: object }): Html {
  return html`<input type="hidden" name=${SHOWN_FIELD} value=${JSON.stringify(values)} />`;
}

/** Whether a form would replace values that somebody else has stored since it was shown. Equal values replace nothing. */
export function replacesUnseen(form: URLSearchParams, stored: object, given: object | null): boolean {
  const current = JSON.stringify(stored);
  return (form.get(SHOWN_FIELD) ?? current) !== current && !isDeepStrictEqual(given, stored);
}
