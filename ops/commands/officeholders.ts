import { parseArgs } from 'node:util';
import { OperatorError } from '../../service/operator-error.ts';
import { startProgress } from '../catalog/progress.ts';
import { count } from '../catalog/refusal-list.ts';
import type { CommandIo } from '../command.ts';
import { createDatabaseConfig, readEnv } from '../config.ts';
import { findPersonFiles } from '../officeholders/find-files.ts';
import { type ImportOutcome, importPeople } from '../officeholders/import-people.ts';
import { formatCounts, formatFileRefusals } from '../officeholders/report.ts';

const USAGE = 'Usage: npm run ops -- officeholders import DIR [--skip-refused]';

/**
 * `officeholders import DIR`: loads the people in office of an Open States `people` checkout, in one transaction, and
 * may be run as often as the source updates. Exit status 1 and nothing loaded when a file is refused, unless
 * `--skip-refused` is given.
 *
 * @param now decides who is in office, and is the time of what changed.
 * @throws OperatorError for arguments, folders and servers that are not right.
 */
export async function run(args: string[], io: CommandIo, now = new Date()): Promise<number> {
  const { dir, skipRefused } = readArguments(args);
  const found = await findPersonFiles(dir);
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const progress = startProgress(io.terminal, 'Reading', found.files.length);
  try {
    const onFile = () => progress.advance(1);
    const outcome = await importPeople(found, { databaseUrl, skipRefused, now, onFile });
    progress.stop();
    return report(outcome, io);
  } finally {
    progress.stop();
  }
}

function readArguments(args: string[]): { dir: string; skipRefused: boolean } {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'skip-refused': { type: 'boolean', default: false } },
    });
    const [action, dir, ...others] = positionals;
    if (action === 'import' && dir !== undefined && others.length === 0) {
      return { dir, skipRefused: values['skip-refused'] };
    }
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
  throw new OperatorError(USAGE);
}

function report({ counts, refusals, refusedFiles, leftOut }: ImportOutcome, io: CommandIo): number {
  for (const line of formatFileRefusals(refusals)) io.err(line);
  const refused = count(refusedFiles.length);
  if (counts === null) {
    io.err(`Nothing was loaded: ${refused} of the files are refused. --skip-refused loads the others.`);
    return 1;
  }
  for (const line of formatCounts(counts, leftOut)) io.out(line);
  if (refusedFiles.length > 0) {
    io.err(`${refused} refused files were left out, as --skip-refused asks; the others are loaded.`);
  }
  return 0;
}
