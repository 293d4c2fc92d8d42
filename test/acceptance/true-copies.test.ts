import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countRemovals } from '../../domain/removal-guard.ts';
import { createRandom } from '../../ops/demo/random.ts';
import { editCatalogue } from '../../store/catalogue/edit.ts';
import { removeElection } from '../../store/catalogue/removal.ts';
import { BallotModel, type Edit } from '../helpers/ballots/ballot-model.ts';
import { importLines, loadCatalogue } from '../helpers/ballots/catalogue.ts';
import { useClient } from '../helpers/postgres/database.ts';
import { withClient } from '../helpers/postgres/with-client.ts';
import { useTestService } from '../helpers/service/service.ts';
import { Copy, digestOf, queryOf, readDigest, readEndorsements } from '../helpers/stream/copies.ts';
import { EventStreamClient } from '../helpers/stream/event-stream.ts';
import { sequenceOf } from '../helpers/stream/stream-checker.ts';
import { until } from '../helpers/until.ts';

/** The number of steps; `COPIES_STEPS` sets another one for a longer run. */
const STEPS = Number(process.env.COPIES_STEPS ?? 40);
const FILTERS = 30;
const HEARTBEAT_MS = 100;

const service = useTestService({ catalogue: [], gatewayConfig: { streamHeartbeatMs: HEARTBEAT_MS } });
const client = useClient(service.databaseUrl);

/** The number of imports that were refused because they would take much away, and because of other people's names. */
interface Met {
  removals: number;
  renames: number;
}

/** Does an edit as an operator does: without permissions first, and then with those that refusals ask for. */
async function carryOut(edit: Edit, met: Met): Promise<void> {
  if ('removeElection' in edit) return removeWhole(edit.removeElection);
  const { import: lines, keepMissing } = edit;
  const permissions: { maxRemovals: number | null; allowRenames: boolean } = {
    maxRemovals: null,
    allowRenames: false,
  };
  for (;;) {
    const before = await countEndorsements();
    const result = await importLines(service.databaseUrl, lines, { keepMissing, ...permissions });
    if (result.loaded) {
      if (permissions.maxRemovals === null) await expectFewWithdrawn(before);
      return;
    }
    if (result.removalsRefused) {
      met.removals += 1;
      // Submissions that come at the same time can add to them.
      permissions.maxRemovals = countRemovals(result.removalsRefused) + 100;
    } else {
      expect(result.refusals.map(({ message }) => message).join()).toContain('--allow-renames');
      expect(permissions.allowRenames).toBe(false);
      met.renames += 1;
      permissions.allowRenames = true;
    }
  }
}

async function removeWhole(election: string): Promise<void> {
  await withClient(service.databaseUrl, async (own) => {
    const work = async () => ({ result: await removeElection(own, election), keep: true });
    await editCatalogue(own, work, { dryRun: false });
  });
}

interface Held {
  head: number;
  /** The number of endorsements by the id of their election. */
  of: ReadonlyMap<number, number>;
}

async function countEndorsements(): Promise<Held> {
  const { rows } = await client.query<{ head: number; id: number; count: number }>(
    `SELECT (SELECT last_sequence FROM stream_head)::int AS head, l.id, count(n.id)::int AS count
     FROM elections l LEFT JOIN endorsements n ON n.election_id = l.id GROUP BY l.id`,
  );
  return { head: rows[0]?.head ?? 0, of: new Map(rows.map(({ id, count }) => [id, count])) };
}

/**
 * Expects that an import without permission has withdrawn only a few endorsements: fewer than five of an election, or up
 * to a tenth, and up to a hundred in all (contract).
 */
async function expectFewWithdrawn({ head, of }: Held): Promise<void> {
  const { rows } = await client.query<{ id: number; gone: number; added: number }>(
    `SELECT (body -> 'election' ->> 'id')::int AS id, count(*)::int AS gone,
       (SELECT count(*)::int FROM change_log WHERE sequence > $1 AND type = 'created') AS added
     FROM (
       SELECT DISTINCT ON (endorsement_id) type, body FROM change_log WHERE sequence > $1 AND from_catalogue
       ORDER BY endorsement_id, sequence DESC) AS last
     WHERE type = 'deleted' GROUP BY 1`,
    [head],
  );
  for (const { id, gone, added } of rows) {
    // Submissions at the same time can have added some before.
    const held = (of.get(id) ?? 0) + added;
    expect({ id, gone, of: held, isFew: gone < 5 || gone <= held / 10 }).toMatchObject({ isFew: true });
  }
  expect(rows.reduce((sum, { gone }) => sum + gone, 0)).toBeLessThanOrEqual(100);
}

/** Waits until all submissions are applied, all edits announced, and all changes with the gateway. @returns the last sequence */
async function settle(submitted: number): Promise<number> {
  const read = async () => {
    const { rows } = await client.query<{ applied: string; head: string; stale: boolean }>(
      `SELECT (SELECT COALESCE(sum(next_offset), 0) FROM consumer_offsets) AS applied,
         last_sequence AS head, has_stale AS stale FROM stream_head`,
    );
    return rows[0];
  };
  await until('everything to be applied and announced', async () => {
    const row = await read();
    return Number(row?.applied) === submitted && row?.stale === false;
  });
  const head = Number((await read())?.head);
  await until('the gateway to have it', async () => (await service.latestSequence()) >= head);
  return head;
}

/** A client with one copy from polling and one from only a stream. */
class Client {
  readonly filter: string;
  readonly polled = new Copy();
  readonly streamed = new Copy();
  #cursor = '';
  #stream: EventStreamClient | undefined;
  #read = 0;

  constructor(filter: Record<string, string[]>) {
    this.filter = queryOf(filter);
  }

  async open(): Promise<void> {
    const { body } = await service.get(`/v1/events?from=earliest&limit=1&${this.filter}`);
    expect(body.data).toEqual([]);
    this.#cursor = body.next_cursor;
    const url = service.url(`/v1/stream?cursor=${this.#cursor}&${this.filter}`);
    this.#stream = await EventStreamClient.open(url, { Authorization: `Bearer ${service.key}` });
    expect(this.#stream.response.status).toBe(200);
  }

  close(): void {
    this.#stream?.close();
  }

  /** Receives everything up to this sequence. */
  async catchUp(head: number): Promise<void> {
    const { data, cursor } = await service.events(`cursor=${this.#cursor}&${this.filter}`);
    this.#cursor = cursor;
    for (const event of data) this.polled.apply(event);

    const events = this.#stream?.events ?? [];
    await until('the stream to reach the end', () => sequenceOf(events.at(-1)?.id ?? '') >= head);
    for (const { event, data: text } of events.slice(this.#read)) {
      if (event === 'endorsement') this.streamed.apply(JSON.parse(text));
    }
    this.#read = events.length;
  }
}

test('INV-13: copies kept through any filter equal the reads and their digest after every step, and no import withdraws much without permission', async () => {
  const run = async (seed: number) => {
    const random = createRandom(seed);
    const model = new BallotModel(random.fork('model'));
    await loadCatalogue(service.databaseUrl, model.all);
    const clients = [{}, ...Array.from({ length: FILTERS }, () => model.filter())].map(
      (filter) => new Client(filter),
    );
    await Promise.all(clients.map((one) => one.open()));
    const met: Met = { removals: 0, renames: 0 };
    let submitted = 0;
    const submit = async () => {
      // Enough for edits that would withdraw many.
      const submissions = Array.from({ length: 4 }, () => model.submissions()).flat();
      submitted += submissions.length;
      await service.submit(submissions);
    };
    try {
      for (let step = 0; step < STEPS; step += 1) {
        // Concurrent submissions meet the edit at any moment of its work.
        const steps = [() => submit(), () => carryOut(model.edit(), met)];
        const chosen = random.pick([[0], [0], [1], [1], [0, 1]]);
        await Promise.all(chosen.map((index) => steps[index]?.()));
        const head = await settle(submitted);
        await Promise.all(clients.map((one) => one.catchUp(head)));
        for (const { filter, polled, streamed } of clients) {
          const expected = await readEndorsements((path) => service.get(path), filter);
          expect({ step, filter, by: 'polling', held: polled.contents }).toEqual({
            step,
            filter,
            by: 'polling',
            held: expected,
          });
          expect({ step, filter, by: 'stream', held: streamed.contents }).toEqual({
            step,
            filter,
            by: 'stream',
            held: expected,
          });
          const digest = await readDigest((path) => service.get(path), filter);
          expect({ step, filter, ...digest }).toEqual({
            step,
            filter,
            ...digestOf(Object.values(streamed.contents)),
          });
        }
      }
      await expectWholeRecords(clients[0]?.polled.events ?? []);
      const { rows } = await client.query<{ type: 'created'; count: number }>(
        'SELECT type, count(*)::integer AS count FROM change_log WHERE from_catalogue GROUP BY type',
      );
      // The run covered the interesting cases.
      expect(Object.fromEntries(rows.map(({ type, count }) => [type, count > 0]))).toEqual({
        created: true,
        updated: true,
        deleted: true,
      });
      expect({ met, isMet: Object.values(met).every((count) => count > 0) }).toEqual({ met, isMet: true });
    } finally {
      for (const one of clients) one.close();
    }
  };
  await fc.assert(fc.asyncProperty(fc.nat(), run), {
    numRuns: 1,
    endOnFailure: true,
    interruptAfterTimeLimit: 600_000,
  });
}, 600_000);

/** An endorsement in full has the values that a flat one leaves out. They must equal the event's too. */
async function expectWholeRecords(events: Answer[]): Promise<void> {
  for (const { endorsement, contest, choice } of events) {
    const { body } = await service.get(`/v1/endorsements/${endorsement.id}`);
    const { vote_method, votes_allowed, ranks_allowed, measure_code } = body.data.contest;
    expect(contest).toMatchObject({ vote_method, votes_allowed, ranks_allowed, measure_code });
    expect(choice.withdrawn).toBe(body.data.choice.withdrawn);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the code that makes events checks their shapes.
type Answer = any;
