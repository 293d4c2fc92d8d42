import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, open, readdir, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OperatorError } from '../../service/operator-error.ts';
import { PIECE_BYTES, readBytes } from '../catalog/count-bytes.ts';
import { findPath } from '../find-path.ts';
import type { SubmissionFile } from './read-submissions.ts';

const STANDARD_INPUT = '-';
const FILE_NAME = 'endorsements.ndjson';

export interface SubmissionFiles extends AsyncDisposable {
  files: SubmissionFile[];
  /** Other files of the given folders. */
  notRead: string[];
}

/**
 * Opens the files to submit, in the order of the arguments; a repeated file is read once. A folder stands for its
 * `endorsements.ndjson`. The files are read twice, so standard input (`-`) is first copied to a temporary file, which
 * exists as long as the result.
 *
 * @throws OperatorError if a path does not exist, a folder lacks that file, or standard input is named twice
 */
export async function openSubmissionFiles(
  names: string[],
  stdin: NodeJS.ReadableStream,
): Promise<SubmissionFiles> {
  if (names.filter((name) => name === STANDARD_INPUT).length > 1) {
    throw new OperatorError('Standard input (-) can be read only once.');
  }
  // By real path. Standard input comes last, because it is read only if all arguments are right.
  const found = new Map<string, SubmissionFile | null>();
  const notRead: string[] = [];
  for (const name of names) {
    if (name === STANDARD_INPUT) {
      found.set(STANDARD_INPUT, null);
      continue;
    }
    const { path: given, bytes, others } = await findFile(name);
    const real = await realpath(given);
    if (!found.has(real)) found.set(real, { name: given, bytes, read: () => readBytes(given) });
    notRead.push(...others);
  }
  const spooled = found.has(STANDARD_INPUT) ? await spool(stdin) : null;
  const files = [...found.values()].flatMap((file) => file ?? spooled?.file ?? []);
  return { files, notRead, [Symbol.asyncDispose]: async () => spooled?.close() };
}

/** The file that a path stands for, and the other files beside it if the path is a folder. */
async function findFile(given: string): Promise<{ path: string; bytes: number; others: string[] }> {
  const info = await findPath(given);
  if (!info) throw new OperatorError(`There is no file or folder ${given}.`);
  if (info.isFile() && given.endsWith('.gz'))
    throw new OperatorError(`${given} is compressed: unpack it first, for example with gunzip.`);
  if (info.isFile()) return { path: given, bytes: info.size, others: [] };
  if (!info.isDirectory()) {
    throw new OperatorError(`${given} is neither a file nor a folder; - reads standard input.`);
  }
  const names = (await readdir(given)).filter((name) => /\.ndjson(\.gz)?$/.test(name)).sort();
  if (!names.includes(FILE_NAME)) throw new OperatorError(`The folder ${given} has no file ${FILE_NAME}.`);
  const others = names.filter((name) => name !== FILE_NAME).map((name) => path.join(given, name));
  return { ...(await findFile(path.join(given, FILE_NAME))), others };
}

/**
 * Copies standard input to a temporary file, which lives until it is closed. It has no name, so that it does not outlive
 * a program that is interrupted.
 */
async function spool(
  stdin: NodeJS.ReadableStream,
): Promise<{ file: SubmissionFile; close(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'submit-'));
  const copy = await open(path.join(folder, 'stdin.ndjson'), 'wx+', 0o600).finally(() =>
    rm(folder, { recursive: true, force: true }),
  );
  try {
    const options = { fd: copy.fd, autoClose: false };
    await pipeline(stdin, createWriteStream('', options));
    const { size } = await copy.stat();
    const read = () => createReadStream('', { ...options, start: 0, highWaterMark: PIECE_BYTES });
    return { file: { name: 'standard input', bytes: size, read }, close: () => copy.close() };
  } catch (error) {
    await copy.close();
    throw error;
  }
}
