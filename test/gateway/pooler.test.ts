import { describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../ops/local/servers/ports.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { pgBouncer, startPgBouncer } from '../helpers/postgres/pgbouncer.ts';
import { startProcess } from '../helpers/service/process.ts';
import { useTestService } from '../helpers/service/service.ts';
import { untilReady } from '../helpers/service/system.ts';
import { until } from '../helpers/until.ts';

const service = useTestService();

/** Starts another gateway, with a database at another address. */
async function startGateway(databaseUrl: string) {
  const port = await findFreePort();
  const started = startProcess('gateway/main.ts', {
    ...service.env(),
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  });
  return { ...started, base: `http://127.0.0.1:${port}` };
}

// PgBouncer is a package of the system.
const describeWithPooler = pgBouncer === null ? describe.skip : describe;

describeWithPooler('a gateway behind PgBouncer', () => {
  test('answers as without a pooler, if the pooler keeps sessions', async () => {
    await service.submit([endorse('bakers-local-1', 'mayor', 'ann')]);
    await service.eventsOnceThereAre(1);
    const pooler = await startPgBouncer(service.databaseUrl);
    const gateway = await startGateway(pooler.url);
    try {
      const ask = async (base: string, path: string) => {
        const response = await fetch(`${base}${path}`, {
          headers: { Authorization: `Bearer ${service.key}` },
        });
        return { status: response.status, body: await response.json() };
      };
      await untilReady(gateway.base);
      // Often enough for statements to be prepared, on more than one connection.
      for (const path of ['/v1/states', '/v1/contests', '/v1/endorsers?limit=1', '/v1/coverage']) {
        const own = await ask(service.url(''), path);
        const answers = await Promise.all(Array.from({ length: 20 }, () => ask(gateway.base, path)));
        for (const answer of answers) expect(answer).toEqual(own);
      }
      expect(gateway.output()).toBe('');
    } finally {
      await gateway.kill();
      await pooler.stop();
    }
  });

  test('names the setting that the pooler refuses', async () => {
    const pooler = await startPgBouncer(service.databaseUrl, (config) =>
      config.replace(/ignore_startup_parameters.*/, ''),
    );
    const gateway = await startGateway(pooler.url);
    try {
      await until('it has ended', () => gateway.exitCode() !== null);
      expect(gateway.exitCode()).toBe(1);
      expect(JSON.parse(gateway.output()).msg).toBe(
        'could not start the gateway (Postgres is behind a pooler that refuses a setting (unsupported startup ' +
          "parameter: statement_timeout): name it in the pooler's ignore_startup_parameters)",
      );
    } finally {
      await gateway.kill();
      await pooler.stop();
    }
  });
});
