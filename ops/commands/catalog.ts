import { Option } from 'commander';
import type { ImportOutcome } from '../../administration/catalogue/import-lines.ts';
import { createReadingNotes } from '../../administration/catalogue/reading-notes.ts';
import type { RefusalList } from '../../administration/catalogue/refusal-list.ts';
import { showControls } from '../../schemas/show-controls.ts';
import { ELECTION_TYPES, type ElectionType } from '../../schemas/vocabulary.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import { editCatalogue } from '../../store/catalogue/edit.ts';
import { removeElection } from '../../store/catalogue/removal.ts';
import { describeImport, formatFound } from '../catalog/describe-import.ts';
import { writeElection } from '../catalog/export-election.ts';
import { findCatalogueFiles } from '../catalog/find-files.ts';
import { formatRefusals } from '../catalog/format-refusals.ts';
import { type ImportOptions, importLines } from '../catalog/import-catalogue.ts';
import {
  formatAmbiguousDistricts,
  formatAmbiguousElections,
  formatAnnounced,
  formatImport,
} from '../catalog/import-report.ts';
import { readCatalogue } from '../catalog/read-catalogue.ts';
import { type CommandIo, type DefineCommand, UnfinishedError } from '../command.ts';
import { createDatabaseConfig } from '../config.ts';
import { withDatabase } from '../database.ts';
import { withProgress, withTotal } from '../progress.ts';
import { addRemovalOptions, describeRemovals, type RemovalFlags } from '../removals.ts';
import { parseReportPath, writeReport } from '../report-file.ts';
import { count } from '../table.ts';
import { refuseTableOption } from '../table-option.ts';

const IMPORT_EXAMPLES = `
Examples:
  npm run ops -- catalog import data/catalogue
  npm run ops -- catalog import --dry-run data/contests.ndjson
  npm run ops -- catalog import data/endorsers.ndjson data/contests.ndjson --skip-refused
  npm run ops -- catalog import --dry-run --report report.html vip-feed.zip
  npm run ops -- catalog import county-feed.xml --keep-missing
  npm run ops -- catalog import candidates.csv --map "Contest Title=contest"`;

const REMOVE_EXAMPLES = `
Examples:
  npm run ops -- catalog remove or-2026-05-19-primary --dry-run
  npm run ops -- catalog remove or-2026-05-19-primary`;

type Flags = RemovalFlags &
  Required<Pick<ImportOptions, 'skipRefused' | 'dryRun' | 'allowRenames'>> & {
    report?: string;
    map: string[];
    election?: string | null;
    electionType?: ElectionType | null;
  };

const REMOVALS = {
  records: 'contests, choices and endorsements',
  wholes: 'elections',
  whole: 'an election',
  reason: 'the import would take away parts of elections and withdraw endorsements',
};

const EXPORT_EXAMPLES = `
Examples:
  npm run ops -- catalog export or-2026-05-19-primary --to primary.csv
  npm run ops -- catalog export or-2026-05-19-primary --to data`;

/** `catalog import PATH...`, `catalog export ELECTION` and `catalog remove ELECTION`. */
export const define: DefineCommand = (catalog, io) => {
  const load = catalog
    .command('import')
    .description(
      'load catalogue files, tables and feeds in one transaction; if a line is refused, load nothing',
    )
    .argument(
      '<paths...>',
      'files such as contests.ndjson, or folders of them; tables (.csv, .tsv); feeds of the Voting Information Project (.xml, .zip)',
    )
    .option('--skip-refused', 'leave refused records out and load the others', false)
    .option(
      '--dry-run',
      'say what the import would change and how many events it would make; change nothing',
      false,
    );
  addRemovalOptions(load, REMOVALS)
    .option(
      '--allow-renames',
      "accept choices that keep their keys and get other people's names, and measures that get others' texts",
      false,
    )
    .addOption(
      new Option(
        '--election-type <type>',
        'the type of the election of tables and feeds that do not say it',
      ).choices(ELECTION_TYPES),
    )
    .option('--election <slug>', 'the election of the rows of tables that name none')
    .option(
      '--map <column=field>',
      'the field that a column of a table holds, or nothing to leave it out; can be repeated',
      (text: string, before: string[]) => [...before, text],
      [],
    )
    .option('--report <file>', 'write a report for people (.html) or programs (.json)', parseReportPath)
    .addHelpText('after', IMPORT_EXAMPLES)
    .action((paths: string[], flags: Flags) => importPaths(io, paths, flags));
  catalog
    .command('export')
    .description(
      'write an election as a table to correct and import again, or as NDJSON; importing it changes nothing',
    )
    .argument('<election>', 'the slug of the election')
    .option(
      '--to <path>',
      'a file (.csv, .tsv, contests.ndjson, elections.ndjson) or a folder; standard output by default',
    )
    .addHelpText('after', EXPORT_EXAMPLES)
    .action((election: string, { to = null }: { to?: string | null }) => exportTo(io, election, to));
  catalog
    .command('remove')
    .description(
      'remove an election with its contests, and withdraw their endorsements; importing it again restores it',
    )
    .argument('<election>', 'the slug of the election')
    .option('--dry-run', 'say what would be removed; change nothing', false)
    .addHelpText('after', REMOVE_EXAMPLES)
    .action((election: string, { dryRun }: { dryRun: boolean }) => remove(io, election, dryRun));
};

const tellWait = (io: CommandIo) => () =>
  io.err('Another edit of the catalogue is under way: this one begins when it is done.');

/** Makes Ctrl-C end only the announcements of an edit from its commit on; before, it ends the program at once. */
function createInterrupt(io: CommandIo) {
  const interrupted = new AbortController();
  let restore = () => {};
  return {
    onCommit(): AbortSignal {
      restore = io.onInterrupt(() => interrupted.abort());
      return interrupted.signal;
    },
    /** @throws UnfinishedError if the operator has pressed Ctrl-C */
    finish(made: string): void {
      restore();
      if (!interrupted.signal.aborted) return;
      throw new UnfinishedError(
        `You pressed Ctrl-C: ${made}, and the consumers announce the endorsements that are not announced yet.`,
      );
    },
  };
}

/**
 * @throws OperatorError if a path, a line or the database cannot be used, or if the import removes too much
 * @throws UnfinishedError if the operator presses Ctrl-C after the commit
 */
async function importPaths(
  io: CommandIo,
  paths: string[],
  { allowRemovals = null, report: reportPath, electionType = null, election = null, map, ...flags }: Flags,
): Promise<void> {
  const { files, notRead } = await findCatalogueFiles(paths);
  const tables = files.filter(({ format }) => format === 'table');
  if (map.length > 0 && tables.length === 0) throw refuseTableOption('map');
  if (election !== null && tables.every(({ kind }) => kind !== null)) {
    throw refuseTableOption('election', 'a table of contests');
  }
  if (electionType !== null && files.every(({ kind }) => kind !== null)) {
    throw new OperatorError('--election-type is of use only with a table of contests or a feed.');
  }
  if (notRead.length > 0) {
    const names = showControls(notRead.join(', '));
    io.err(`Skipped, since they are neither catalogue files nor given themselves: ${names}.`);
  }
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));

  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const found = createReadingNotes();
  const { onCommit, finish } = createInterrupt(io);
  const outcome = await withTotal(io.terminal, 'Reading', bytes, (onBytes) =>
    withProgress(io.terminal, 'Announcing', (onAnnounced) => {
      const reading = { found, electionType, election, map, onBytes };
      const options = { ...flags, maxRemovals: allowRemovals, onWait: tellWait(io), onCommit, onAnnounced };
      const read = (refusals: RefusalList) => readCatalogue(files, refusals, reading);
      return importLines(read, { databaseUrl, ...options });
    }),
  );
  // The import is made already, so its outcome is told even if the report cannot be written.
  const [written] = await Promise.allSettled(
    reportPath === undefined
      ? []
      : [writeReport(reportPath, describeImport(outcome, found, { paths, dryRun: flags.dryRun }))],
  );
  for (const line of formatFound(found)) io.out(line);
  report(outcome, flags, io);
  if (written?.status === 'rejected') throw written.reason;
  finish('the import is made');
}

function report(
  outcome: ImportOutcome,
  { dryRun, keepMissing }: Pick<Flags, 'dryRun' | 'keepMissing'>,
  io: CommandIo,
): void {
  for (const line of formatRefusals(outcome.allRefusals)) io.err(line);
  for (const line of formatAmbiguousDistricts(outcome)) io.err(line);
  for (const line of formatAmbiguousElections(outcome)) io.err(line);
  const refused = Object.values(outcome.refused).reduce((sum, number) => sum + number, 0);
  const { removalsRefused } = outcome;
  if (removalsRefused !== null) {
    for (const line of formatImport(outcome, { dryRun: true })) io.out(line);
    throw new OperatorError(describeRemovals(removalsRefused, REMOVALS, { keepMissing }));
  }
  if (!outcome.loaded) {
    throw new OperatorError(
      `Nothing was loaded: ${refused === 1 ? '1 record is' : `${count(refused)} records are`} refused. --skip-refused loads the others.`,
    );
  }
  for (const line of formatImport(outcome, { dryRun })) io.out(line);
  if (refused > 0) {
    io.err(`${count(refused)} refused records were left out, as --skip-refused asks; the others are loaded.`);
  }
  if (dryRun) io.err('This was a dry run: nothing was changed.');
}

/** @throws OperatorError if there is no such election, or if it cannot be written */
async function exportTo(io: CommandIo, election: string, to: string | null): Promise<void> {
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const contests = await writeElection(databaseUrl, election, to, (line) => io.out(line));
  if (to !== null) io.err(`Wrote ${election} with ${count(contests)} contests to ${to}.`);
}

/** @throws OperatorError if there is no such election, or the database cannot be used */
async function remove(io: CommandIo, election: string, dryRun: boolean): Promise<void> {
  const { databaseUrl } = createDatabaseConfig(readEnv(io.env));
  const { onCommit, finish } = createInterrupt(io);
  const { result, announced } = await withProgress(io.terminal, 'Announcing', (onAnnounced) =>
    withDatabase(databaseUrl, 'catalog-remove', (client) =>
      editCatalogue(
        client,
        async () => {
          const removal = await removeElection(client, election);
          return { result: removal, keep: removal !== null };
        },
        { dryRun, onWait: tellWait(io), onCommit, onAnnounced },
      ),
    ),
  );
  if (!result) {
    throw new OperatorError(
      `The catalogue has no election with the slug "${election}". Nothing was removed.`,
    );
  }
  const verb = dryRun ? 'would be' : 'are';
  io.out(`The election ${election} and its ${count(result.contests)} contests ${verb} removed.`);
  for (const line of formatAnnounced(announced, { dryRun })) io.out(line);
  if (dryRun) io.err('This was a dry run: nothing was changed.');
  finish(`the election ${election} is removed`);
}
