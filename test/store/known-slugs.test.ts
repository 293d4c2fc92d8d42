import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import { findUnknownSlugs } from '../../store/reads/known-slugs.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorser } from '../helpers/ballots/catalogue-records.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { openReadPool } from '../helpers/postgres/read-pool.ts';

const { url } = useTestDatabase();
let pool: DatabasePool;
let queries = 0;

beforeAll(async () => {
  await loadCatalogue(url, SMALL_BALLOT);
  const onQuery = () => {
    queries += 1;
  };
  pool = await openReadPool(url, { onQuery });
});
beforeEach(() => {
  queries = 0;
});
afterAll(() => pool.end());

test('unknown slugs are found among known ones, each in its own field', async () => {
  const endorsers = ['coast-gazette', 'newspaper', 'nobody'];
  const unknown = await findUnknownSlugs(pool, { endorsers, categories: ['newspaper', 'coast-gazette'] });
  expect(unknown.map(({ field, slug }) => `${field} ${slug}`).sort()).toEqual([
    'categories coast-gazette',
    'endorsers newspaper',
    'endorsers nobody',
  ]);
});

test('known slugs are looked up once, and unknown ones each time', async () => {
  await findUnknownSlugs(pool, { endorsers: ['nation-herald', 'late'] });
  expect(await findUnknownSlugs(pool, { endorsers: ['nation-herald'], elections: undefined })).toEqual([]);
  expect(queries).toBe(1);
  expect(await findUnknownSlugs(pool, { endorsers: ['nation-herald', 'late'] })).toHaveLength(1);
  await loadCatalogue(url, [
    ['endorsers', endorser({ slug: 'late', name: 'Late', category: 'newspaper', state: 'OR' })],
  ]);
  expect(await findUnknownSlugs(pool, { endorsers: ['nation-herald', 'late'] })).toEqual([]);
  expect(queries).toBe(3);
});
