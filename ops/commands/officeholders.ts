import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { findPersonFiles } from '../officeholders/find-files.ts';
import { type ImportOptions, type ImportOutcome, importPeople } from '../officeholders/import-people.ts';
import { formatFileRefusals, formatLoad } from '../officeholders/report.ts';
import { withTotal } from '../progress.ts';
import { addRemovalOptions, describeRemovals, type RemovalFlags } from '../removals.ts';
import { count } from '../table.ts';

const EXAMPLES = `
Example:
  git clone --depth 1 https://github.com/openstates/people
  npm run ops -- officeholders import people`;

type Flags = RemovalFlags & Pick<ImportOptions, 'skipRefused' | 'dryRun'>;

const REMOVALS = {
  records: 'officeholders',
  wholes: 'states',
  whole: 'a state',
  reason: 'the files lack these officeholders or show that they left office, so they would be removed',
};

/** `officeholders import DIR`. */
export const define: DefineCommand = (officeholders, io) => {
  const load = officeholders
    .command('import')
    .description('load the people in office, in one transaction; if a file is refused, load nothing')
    .argument('<dir>', 'a checkout of the Open States people repository, or its folder data')
    .option('--skip-refused', 'leave refused files out and load the others', false)
    .option('--dry-run', 'say what the import would change; change nothing', false);
  addRemovalOptions(load, REMOVALS)
    .addHelpText('after', EXAMPLES)
    .action((dir: string, flags: Flags) => importDir(io, dir, flags));
};

/** @throws OperatorError if the folder, a file or the database cannot be used, or if the import removes too much */
async function importDir(
  io: CommandIo,
  dir: string,
  { allowRemovals = null, ...flags }: Flags,
): Promise<void> {
  const found = await findPersonFiles(dir);
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const outcome = await withTotal(io.terminal, 'Reading', found.files.length, (advance) => {
    const onFile = () => advance(1);
    return importPeople(found, { databaseUrl, ...flags, maxRemovals: allowRemovals, now: io.now(), onFile });
  });
  report(outcome, flags, io);
}

function report(
  outcome: ImportOutcome,
  { dryRun, keepMissing }: Omit<Flags, 'allowRemovals'>,
  io: CommandIo,
): void {
  const { refusals, refusedFiles, result } = outcome;
  for (const line of formatFileRefusals(refusals)) io.err(line);
  const refused = refusedFiles.length === 1 ? '1 file is' : `${count(refusedFiles.length)} files are`;
  if (result === null) {
    throw new OperatorError(`Nothing was loaded: ${refused} refused. --skip-refused loads the others.`);
  }
  for (const line of formatLoad(result.counts, outcome)) io.out(line);
  if (result.removalsRefused !== null) {
    throw new OperatorError(describeRemovals(result.removalsRefused, REMOVALS, { keepMissing }));
  }
  if (refusedFiles.length > 0) {
    io.err(`${refused} left out, as --skip-refused asks; the others are loaded.`);
  }
  if (dryRun) io.err('This was a dry run: nothing was changed.');
}
