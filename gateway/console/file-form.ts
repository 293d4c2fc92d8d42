import { Busboy } from '@fastify/busboy';
import type { Context } from 'koa';
import { PageError } from './page-error.ts';

const FILE_TYPE = 'multipart/form-data';
/** The largest file that a page takes, in bytes, and its name for people. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
export const MAX_FILE = '4 MB';
/** The bounds of the other fields: their number, and the bytes of all of them. */
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS_SIZE = '64 KB';
/** The bytes of a part's headers that are read. */
const MAX_HEADER_BYTES = 2_000;
/** A longer boundary makes the search for it slow. */
const MAX_CONTENT_TYPE = 200;
const MAX_BODY_BYTES = MAX_FILE_BYTES + 2 * MAX_FIELD_BYTES;
/** The longest name of a file that is kept, or of a field that is shown, in characters. */
const MAX_NAME = 200;

/** A file that a form has sent. It is in memory alone. */
export interface SentFile {
  /** The name that it has on the person's machine. */
  name: string;
  content: Buffer;
}

/** Whether a request sends a form with a file. */
export const isFileForm = (ctx: Context): boolean => ctx.method === 'POST' && ctx.is(FILE_TYPE) === FILE_TYPE;

const createFormError = () => new PageError(400, 'The form cannot be read: send it again.');

/**
 * Not koa-body's parser, formidable: it searches the headers of a part in a time that grows with the square of their
 * length, which it does not bound.
 *
 * @throws PageError 400 if the content type has no boundary, or a too long one
 */
function createParser(contentType: string) {
  if (contentType.length > MAX_CONTENT_TYPE) throw createFormError();
  const limits = {
    files: 1,
    fileSize: MAX_FILE_BYTES,
    fields: MAX_FIELDS,
    fieldSize: MAX_FIELD_BYTES,
    parts: MAX_FIELDS + 1,
    headerSize: MAX_HEADER_BYTES,
  };
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits });
  } catch {
    throw createFormError();
  }
}

/**
 * Reads a POST form that can have one file, in the field `file`. Nothing is kept if the connection ends in between.
 *
 * @returns the file; null if none was chosen
 * @throws PageError 400 if the body is not such a form, 413 if it is too large
 */
export async function readFileForm(ctx: Context): Promise<{ form: URLSearchParams; file: SentFile | null }> {
  const { req } = ctx;
  const parser = createParser(ctx.get('Content-Type'));
  const form = new URLSearchParams();
  const pieces: Buffer[] = [];
  let fileName = '';
  let fieldBytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const refuseSize = () =>
    reject(new PageError(413, `The file is larger than ${MAX_FILE}: upload it in several parts.`));
  const refuseForm = () => reject(createFormError());
  const refuseField = (name: string) => {
    const fields = `The fields beside the file are larger than ${MAX_FIELDS_SIZE} together`;
    reject(new PageError(413, `${fields}, with the field "${name.slice(0, MAX_NAME)}": shorten it.`));
  };
  parser.on('field', (name: string | undefined, value, _isNameCut, isCut) => {
    if (name === undefined) return refuseForm();
    fieldBytes += Buffer.byteLength(value);
    if (isCut || fieldBytes > MAX_FIELD_BYTES) return refuseField(name);
    form.append(name, value);
  });
  parser.on('file', (name, content, sentName: string | undefined) => {
    content.on('error', refuseForm);
    content.on('limit', refuseSize);
    content.on('data', (piece: Buffer) => pieces.push(piece));
    if (name !== 'file') return refuseForm();
    fileName = sentName ?? '';
  });
  for (const bound of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.on(bound, refuseForm);
  parser.on('error', refuseForm);
  parser.on('finish', resolve);
  const lose = () => {
    if (!req.complete) reject(new PageError(400, 'The connection has ended.'));
  };
  if (req.destroyed) lose();
  else req.once('close', lose);
  let bytes = 0;
  req.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > MAX_BODY_BYTES) refuseSize();
  });
  try {
    req.pipe(parser);
    await promise;
  } finally {
    // The connection takes another request only after the rest of this one.
    req.unpipe(parser).resume();
  }
  const content = Buffer.concat(pieces);
  // A form in which nobody has chosen a file sends an empty one.
  if (content.length === 0) return { form, file: null };
  return { form, file: { name: fileName.slice(-MAX_NAME) || 'table', content } };
}
