import { parseArgs } from 'node:util';
import { OperatorError } from '../../service/operator-error.ts';
import { findCatalogueFiles } from '../catalog/find-files.ts';
import { type ImportOutcome, importFiles } from '../catalog/import-catalogue.ts';
import { formatImport } from '../catalog/import-report.ts';
import { startProgress } from '../catalog/progress.ts';
import { count, formatRefusals } from '../catalog/refusal-list.ts';
import type { CommandIo } from '../command.ts';
import { createDatabaseConfig, readEnv } from '../config.ts';

const USAGE = 'Usage: npm run ops -- catalog import PATH... [--skip-refused]';

/**
 * `catalog import PATH...`: loads catalogue files in one transaction. Exit status 1 and nothing loaded when a line is
 * refused, unless `--skip-refused` is given.
 *
 * @throws OperatorError for arguments, paths and servers that are not right.
 */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const { paths, skipRefused } = readArguments(args);
  const { files, notRead } = await findCatalogueFiles(paths);
  if (notRead.length > 0) io.err(`Not read, for they are no catalogue files: ${notRead.join(', ')}.`);
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));

  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = startProgress(io.terminal, 'Reading', bytes);
  try {
    const outcome = await importFiles(files, {
      databaseUrl,
      skipRefused,
      onBytes: (amount) => progress.advance(amount),
    });
    progress.stop();
    return report(outcome, io);
  } finally {
    progress.stop();
  }
}

function readArguments(args: string[]): { paths: string[]; skipRefused: boolean } {
  try {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'skip-refused': { type: 'boolean', default: false } },
    });
    const [action, ...paths] = positionals;
    if (action === 'import' && paths.length > 0) return { paths, skipRefused: values['skip-refused'] };
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
  throw new OperatorError(USAGE);
}

function report(outcome: ImportOutcome, io: CommandIo): number {
  for (const line of formatRefusals(outcome.listed, outcome.total)) io.err(line);
  const lines = Object.values(outcome.refused).reduce((sum, number) => sum + number, 0);
  if (!outcome.loaded) {
    io.err(`Nothing was loaded: ${count(lines)} of the lines are refused. --skip-refused loads the others.`);
    return 1;
  }
  for (const line of formatImport(outcome)) io.out(line);
  if (lines > 0)
    io.err(`${count(lines)} refused lines were left out, as --skip-refused asks; the others are loaded.`);
  return 0;
}
