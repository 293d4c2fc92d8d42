import { createHash, randomUUID } from 'node:crypto';
import { type Html, html } from './html.ts';
import { SWITCH_FIELD } from './kept-form.ts';
import { CSRF_FIELD } from './session/forgery.ts';

const FIELD = 'form';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The hidden field with a new id, so that sending the form twice does its work once. */
export const FormId = (): Html => html`<input type="hidden" name=${FIELD} value=${randomUUID()} />`;

/** The id that the page gave the form; null without one. */
export function readFormId(form: URLSearchParams): string | null {
  const id = form.get(FIELD) ?? '';
  return UUID.test(id) ? id : null;
}

/**
 * The Idempotency-Key of the API's request for a form: of its id and its entries, because the browser's Back button can
 * show a form with the id that it had. A new key without an id.
 */
export function idempotencyKeyOf(form: URLSearchParams): string {
  const id = form.get(FIELD);
  if (id === null) return randomUUID();
  const entered = [...form].filter(([name]) => name !== CSRF_FIELD && name !== SWITCH_FIELD);
  const digest = createHash('sha256').update(JSON.stringify(entered.sort())).digest('base64url');
  return `${id}.${digest}`;
}
