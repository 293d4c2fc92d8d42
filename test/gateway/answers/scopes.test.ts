import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createRandom, type Random } from '../../../ops/demo/random.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import { applySubmissions } from '../../helpers/ballots/apply.ts';
import { BallotModel } from '../../helpers/ballots/ballot-model.ts';
import { loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { useTestDatabase } from '../../helpers/postgres/database.ts';
import { openReadPool } from '../../helpers/postgres/read-pool.ts';
import { bodyOf, createReads } from '../../helpers/postgres/reads.ts';
import { queryOf } from '../../helpers/stream/copies.ts';

const STEPS = 40;
const PATHS = 40;
const MEGABYTE = 1024 * 1024;

const { client, url } = useTestDatabase();
let pool: DatabasePool;

beforeAll(async () => {
  pool = await openReadPool(url, { maxConnections: 4, statementTimeoutMs: 10_000 });
});
afterAll(() => pool.end());

/** Lists whose scope follows from their page, and not only from their parameters. */
const ENDORSERS = [
  '/v1/endorsers?limit=4',
  '/v1/endorsers?limit=12&elections=election-0',
  '/v1/endorsers?limit=12&elections=election-1,election-2',
];

/** A request whose answer shows endorsements. */
function pathOf(model: BallotModel, random: Random): string {
  const filter = model.filter();
  const only = (...names: string[]) =>
    queryOf(Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name))));
  const { categories, endorser_states, elections } = filter;
  const positions = only('categories', 'endorsers', 'endorser_states');
  const election = random.pick(model.elections).slug;
  return random.pick([
    () => `/v1/endorsements?limit=${1 + random.below(20)}&${queryOf(filter)}`,
    () => `/v1/endorsements?contest=${1 + random.below(12)}&${positions}`,
    () => `/v1/endorsements/${1 + random.below(60)}?`,
    () => `/v1/digest?${queryOf(filter)}`,
    () => `/v1/recommendations?election=${election}&${positions}`,
    () =>
      `/v1/recommendations?state=${random.pick(['OR', 'CA', 'WY'])}&${only('levels', 'contest_kinds', 'categories')}`,
    () =>
      `/v1/recommendations?contest=${1 + random.below(12)},${1 + random.below(12)}&only_endorsed=true&${positions}`,
    () => `/v1/contests/${1 + random.below(12)}?${positions}`,
    () =>
      `/v1/endorsers?limit=${1 + random.below(8)}&${queryOf({ categories, states: endorser_states, elections })}`,
    () => `/v1/endorsers/endorser-${random.below(12)}?`,
    () => `/v1/elections?limit=${1 + random.below(4)}&${only('states')}`,
    () => '/v1/coverage?upcoming=false',
  ])();
}

test('INV-1: after every change, kept answers, and answers of kept ballots, equal answers that are made anew', async () => {
  const run = async (seed: number) => {
    const random = createRandom(seed);
    const model = new BallotModel(random.fork('model'));
    await client.query(
      'TRUNCATE elections, endorser_categories, endorsers, districts, change_log RESTART IDENTITY CASCADE',
    );
    await loadCatalogue(url, model.all);
    const keeping = createReads(pool, { answers: 32 * MEGABYTE, ballots: 32 * MEGABYTE });
    const ofBallots = createReads(pool, { ballots: 32 * MEGABYTE });
    const fresh = createReads(pool);
    const paths = [...new Set([...ENDORSERS, ...Array.from({ length: PATHS }, () => pathOf(model, random))])];
    const shown = new Map<string, unknown>();
    const counts = { kept: 0, changed: 0 };
    const ask = async (read: typeof fresh, path: string) => {
      const { reply } = await read(path).catch((error: Error) => ({ reply: { json: error.message } }));
      // The time in a cursor depends on the moment of the request.
      return { reply, text: bodyOf(reply).replaceAll(/"(stream|next)_cursor":"[^"]*"/g, '') };
    };
    for (let step = 0; step < STEPS; step += 1) {
      const edit = random.chance(0.1) ? model.edit() : null;
      if (edit && 'import' in edit) await loadCatalogue(url, edit.import, edit);
      else await applySubmissions(client, ...model.submissions().slice(0, 2));
      await Promise.all(
        paths.map(async (path) => {
          const reads = [keeping, ofBallots, fresh].map((read) => ask(read, path));
          const [held, packed, made] = await Promise.all(reads);
          if (!held || !packed || !made) throw new Error('There is no answer.');
          expect({ step, path, text: packed.text }).toEqual({ step, path, text: made.text });
          expect({ step, path, text: held.text }).toEqual({ step, path, text: made.text });
          const json = 'json' in held.reply ? held.reply.json : null;
          if (typeof json !== 'string' && shown.get(path) === json) counts.kept += 1;
          else counts.changed += 1;
          shown.set(path, json);
        }),
      );
    }
    return counts;
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const { kept, changed } = await run(seed);
      // Both cases were tried.
      expect(Math.min(kept, changed)).toBeGreaterThan((STEPS * PATHS) / 10);
    }),
    { numRuns: 1, endOnFailure: true },
  );
});
