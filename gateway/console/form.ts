import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { readWhole } from '../http/body.ts';
import { PageError } from './page-error.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Enough for the largest filter that a form can send. */
const MAX_FORM = '256kb';
/** The most fields. The form of a position has 16 bytes or more for each, so that its size alone bounds it. */
const MAX_FIELDS = 16_000;

/** Reads only the text of the form, so that its fields are parsed as every browser writes them. */
const readText = koaBody({
  text: true,
  textTypes: [FORM_TYPE],
  textLimit: MAX_FORM,
  json: false,
  urlencoded: false,
  multipart: false,
  parsedMethods: [HttpMethodEnum.POST],
  onError(error) {
    const isTooLarge = 'status' in error && error.status === 413;
    throw isTooLarge
      ? new PageError(413, 'The form is larger than 256 KB.')
      : new PageError(400, 'The form cannot be read.');
  },
});

/** Whether a request sends a form. */
export const isForm = (ctx: Context): boolean => ctx.method === 'POST' && ctx.is(FORM_TYPE) === FORM_TYPE;

/**
 * Reads the fields of a POST form.
 *
 * @throws PageError 400 if the body is not a form, 413 if it is too large or has too many fields
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  if (!ctx.is(FORM_TYPE)) throw new PageError(400, `This address takes a form (${FORM_TYPE}).`);
  await readWhole(ctx, readText);
  const form = new URLSearchParams(String(ctx.request.body));
  if (form.size > MAX_FIELDS) throw new PageError(413, 'The form has more than 16,000 fields.');
  return form;
}
