import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { findPersonFiles } from '../officeholders/find-files.ts';
import { type ImportOutcome, importPeople } from '../officeholders/import-people.ts';
import { formatFileRefusals, formatLoad } from '../officeholders/report.ts';
import { startProgress } from '../progress.ts';
import { count } from '../table.ts';

const EXAMPLES = `
Example:
  git clone --depth 1 https://github.com/openstates/people
  npm run ops -- officeholders import people`;

/** `officeholders import DIR [--skip-refused]`. */
export const define: DefineCommand = (officeholders, io) => {
  officeholders
    .command('import')
    .description('load the people in office, in one transaction; if a file is refused, load nothing')
    .argument('<dir>', 'a checkout of the Open States people repository, or a folder in it')
    .option('--skip-refused', 'leave refused files out and load the others')
    .addHelpText('after', EXAMPLES)
    .action((dir: string, { skipRefused = false }: { skipRefused?: boolean }) =>
      importDir(io, dir, skipRefused),
    );
};

/** @throws OperatorError if the folder, a file or the database cannot be used */
async function importDir(io: CommandIo, dir: string, skipRefused: boolean): Promise<void> {
  const found = await findPersonFiles(dir);
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const progress = startProgress(io.terminal, 'Reading', found.files.length);
  let outcome: ImportOutcome;
  try {
    const onFile = () => progress.advance(1);
    outcome = await importPeople(found, { databaseUrl, skipRefused, now: io.now(), onFile });
  } finally {
    progress.stop();
  }
  report(outcome, io);
}

function report({ counts, refusals, refusedFiles, leftOut }: ImportOutcome, io: CommandIo): void {
  for (const line of formatFileRefusals(refusals)) io.err(line);
  const refused = count(refusedFiles.length);
  if (counts === null) {
    throw new OperatorError(
      `Nothing was loaded: ${refused} of the files are refused. --skip-refused loads the others.`,
    );
  }
  for (const line of formatLoad(counts, leftOut)) io.out(line);
  if (refusedFiles.length > 0) {
    io.err(`${refused} refused files were left out, as --skip-refused asks; the others are loaded.`);
  }
}
