import { Writable } from 'node:stream';
import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import { PageError } from './page-error.ts';

const FILE_TYPE = 'multipart/form-data';
/** The largest file that a page takes, in bytes, and its name for people. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;
export const MAX_FILE = '4 MB';
/** The bounds of the other fields. */
const MAX_FIELDS = 100;
const MAX_FIELD_BYTES = 64 * 1024;
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

/**
 * Reads a POST form that can have one file, in the field `file`. Nothing is kept if the connection ends in between.
 *
 * @returns the file; null if none was chosen
 * @throws PageError 400 if the body is not such a form, 413 if it is too large
 */
export async function readFileForm(ctx: Context): Promise<{ form: URLSearchParams; file: SentFile | null }> {
  const pieces: Buffer[] = [];
  const read = koaBody({
    multipart: true,
    json: false,
    text: false,
    urlencoded: false,
    parsedMethods: [HttpMethodEnum.POST],
    formidable: {
      maxFiles: 1,
      maxFileSize: MAX_FILE_BYTES,
      maxFields: MAX_FIELDS,
      maxFieldsSize: MAX_FIELD_BYTES,
      // A form in which nobody has chosen a file sends an empty one.
      allowEmptyFiles: true,
      minFileSize: 0,
      fileWriteStreamHandler: () =>
        new Writable({
          write(piece: Buffer, _encoding, done) {
            pieces.push(piece);
            done();
          },
        }),
    },
    onError(error) {
      const isTooLarge = 'httpCode' in error && error.httpCode === 413;
      throw isTooLarge
        ? new PageError(413, `The file is larger than ${MAX_FILE}: upload it in several parts.`)
        : new PageError(400, 'The form cannot be read: send it again.');
    },
  });
  await Promise.race([read(ctx, async () => {}), untilLost(ctx)]);
  const form = new URLSearchParams();
  const fields = (ctx.request.body ?? {}) as Record<string, string | string[]>;
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.append(name, value);
  }
  const sent = [ctx.request.files?.file].flat()[0];
  const content = Buffer.concat(pieces);
  if (!sent || content.length === 0) return { form, file: null };
  return { form, file: { name: (sent.originalFilename ?? 'table').slice(-MAX_NAME), content } };
}
