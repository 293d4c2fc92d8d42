import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { CatalogueKind, CatalogueRecord } from '../../schemas/catalogue-files.ts';

/** A line of a catalogue file to import. */
export interface StagedLine {
  kind: CatalogueKind;
  file: string;
  line: number;
  /** The record's key or slug; null if the line is refused and has no key. */
  key: string | null;
  /** The parsed record; null for a refused line. */
  record: CatalogueRecord | null;
  /** Set if a table only says which election it is about, or if a feed names it: other feeds can name it differently. */
  namedBy?: 'table' | 'feed';
}

const CHUNK_CHARACTERS = 256 * 1024;

/**
 * Copies the lines into the temporary table `staged`, which lives until the caller's transaction ends.
 * Includes refused lines, because their records have not vanished from the catalogue.
 *
 * @param options.keepMissing whether the lines are a part of their elections, so that feeds name only new ones
 * @throws the errors of `lines`; the caller must then roll back.
 */
export async function stageLines(
  client: pg.Client,
  lines: AsyncIterable<StagedLine>,
  { keepMissing }: { keepMissing: boolean },
): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE staged (
      ordinal bigint GENERATED ALWAYS AS IDENTITY,
      kind text NOT NULL,
      file text NOT NULL,
      line integer NOT NULL,
      key text,
      record jsonb,
      refused boolean NOT NULL,
      named_by text,
      -- Set by checks against other records.
      field text,
      problem text,
      -- The part of the problem that many lines share.
      reason text
    ) ON COMMIT DROP`);
  const copy = client.query(
    copyFrom('COPY staged (kind, file, line, key, record, refused, named_by) FROM STDIN'),
  );
  await pipeline(Readable.from(encodeLines(lines)), copy);
  await client.query('CREATE UNIQUE INDEX ON staged (ordinal)');
  await client.query('ANALYZE staged');
  await dropNamed(client, keepMissing);
}

/**
 * Drops the lines that name an election that the catalogue, or another line, describes, and all but one of those that name
 * one election. Keeps the names of feeds in the temporary table `dropped_names`. The state, date and type in a slug only
 * name it, because an election that is moved to another day keeps its slug.
 */
async function dropNamed(client: pg.Client, keepMissing: boolean): Promise<void> {
  await client.query(
    'CREATE TEMPORARY TABLE dropped_names (slug text, name text, file text, ordinal bigint) ON COMMIT DROP',
  );
  await client.query(
    `WITH given AS (
      SELECT ordinal, row_number() OVER same AS place, EXISTS (
        SELECT FROM elections l WHERE l.slug = staged.key AND l.removed_at IS NULL
          AND (named_by = 'feed' OR (l.state, l.date::text, l.type)
            = (record ->> 'state', record ->> 'date', record ->> 'type') OR starts_with(key, concat_ws('-',
              lower(record ->> 'state'), record ->> 'date', replace(record ->> 'type', '_', '-'))))) AS is_known
      FROM staged WHERE kind = 'elections' AND NOT refused
      -- The order of the files does not matter.
      WINDOW same AS (PARTITION BY key, record ->> 'state', record ->> 'date', record ->> 'type'
        ORDER BY named_by = 'table' NULLS FIRST, record ->> 'name' COLLATE "C", record::text COLLATE "C", ordinal)
    ), dropped AS (
      DELETE FROM staged USING given
      WHERE given.ordinal = staged.ordinal AND named_by IS NOT NULL
        AND (place > 1 OR is_known AND (named_by = 'table' OR $1))
      RETURNING staged.*
    )
    INSERT INTO dropped_names SELECT key, record ->> 'name', file, ordinal FROM dropped WHERE named_by = 'feed'`,
    [keepMissing],
  );
  // A table says nothing about an election but its state, date and type, so the rest of a known one stays.
  await client.query(`
    UPDATE staged SET record = to_jsonb(l) || jsonb_build_object(
      'state', record -> 'state', 'date', record -> 'date', 'type', record -> 'type')
    FROM elections l
    WHERE kind = 'elections' AND NOT refused AND named_by = 'table' AND l.slug = staged.key AND l.removed_at IS NULL`);
}

async function* encodeLines(lines: AsyncIterable<StagedLine>): AsyncGenerator<string> {
  let chunk = '';
  for await (const { kind, file, line, key, record, namedBy = null } of lines) {
    const json = record === null ? null : JSON.stringify(record);
    const values = [kind, file, String(line), key, json, record === null ? 't' : 'f', namedBy];
    chunk += `${values.map(encodeValue).join('\t')}\n`;
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

const COPY_ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value in the text format of COPY, which gives backslashes, tabs and line ends a meaning. */
function encodeValue(value: string | null): string {
  return value === null ? '\\N' : value.replace(/[\\\n\r\t]/g, (character) => COPY_ESCAPES[character] ?? '');
}
