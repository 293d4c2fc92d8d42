import { beforeAll, expect, test } from '@jest/globals';
import { useTestDatabase } from '../helpers/database.ts';
import { recordQueries } from '../helpers/record-queries.ts';

/*
 * A store that is large enough for Postgres to mind how it finds things: 10,000 contests and 100,000 endorsements, over
 * elections of every state, made by the database itself.
 */
const STORE = `
  INSERT INTO endorser_categories (slug, name) VALUES ('labor', 'Labor'), ('newspaper', 'Newspaper');
  INSERT INTO endorsers (slug, name, category, state)
  SELECT 'endorser-' || n, 'Endorser ' || n, (ARRAY['labor', 'newspaper'])[1 + n % 2],
    CASE WHEN n % 3 > 0 THEN (SELECT code FROM states ORDER BY code OFFSET n % 56 LIMIT 1) END
  FROM generate_series(1, 1000) AS n;
  INSERT INTO elections (slug, name, date, state, type)
  SELECT lower(code) || '-' || n, code || ' ' || n, current_date + 30 - 100 * n, code, 'general'
  FROM states, generate_series(0, 1) AS n;
  INSERT INTO districts (ocd_id, name, level, type, state)
  SELECT 'ocd-division/' || code || '/' || n, code || ' ' || n,
    (ARRAY['federal', 'state', 'county', 'city', 'school', 'special'])[1 + n % 6], 'place', code
  FROM states, generate_series(0, 17) AS n;
  INSERT INTO contests (key, election_id, district_id, title, short_title, kind, vote_method, ballot_order)
  SELECT l.slug || '/' || d.id || '-' || n, l.id, d.id, 'Contest', 'Contest',
    (ARRAY['candidate', 'measure', 'retention'])[1 + n % 3], 'plurality', n
  FROM elections l JOIN districts d USING (state), generate_series(0, 4) AS n;
  INSERT INTO choices (contest_id, key, label, ballot_order)
  SELECT c.id, 'choice-' || n, 'Choice ' || n, n FROM contests c, generate_series(0, 1) AS n;
  INSERT INTO endorsements (endorser_id, contest_id, choice_id, election_id, updated_at)
  SELECT DISTINCT ON (1, 3) 1 + (h.id * 7919 + n * 104729) % 1000, h.contest_id, h.id, c.election_id, now()
  FROM choices h JOIN contests c ON c.id = h.contest_id, generate_series(0, 4) AS n;
`;

const database = useTestDatabase();
const { client } = database;

beforeAll(async () => {
  await client.query(STORE);
  await client.query('ANALYZE');
}, 60_000);

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** The large tables that a plan reads from one end to the other. */
function scanned(plan: Plan): string[] {
  const { 'Node Type': type, 'Relation Name': table, Plans: parts = [] } = plan;
  const own = type === 'Seq Scan' && (table === 'contests' || table === 'endorsements') ? [table] : [];
  return [...own, ...parts.flatMap(scanned)];
}

test.each([
  '/v1/contests',
  '/v1/contests?elections=ca-0',
  '/v1/contests?states=WY',
  '/v1/contests?levels=school',
  '/v1/contests?contest_kinds=retention',
  '/v1/contests?districts=ocd-division/CA/3',
  '/v1/contests?upcoming=true',
  '/v1/endorsements',
  '/v1/endorsements?categories=labor',
  '/v1/endorsements?endorsers=endorser-17',
  '/v1/endorsements?endorser_states=WY',
  '/v1/endorsements?endorser_states=national',
  '/v1/endorsements?states=WY',
  '/v1/endorsements?states=WY&categories=labor&levels=school',
  '/v1/endorsements?elections=ca-0',
  '/v1/endorsements?contest_kinds=retention',
  '/v1/endorsements?levels=school',
  '/v1/endorsements?contest=77',
  '/v1/endorsements?upcoming=true',
  '/v1/endorsers?elections=ca-0',
  '/v1/elections',
])('%s reads no large table from end to end', async (path) => {
  const { queries, body } = await recordQueries(database.url, path);
  expect(JSON.parse(body).data.length).toBeGreaterThan(0);
  expect(queries.length).toBeGreaterThan(0);
  for (const { sql, values } of queries) {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${sql}`, values);
    expect(scanned(rows[0]['QUERY PLAN'][0].Plan)).toEqual([]);
  }
});
