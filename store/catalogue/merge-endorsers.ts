import type { ClientBase } from 'pg';
import { NATIONAL } from '../../schemas/vocabulary.ts';
import { type MergeCounts, mergeStaged } from './merge.ts';

/** Merges the staged endorser categories. */
export async function mergeCategories(client: ClientBase): Promise<MergeCounts> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_categories ON COMMIT DROP AS
    SELECT ordinal, record.*
    FROM staged, jsonb_to_record(staged.record)
      AS record(slug text, name text, name_es text, singular_name text, singular_name_es text)
    WHERE kind = 'endorser-categories' AND NOT refused`);
  return mergeStaged(client, {
    table: 'endorser_categories',
    staged: 'staged_categories',
    on: 't.slug = s.slug',
    identity: ['slug'],
    columns: ['name', 'name_es', 'singular_name', 'singular_name_es'],
    name: 's.slug',
    label: 's.name',
  });
}

/** Merges the staged endorsers. Their categories must be merged already. */
export async function mergeEndorsers(client: ClientBase): Promise<MergeCounts> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_endorsers ON COMMIT DROP AS
    SELECT ordinal, slug, name, category, NULLIF(state, '${NATIONAL}') AS state, description, description_es,
      website_url, logo_url, COALESCE(details, '{}') AS details, source
    FROM staged, jsonb_to_record(staged.record)
      AS record(slug text, name text, category text, state text, description text, description_es text,
        website_url text, logo_url text, details jsonb, source jsonb)
    WHERE kind = 'endorsers' AND NOT refused`);
  return mergeStaged(client, {
    table: 'endorsers',
    staged: 'staged_endorsers',
    on: 't.slug = s.slug',
    identity: ['slug'],
    columns: [
      ...['name', 'category', 'state', 'description', 'description_es', 'website_url', 'logo_url'],
      ...['details', 'source'],
    ],
    name: 's.slug',
    label: 's.name',
  });
}
