import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { kindOfFile } from '../../administration/catalogue/file-kind.ts';
import { TABLE_HEADER, TableRows } from '../../intake/catalogue/table-rows.ts';
import { formatRow, TABLE_START } from '../../intake/tables/cells.ts';
import { MAX_CELL_BYTES } from '../../intake/tables/read-table.ts';
import type { Separator } from '../../intake/tables/separator.ts';
import type { ContestRecord, ElectionRecord } from '../../schemas/catalogue-files.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { type ExportSink, exportElection } from '../../store/catalogue/export.ts';
import { withDatabase } from '../database.ts';
import { count } from '../table.ts';

/** Where an export goes: standard output, a file by the end of its name, or a folder. */
type Target =
  | { form: 'table'; file: string | null; separator: Separator }
  | { form: 'records'; elections: string | null; contests: string | null };

/** @throws OperatorError if the name says no format */
async function targetOf(to: string | null): Promise<Target> {
  if (to === null || to.endsWith('.csv')) return { form: 'table', file: to, separator: ',' };
  if (to.endsWith('.tsv')) return { form: 'table', file: to, separator: '\t' };
  const kind = kindOfFile(to);
  if (kind === 'elections') return { form: 'records', elections: to, contests: null };
  if (kind === 'contests') return { form: 'records', elections: null, contests: to };
  const info = await stat(to).catch(() => null);
  if (info?.isDirectory()) {
    return {
      form: 'records',
      elections: path.join(to, 'elections.ndjson'),
      contests: path.join(to, 'contests.ndjson'),
    };
  }
  throw new OperatorError(
    `${to} must end in .csv, .tsv, elections.ndjson or contests.ndjson, or be a folder, which gets both of the last.`,
  );
}

/**
 * Writes an election as a table or as NDJSON files. Importing them changes nothing.
 *
 * @param to the file or folder; null for a table on standard output
 * @param print prints a line
 * @returns the number of contests
 * @throws OperatorError if there is no such election, or it cannot be written; existing files then stay as they are
 */
export async function writeElection(
  databaseUrl: string,
  slug: string,
  to: string | null,
  print: (line: string) => void,
): Promise<number> {
  const target = await targetOf(to);
  const files = new NewFiles();
  try {
    const sink = target.form === 'table' ? tableSink(target, files, print) : recordSink(target, files);
    const contests = await withDatabase(databaseUrl, 'catalog-export', (client) =>
      exportElection(client, slug, sink),
    );
    if (contests === null) throw new OperatorError(`The catalogue has no election with the slug "${slug}".`);
    await sink.end();
    await files.keep();
    return contests;
  } catch (error) {
    await files.drop();
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined) throw error;
    throw new OperatorError(`The export cannot be written to ${to}: ${message}.`, { cause: error });
  }
}

type EndingSink = ExportSink & { end(): Promise<void> };

function tableSink(
  { file, separator }: Target & { form: 'table' },
  files: NewFiles,
  print: (line: string) => void,
): EndingSink {
  let rows: TableRows | null = null;
  let slug = '';
  const write = async (cells: readonly string[]) => {
    const line = formatRow(cells, separator);
    if (file === null) print(line.slice(0, -2));
    else await files.write(file, line);
  };
  const writeRows = async (found: string[][] | undefined, key: string) => {
    for (const cells of found ?? []) {
      refuseLongCell(cells, key);
      await write(cells);
    }
  };
  return {
    async election(record: ElectionRecord) {
      rows = new TableRows(record);
      slug = record.slug;
      if (file !== null) await files.write(file, TABLE_START);
      await write(TABLE_HEADER);
    },
    contest: (record: ContestRecord) => writeRows(rows?.ofContest(record), record.key),
    end: () => writeRows(rows?.ofElection(), slug),
  };
}

/** @throws OperatorError if no import would read a table with such a cell */
function refuseLongCell(cells: readonly string[], key: string): void {
  for (const [at, cell] of cells.entries()) {
    const bytes = Buffer.byteLength(cell);
    if (bytes <= MAX_CELL_BYTES) continue;
    throw new OperatorError(
      `The ${TABLE_HEADER[at]} of ${key} has ${count(bytes)} bytes, and a cell of a table at most ${count(MAX_CELL_BYTES)}: ` +
        'export to a folder instead, as NDJSON.',
    );
  }
}

function recordSink({ elections, contests }: Target & { form: 'records' }, files: NewFiles): EndingSink {
  const write = async (file: string | null, record: object | null) => {
    if (file !== null) await files.write(file, record === null ? '' : `${JSON.stringify(record)}\n`);
  };
  return {
    election: (record) => write(elections, record),
    contest: (record) => write(contests, record),
    // An election without contests has an empty file of them.
    end: () => write(contests, null),
  };
}

/** Files that take their names when they are complete. */
class NewFiles {
  readonly #streams = new Map<string, ReturnType<typeof createWriteStream>>();

  async write(file: string, text: string): Promise<void> {
    let stream = this.#streams.get(file);
    if (!stream) {
      stream = createWriteStream(partOf(file));
      // A failure that nobody awaits would end the program; `keep` finds it.
      stream.on('error', () => {});
      this.#streams.set(file, stream);
      await once(stream, 'open');
    }
    if (stream.errored) throw stream.errored;
    if (!stream.write(text)) await once(stream, 'drain');
  }

  async keep(): Promise<void> {
    for (const stream of this.#streams.values()) {
      stream.end();
      await finished(stream);
    }
    for (const file of this.#streams.keys()) await rename(partOf(file), file);
  }

  async drop(): Promise<void> {
    for (const [file, stream] of this.#streams) {
      stream.destroy();
      await rm(partOf(file), { force: true });
    }
  }
}

const partOf = (file: string): string => `${file}.part`;
