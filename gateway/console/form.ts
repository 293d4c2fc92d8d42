import type { Context } from 'koa';
import { readBody } from '../http/read-body.ts';
import { PageError } from './page-error.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Enough for the largest filter that a form can send. */
const MAX_FORM = '256kb';

function refusalOf(error: object): PageError {
  const isTooLarge = 'status' in error && error.status === 413;
  return isTooLarge
    ? new PageError(413, 'The form is larger than 256 KB.')
    : new PageError(400, 'The form cannot be read.');
}

/** Whether a request sends a form. */
export const isForm = (ctx: Context): boolean => ctx.method === 'POST' && ctx.is(FORM_TYPE) === FORM_TYPE;

/**
 * Reads the fields of a form that was sent by POST.
 *
 * @throws PageError 400 if the body is no form, 413 if it is too large
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is(FORM_TYPE)) throw new PageError(400, `This address takes a form (${FORM_TYPE}).`);
  // Only the text is read, so that its fields are parsed as every browser writes them.
  const form = await readBody(ctx.req, MAX_FORM).catch((error: Error) => {
    throw refusalOf(error);
  });
  return new URLSearchParams(form.toString());
}
