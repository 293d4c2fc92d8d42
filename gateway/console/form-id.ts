import { randomUUID } from 'node:crypto';
import { type Html, html } from './html.ts';

const FIELD = 'form';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The hidden field with a new id, so that sending the form twice does its work once. */
export const FormId = (): Html => html`<input type="hidden" name=${FIELD} value=${randomUUID()} />`;

/** The id that the page gave the form; null without one. */
export function readFormId(form: URLSearchParams): string | null {
  const id = form.get(FIELD) ?? '';
  return UUID.test(id) ? id : null;
}

/** The Idempotency-Key of the API's request for a form: the form's id, or a new key without one. */
export const idempotencyKeyOf = (form: URLSearchParams): string => form.get(FIELD) ?? randomUUID();
