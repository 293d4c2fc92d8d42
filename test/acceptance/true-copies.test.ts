import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { createRandom } from '../../ops/demo/random.ts';
import { editCatalogue } from '../../store/catalogue/edit.ts';
import { removeElection } from '../../store/catalogue/removal.ts';
import { BallotModel, type Edit } from '../helpers/ballots/ballot-model.ts';
import { loadCatalogue } from '../helpers/ballots/catalogue.ts';
import { useClient } from '../helpers/postgres/database.ts';
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

/** Does an edit as `ops catalog` does, on its own connection. */
async function carryOut(edit: Edit): Promise<void> {
  if ('import' in edit) return loadCatalogue(service.databaseUrl, edit.import, edit);
  const own = new pg.Client({ connectionString: service.databaseUrl });
  await own.connect();
  try {
    const work = async () => ({ result: await removeElection(own, edit.removeElection), keep: true });
    await editCatalogue(own, work, { dryRun: false });
  } finally {
    await own.end();
  }
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

test('INV-13: copies kept through any filter, by polling or by a stream, equal the reads and their digest after every step', async () => {
  const run = async (seed: number) => {
    const random = createRandom(seed);
    const model = new BallotModel(random.fork('model'));
    await loadCatalogue(service.databaseUrl, model.all);
    const clients = [{}, ...Array.from({ length: FILTERS }, () => model.filter())].map(
      (filter) => new Client(filter),
    );
    await Promise.all(clients.map((one) => one.open()));
    const counts = { steps: 0, endorsements: 0, created: 0, updated: 0, deleted: 0 };
    let submitted = 0;
    const submit = async () => {
      const submissions = model.submissions();
      submitted += submissions.length;
      await service.submit(submissions);
    };
    try {
      for (let step = 0; step < STEPS; step += 1) {
        // Concurrent submissions meet the edit at any moment of its work.
        const steps = [() => submit(), () => carryOut(model.edit())];
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
        counts.steps += 1;
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
