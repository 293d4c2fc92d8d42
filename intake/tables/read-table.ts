import { CsvError, parse } from 'csv-parse';
import { shorten } from '../../schemas/problems.ts';
import { readCell } from './cells.ts';
import {
  decodeTable,
  ENCODING_NAMES,
  findBrokenText,
  recogniseEncoding,
  SAMPLE_BYTES,
  type TableEncoding,
} from './encoding.ts';
import {
  MAX_TITLES,
  MIN_NAMES_BELOW,
  recogniseSeparator,
  SEPARATOR_NAMES,
  type Separator,
} from './separator.ts';
import { TableError } from './table-error.ts';

/** The bounds of a table. A statement has at most 20,000 characters. */
export const MAX_COLUMNS = 1_000;
export const MAX_CELL_BYTES = 100_000;
const MAX_ROW_BYTES = 1_000_000;

interface ReadRow {
  /** The line of the file at which the row begins, from 1. */
  line: number;
  cells: string[];
}

/**
 * A row below the header, with as many cells as the header has: missing ones at its end are empty. Or the reason why
 * it cannot be used: the end of a sentence that begins with the line.
 */
export type TableRow = ReadRow | { line: number; fault: string };

/** A table whose header is read, and whose rows are read as a stream, once. */
export interface Table {
  encoding: TableEncoding;
  separator: Separator;
  /** The number of rows above the header that were left out as titles. */
  titles: number;
  header: string[];
  /** The columns with parts of names that are joined to one. */
  joined?: string[];
  rows: AsyncIterable<TableRow>;
}

/** The first bytes of a source, and all of its bytes. */
async function takeSample(bytes: AsyncIterable<Uint8Array>) {
  const iterator = bytes[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let size = 0;
  let whole = false;
  while (size < SAMPLE_BYTES && !whole) {
    const next = await iterator.next();
    if (next.done) whole = true;
    else {
      pieces.push(next.value);
      size += next.value.length;
    }
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield* pieces;
      if (!whole)
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  const sample = Buffer.concat(pieces).subarray(0, SAMPLE_BYTES);
  return { sample, whole, all: all() };
}

/** Makes every line break a line feed, also those within cells. */
async function* unifyLineBreaks(text: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  for await (const piece of text) {
    const joined = held + piece;
    held = joined.endsWith('\r') ? '\r' : '';
    yield joined.slice(0, joined.length - held.length).replaceAll(/\r\n?/g, '\n');
  }
  if (held !== '') yield '\n';
}

/** Rows with the lines at which they begin, without empty rows. Those before a fault are given first. */
async function* readRows(
  text: AsyncIterable<string>,
  separator: Separator,
  pause: () => Promise<void>,
): AsyncGenerator<ReadRow> {
  const found: ReadRow[] = [];
  let fault: Error | null = null;
  let end = 0;
  let empty = 0;
  const parser = parse({
    delimiter: separator,
    record_delimiter: '\n',
    relax_column_count: true,
    // Names such as John "Jack" Smith are often not quoted.
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    on_record: (cells: string[], { lines, empty_lines }) => {
      const line = end + 1 + empty_lines - empty;
      end = lines;
      empty = empty_lines;
      if (cells.some((cell) => cell.trim() !== '')) found.push({ line, cells: cells.map(readCell) });
      return null;
    },
  });
  parser.on('error', (error) => {
    fault = error;
  });
  // Nothing comes out at this end: the function above takes the rows.
  parser.resume();
  for await (const piece of unifyLineBreaks(text)) {
    await new Promise((resolve) => parser.write(piece, resolve));
    yield* found.splice(0);
    if (fault !== null) throw explain(fault, end + 1);
    await pause();
  }
  await new Promise((resolve) => parser.end(resolve));
  yield* found.splice(0);
  if (fault !== null) throw explain(fault, end + 1);
}

/** Says what is wrong with the row that begins after the last one that could be read. */
function explain(error: Error, line: number): Error {
  if (!(error instanceof CsvError)) return error;
  const row = `The row that begins in line ${line}`;
  const messages: Partial<Record<typeof error.code, string>> = {
    CSV_QUOTE_NOT_CLOSED: `${row} has a quotation mark (") without its end: close it, or remove it.`,
    CSV_MAX_RECORD_SIZE:
      `${row} has more than ${MAX_ROW_BYTES.toLocaleString('en-US')} bytes. A quotation mark (") without its end ` +
      'can be the reason.',
  };
  return new TableError(messages[error.code] ?? `${row} cannot be read: ${error.message}.`, { cause: error });
}

/**
 * Reads a table of text: comma-, semicolon- or tab-separated, in UTF-8, UTF-16, Windows-1252 or Mac Roman. Keeps a
 * bounded part in memory. Empty rows are skipped. A row that cannot be used is given with the reason, and reading continues.
 *
 * @param pause awaited after each few bytes, which can have no row, so that a process can do its other work
 * @throws TableError if the file has no usable header. The rows throw it where nothing after a fault can be read
 */
export async function readTable(
  bytes: AsyncIterable<Uint8Array>,
  pause: () => Promise<void> = async () => {},
): Promise<Table> {
  const { sample, whole, all } = await takeSample(bytes);
  const encoding = recogniseEncoding(sample, whole);
  const separator = recogniseSeparator(new TextDecoder(encoding).decode(sample));
  const rows = readRows(decodeTable(all, encoding), separator, pause);
  try {
    const { titles, head, rest } = await findHeader(rows);
    if (head === undefined)
      throw new TableError('The file is empty: its first line must have the names of the columns.');
    const header = checkHeader(head, encoding);
    return { encoding, separator, titles, header, rows: checkRows(rest, header.length, encoding) };
  } catch (error) {
    await rows.return(undefined);
    throw error;
  }
}

/** Finds the header: the first row, or the row below those that have one cell each, such as the title of a sheet. */
async function findHeader(rows: AsyncGenerator<ReadRow>) {
  const first: ReadRow[] = [];
  const filled = (row: ReadRow | undefined) => row?.cells.filter((cell) => cell.trim() !== '').length ?? 0;
  while (first.length <= MAX_TITLES && first.every((row) => filled(row) === 1)) {
    const next = await rows.next();
    if (next.done) break;
    first.push(next.value);
  }
  const titles = filled(first.at(-1)) >= MIN_NAMES_BELOW ? first.length - 1 : 0;
  async function* rest() {
    yield* first.slice(titles + 1);
    yield* rows;
  }
  return { titles, head: first[titles], rest: rest() };
}

function checkHeader({ line, cells }: ReadRow, encoding: TableEncoding): string[] {
  // A sheet can be much wider than its names.
  const named = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  const header = cells.slice(0, Math.max(named, MAX_COLUMNS)).map((cell) => cell.trim());
  const broken = header.map((cell) => findBrokenText(cell, encoding)).find((fault) => fault !== null);
  if (broken !== undefined) throw new TableError(`Line ${line}, the header, ${broken}.`);
  if (header.length > MAX_COLUMNS) {
    throw new TableError(
      `Line ${line}, the header, has ${header.length.toLocaleString('en-US')} columns; a table has at most ` +
        `${MAX_COLUMNS.toLocaleString('en-US')}.`,
    );
  }
  const long = header.findIndex((cell) => cell.length > MAX_NAME);
  if (long >= 0) {
    const name = JSON.stringify(shorten(header[long] ?? ''));
    throw new TableError(
      `Line ${line} must be the header: the name of its column ${long + 1}, ${name}, has more than ${MAX_NAME} characters.`,
    );
  }
  return header;
}

/** The longest name of a column, in characters. */
const MAX_NAME = 500;

async function* checkRows(
  rows: AsyncIterable<ReadRow>,
  columns: number,
  encoding: TableEncoding,
): AsyncGenerator<TableRow> {
  for await (const { line, cells } of rows) {
    const fault = findFault(cells, columns, encoding);
    if (fault !== null) yield { line, fault };
    else yield { line, cells: Array.from({ length: columns }, (_, at) => cells[at] ?? '') };
  }
}

function findFault(cells: string[], columns: number, encoding: TableEncoding): string | null {
  const used = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
  if (used > columns) {
    return `has ${used} cells, and the header ${columns}: is a text with the separator not in quotation marks?`;
  }
  for (const [at, cell] of cells.entries()) {
    if (Buffer.byteLength(cell) > MAX_CELL_BYTES) {
      return `has a cell of more than ${MAX_CELL_BYTES.toLocaleString('en-US')} bytes, in column ${at + 1}`;
    }
    const broken = findBrokenText(cell, encoding);
    if (broken !== null) return broken;
  }
  return null;
}

/** How a table was read, for its report: `UTF-8, with commas`. */
export function describeTable({ encoding, separator, titles, joined }: Table): string {
  const form = `${ENCODING_NAMES[encoding]}, with ${SEPARATOR_NAMES[separator]}`;
  const above = titles === 0 ? '' : `, below ${titles === 1 ? 'a title' : `${titles} titles`}`;
  const names = joined?.map((name) => `"${name}"`).join(', ') ?? '';
  return `${form}${above}${names && `, the names of candidates joined from ${names}`}`;
}
