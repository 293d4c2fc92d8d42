import { withClient } from '../test/helpers/postgres/with-client.ts';

/** Lists, each with the usual filters of a request for its pages. */
export const LISTS = [
  '/v1/states',
  '/v1/endorser-categories',
  '/v1/elections?limit=100',
  '/v1/endorsers?limit=100',
  '/v1/contests?states=WY&limit=50',
  '/v1/contests?upcoming=true&limit=100',
  '/v1/endorsements?limit=100',
  '/v1/endorsements?states=CA&categories=newspaper&limit=100',
  '/v1/officeholders?limit=100',
  '/v1/coverage',
];

/** Lists whose hundredth page is compared with the first. */
export const DEEP_LISTS = [
  '/v1/elections?limit=2',
  '/v1/endorsers?limit=50',
  '/v1/contests?limit=50',
  '/v1/endorsements?limit=100',
  '/v1/endorsements?states=CA&limit=100',
  '/v1/officeholders?limit=8',
];

/** Single records of the store: the largest one of each kind. */
export async function findSingles(databaseUrl: string): Promise<string[]> {
  const query = `
    SELECT '/v1/contests/' || (SELECT contest_id FROM endorsements GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1) AS path
    UNION ALL SELECT '/v1/endorsers/' || (
      SELECT slug FROM endorsers e JOIN endorsing g ON g.endorser_id = e.id GROUP BY 1 ORDER BY sum(g.endorsements) DESC, 1 LIMIT 1)
    UNION ALL SELECT '/v1/endorsements/' || (SELECT max(id) FROM endorsements)
    UNION ALL SELECT '/v1/officeholders/' || (SELECT person_id FROM officeholders ORDER BY name, person_id LIMIT 1)`;
  const { rows } = await withClient(databaseUrl, (client) => client.query<{ path: string | null }>(query));
  return rows.map(({ path }) => path).filter((path) => path !== null);
}

/** Recommendations of a medium state, and of the state with the most upcoming contests. */
export async function findStates(databaseUrl: string): Promise<string[]> {
  const query = `
    SELECT l.state FROM elections l JOIN ballot_sizes b ON b.election_id = l.id WHERE l.date >= current_date - 1
    GROUP BY l.state ORDER BY sum(b.contests), l.state`;
  const { rows } = await withClient(databaseUrl, (client) => client.query<{ state: string }>(query));
  const states = [rows[Math.floor(rows.length / 2)], rows.at(-1)];
  return states.filter((row) => row !== undefined).map(({ state }) => `/v1/recommendations?state=${state}`);
}
