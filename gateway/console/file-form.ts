import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { PageError } from './page-error.ts';

const FILE_TYPE = 'multipart/form-data';
/** The largest file that a page takes, in bytes, and its name for people. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
export const MAX_FILE = '4 MB';
/** The bounds of the other fields, and of the headers of a part in characters. */
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_HEAD = 2_000;
const MAX_BODY_BYTES = MAX_FILE_BYTES + 2 * MAX_FIELD_BYTES;
/** The longest name of a file that is kept, in characters. */
const MAX_NAME = 200;

/** A file that a form has sent. It is in memory alone. */
export interface SentFile {
  /** The name that it has on the person's machine. */
  name: string;
  content: Buffer;
}

/** Whether a request sends a form with a file. */
export const isFileForm = (ctx: Context): boolean => ctx.method === 'POST' && ctx.is(FILE_TYPE) === FILE_TYPE;

/** Rejects if the connection ends, or has ended: the parser does not notice an end before it has begun. */
function untilLost({ req }: Context): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const lose = () => {
    if (!req.complete) reject(new PageError(400, 'The connection has ended.'));
  };
  if (req.destroyed) lose();
  else req.once('close', lose);
  return promise;
}

const createTooLargeError = () =>
  new PageError(413, `The file is larger than ${MAX_FILE}: upload it in several parts.`);
const createFormError = () => new PageError(400, 'The form cannot be read: send it again.');

/** Reads the body as text with one character for each byte. */
const readText = koaBody({
  text: true,
  textTypes: [FILE_TYPE],
  textLimit: MAX_BODY_BYTES,
  encoding: 'latin1',
  json: false,
  urlencoded: false,
  multipart: false,
  parsedMethods: [HttpMethodEnum.POST],
  onError(error) {
    throw 'status' in error && error.status === 413 ? createTooLargeError() : createFormError();
  },
});

/** The content of a body in which each character is a byte. */
const bytesOf = (text: string): Buffer<ArrayBuffer> => Buffer.from(text, 'latin1');

interface Part {
  name: string;
  /** Null for a field. */
  fileName: string | null;
  content: string;
}

/** A part: its headers, an empty line and its content. @throws PageError 400 */
function readPart(part: string): Part {
  const end = part.indexOf('\r\n\r\n');
  if (!part.startsWith('\r\n') || end === -1 || end > MAX_HEAD) throw createFormError();
  const disposition = /^content-disposition:.*/im.exec(part.slice(0, end))?.[0] ?? '';
  const read = (parameter: RegExp): string | null => {
    const [, quoted, plain = ''] = parameter.exec(disposition) ?? [];
    return quoted === undefined && plain === '' ? null : bytesOf(quoted ?? plain).toString();
  };
  const name = read(/[;\s]name=(?:"([^"]*)"|([^\s;"]+))/i);
  const fileName = read(/[;\s]filename=(?:"([^"]*)"|([^\s;"]+))/i);
  if (name === null) throw createFormError();
  return { name, fileName: fileName?.replaceAll('%22', '"') ?? null, content: part.slice(end + 4) };
}

/** The parts of a body. Its time grows with its length alone, whatever the parts are. @throws PageError 400 */
function readParts(contentType: string, body: string): Part[] {
  const [, quoted, plain] =
    /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?:$|[\s;])/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw createFormError();
  const [before, ...parts] = `\r\n${body}`.split(`\r\n--${boundary}`, MAX_FIELDS + 3);
  if (before !== '' || !parts.pop()?.startsWith('--')) throw createFormError();
  return parts.map(readPart);
}

/**
 * Reads a POST form that can have one file, in the field `file`. Nothing is kept if the connection ends in between.
 *
 * @returns the file; null if none was chosen
 * @throws PageError 400 if the body is not such a form, 413 if it is too large
 */
export async function readFileForm(ctx: Context): Promise<{ form: URLSearchParams; file: SentFile | null }> {
  await Promise.race([readText(ctx, async () => {}), untilLost(ctx)]);
  const parts = readParts(ctx.get('Content-Type'), String(ctx.request.body));
  const form = new URLSearchParams();
  let fieldBytes = 0;
  for (const { name, fileName, content } of parts) {
    if (fileName !== null) continue;
    fieldBytes += content.length;
    form.append(name, bytesOf(content).toString());
  }
  const sent = parts.find(({ name, fileName }) => name === 'file' && fileName !== null);
  const content = bytesOf(sent?.content ?? '');
  if (content.length > MAX_FILE_BYTES || fieldBytes > MAX_FIELD_BYTES) throw createTooLargeError();
  if (!sent || content.length === 0) return { form, file: null };
  return { form, file: { name: (sent.fileName || 'table').slice(-MAX_NAME), content } };
}
