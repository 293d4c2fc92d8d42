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
  /** Whether the line only names an election: one that exists stays as it is. */
  isNamed?: boolean;
}

const CHUNK_CHARACTERS = 256 * 1024;

/**
 * Copies the lines into the temporary table `staged`, which lives until the caller's transaction ends.
 * Includes refused lines, because their records have not vanished from the catalogue.
 *
 * @throws the errors of `lines`; the caller must then roll back.
 */
export async function stageLines(client: pg.Client, lines: AsyncIterable<StagedLine>): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE staged (
      ordinal bigint GENERATED ALWAYS AS IDENTITY,
      kind text NOT NULL,
      file text NOT NULL,
      line integer NOT NULL,
      key text,
      record jsonb,
      refused boolean NOT NULL,
      named boolean NOT NULL,
      -- Set by checks against other records.
      field text,
      problem text,
      -- The part of the problem that many lines share.
      reason text
    ) ON COMMIT DROP`);
  const copy = client.query(
    copyFrom('COPY staged (kind, file, line, key, record, refused, named) FROM STDIN'),
  );
  await pipeline(Readable.from(encodeLines(lines)), copy);
  await client.query('CREATE UNIQUE INDEX ON staged (ordinal)');
  await client.query('ANALYZE staged');
  await dropNamed(client);
}

/** Drops the lines that only name an election that the catalogue, or another line, describes. */
async function dropNamed(client: pg.Client): Promise<void> {
  await client.query(`
    WITH known AS (
      SELECT slug, state, date::text, type, 0 AS ordinal FROM elections WHERE removed_at IS NULL
      UNION ALL
      SELECT key, record ->> 'state', record ->> 'date', record ->> 'type', CASE WHEN named THEN ordinal ELSE 0 END
      FROM staged WHERE kind = 'elections' AND NOT refused
    )
    DELETE FROM staged USING known
    WHERE staged.named AND NOT staged.refused AND known.slug = staged.key AND known.ordinal < staged.ordinal
      AND (known.state, known.date, known.type)
        = (staged.record ->> 'state', staged.record ->> 'date', staged.record ->> 'type')`);
}

async function* encodeLines(lines: AsyncIterable<StagedLine>): AsyncGenerator<string> {
  let chunk = '';
  for await (const { kind, file, line, key, record, isNamed = false } of lines) {
    const json = record === null ? null : JSON.stringify(record);
    const values = [kind, file, String(line), key, json, record === null ? 't' : 'f', isNamed ? 't' : 'f'];
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
