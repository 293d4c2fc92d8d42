import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { findCatalogueFiles } from '../catalog/find-files.ts';
import { type ImportOutcome, importFiles } from '../catalog/import-catalogue.ts';
import { formatImport } from '../catalog/import-report.ts';
import { startProgress } from '../catalog/progress.ts';
import { formatRefusals } from '../catalog/refusal-list.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { count } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- catalog import data/catalogue
  npm run ops -- catalog import data/endorsers.ndjson data/contests.ndjson --skip-refused`;

/** `catalog import PATH... [--skip-refused]`. */
export const define: DefineCommand = (catalog, io) => {
  catalog
    .command('import')
    .description('load catalogue files in one transaction; if a line is refused, load nothing')
    .argument('<paths...>', 'catalogue files such as contests.ndjson, or folders of them')
    .option('--skip-refused', 'leave refused lines out and load the others')
    .addHelpText('after', EXAMPLES)
    .action((paths: string[], { skipRefused = false }: { skipRefused?: boolean }) =>
      importPaths(io, paths, skipRefused),
    );
};

/** @throws OperatorError if a path, a line or the database cannot be used */
async function importPaths(io: CommandIo, paths: string[], skipRefused: boolean): Promise<void> {
  const { files, notRead } = await findCatalogueFiles(paths);
  if (notRead.length > 0) io.err(`Skipped, since they are not catalogue files: ${notRead.join(', ')}.`);
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));

  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const progress = startProgress(io.terminal, 'Reading', bytes);
  let outcome: ImportOutcome;
  try {
    const onBytes = (amount: number) => progress.advance(amount);
    outcome = await importFiles(files, { databaseUrl, skipRefused, onBytes });
  } finally {
    progress.stop();
  }
  report(outcome, io);
}

function report(outcome: ImportOutcome, io: CommandIo): void {
  for (const line of formatRefusals(outcome.listed, outcome.total)) io.err(line);
  const lines = Object.values(outcome.refused).reduce((sum, number) => sum + number, 0);
  if (!outcome.loaded) {
    throw new OperatorError(
      `Nothing was loaded: ${count(lines)} of the lines are refused. --skip-refused loads the others.`,
    );
  }
  for (const line of formatImport(outcome)) io.out(line);
  if (lines > 0)
    io.err(`${count(lines)} refused lines were left out, as --skip-refused asks; the others are loaded.`);
}
