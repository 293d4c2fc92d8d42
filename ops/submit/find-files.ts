import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { OpsError } from '../ops-error.ts';
import type { SubmissionFile } from './read-submissions.ts';

const STANDARD_INPUT = '-';

export interface SubmissionFiles extends AsyncDisposable {
  files: SubmissionFile[];
}

/**
 * The files to submit. They are read twice, so standard input (`-`) goes to a temporary file first, which is removed
 * with the result.
 *
 * @throws OpsError for a file that is not there, a folder, or standard input named twice.
 */
export async function openSubmissionFiles(
  names: string[],
  stdin: NodeJS.ReadableStream,
): Promise<SubmissionFiles> {
  if (names.filter((name) => name === STANDARD_INPUT).length > 1) {
    throw new OpsError('Standard input (-) can be read only once.');
  }
  const named = new Map<string, SubmissionFile>();
  for (const name of names) {
    if (name !== STANDARD_INPUT) named.set(name, await describeFile(name));
  }
  if (!names.includes(STANDARD_INPUT)) {
    return { files: [...named.values()], async [Symbol.asyncDispose]() {} };
  }

  const folder = await mkdtemp(path.join(os.tmpdir(), 'submit-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const spool = path.join(folder, 'stdin.ndjson');
    await pipeline(stdin, createWriteStream(spool, { mode: 0o600 }));
    const { size } = await stat(spool);
    named.set(STANDARD_INPUT, { path: spool, name: 'standard input', bytes: size });
  } catch (error) {
    await remove();
    throw error;
  }
  const files = [...new Set(names)].flatMap((name) => named.get(name) ?? []);
  return { files, [Symbol.asyncDispose]: remove };
}

async function describeFile(name: string): Promise<SubmissionFile> {
  const info = await stat(name).catch(() => null);
  if (!info) throw new OpsError(`There is no file ${name}.`);
  if (!info.isFile()) throw new OpsError(`${name} is not a file; name the endorsements file in it.`);
  return { path: name, name, bytes: info.size };
}
