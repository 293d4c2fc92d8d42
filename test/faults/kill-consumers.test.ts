import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { parseSubmission } from '../../schemas/submission-files.ts';
import {
  expectRealEndorsements,
  hasRealData,
  importRealCatalogue,
  readEndorsementLines,
  titleOnRealData,
} from '../helpers/ballots/real-data.ts';
import { type ServiceProcess, startProcess } from '../helpers/service/process.ts';
import { TestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';

const KILLS = 10;

(hasRealData ? describe : describe.skip)(titleOnRealData('kill -9 of the consumers'), () => {
  let service: TestService;
  let client: pg.Client;
  let consumers: ServiceProcess;

  beforeAll(async () => {
    service = await TestService.start({ catalogue: [] });
    await service.stopConsumers();
    await importRealCatalogue(service);
    client = new pg.Client({ connectionString: service.databaseUrl });
    await client.connect();
    consumers = startConsumers();
  });
  afterAll(async () => {
    await consumers.kill();
    await client.end();
    await service.stop();
  });

  function startConsumers(): ServiceProcess {
    return startProcess('consumers/main.ts', service.env('consumers'));
  }

  async function lastSequence(): Promise<number> {
    const { rows } = await client.query('SELECT last_sequence::int AS sequence FROM stream_head');
    return rows[0].sequence;
  }

  test('INV-8, INV-3: ten times in the middle of their work loses and repeats nothing', async () => {
    const submissions = (await readEndorsementLines()).map((line) => {
      const parsed = parseSubmission(line);
      if (!parsed.ok) throw new Error('A real line is refused.');
      return parsed.value;
    });
    const share = Math.ceil(submissions.length / KILLS);
    const pids = new Set<number>();
    let interrupted = 0;
    for (let round = 0; round < KILLS; round += 1) {
      const before = await lastSequence();
      await service.submit(submissions.slice(round * share, (round + 1) * share));
      // A random moment after the consumers have begun.
      await until('the consumers work', async () => (await lastSequence()) > before, 60_000);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
      pids.add(consumers.pid);
      await consumers.kill();
      const { rows } = await client.query('SELECT sum(next_offset)::int AS applied FROM consumer_offsets');
      const unacknowledged = await client.query('SELECT FROM relay_batches WHERE acknowledged_at IS NULL');
      if (rows[0].applied < (round + 1) * share || unacknowledged.rowCount !== 0) interrupted += 1;
      consumers = startConsumers();
    }
    expect(pids.size).toBe(KILLS);
    // The fault happened: most of them died in the middle of their work.
    expect(interrupted).toBeGreaterThanOrEqual(KILLS / 2);
    await expectRealEndorsements(service);
  }, 300_000);
});
