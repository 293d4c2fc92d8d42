/** Every query of the dashboards and the alerts, run by a real Prometheus that scrapes a real service. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { DASHBOARDS } from '../../../ops/monitoring/grafana/dashboards.ts';
import { buildDashboard } from '../../../ops/monitoring/grafana/panels.ts';
import { createIo, createRunner } from '../../helpers/commands/command-io.ts';
import { findMetricNames } from '../../helpers/deploy/promql.ts';
import { hasProgram, RULES } from '../../helpers/deploy/promtool.ts';
import { type ServiceProcess, startProcess } from '../../helpers/service/process.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { until } from '../../helpers/until.ts';
import { WEBHOOK_ENV } from '../../helpers/webhooks/webhook-env.ts';
import { METRIC_NAMES } from './metric-names.ts';

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
}

const rules: Rule[] = parse(readFileSync(RULES, 'utf8')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
/** The queries, by their place. */
const QUERIES = [
  ...DASHBOARDS.flatMap(({ name, rows }) =>
    Object.values(rows)
      .flat()
      .flatMap(({ title, queries }) =>
        Object.entries(queries).map(([legend, expr]) => [`${name}: ${title}, ${legend}`, expr] as const),
      ),
  ),
  ...rules.map(({ record, alert, expr }) => [`alerts: ${record ?? alert}`, expr] as const),
];
/** Prometheus's own metrics. */
const BUILT_IN = ['ALERTS', 'up'];

test.each(DASHBOARDS.map((each) => [each.name, each] as const))(
  'the file of the dashboard %s is up to date ("npm run dashboards" writes it)',
  (name, content) => {
    const file = join(import.meta.dirname, `../../../ops/monitoring/grafana/dashboards/${name}.json`);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(buildDashboard(content))),
    );
  },
);

const hasBoth = hasProgram('prometheus') && hasProgram('promtool');
(hasBoth ? describe : describe.skip)('with Prometheus (skipped on a machine without it)', () => {
  const service = useTestService({ gateways: 0 });
  const processes: ServiceProcess[] = [];
  const ports = new Map<string, number>();
  let folder: string;
  let prometheus: ChildProcess;
  let address: string;

  async function start(name: string, program: string, env: Record<string, string>, args: string[] = []) {
    const port = await findFreePort();
    ports.set(name, port);
    processes.push(startProcess(program, { ...env, METRICS_PORT: String(port) }, args));
  }

  async function startPrometheus(): Promise<void> {
    folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [RULES],
      scrape_configs: [
        {
          job_name: 'ballot-endorsements',
          static_configs: [...ports].map(([role, port]) => ({
            targets: [`127.0.0.1:${port}`],
            labels: { role },
          })),
        },
      ],
    };
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    address = `127.0.0.1:${await findFreePort()}`;
    const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`];
    prometheus = spawn('prometheus', [...args, `--web.listen-address=${address}`], { stdio: 'ignore' });
  }

  async function ask(path: string): Promise<{ status: string; data: unknown; error?: string }> {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    return (await response.json()) as { status: string; data: unknown; error?: string };
  }

  async function query(expr: string): Promise<unknown[]> {
    // Grafana replaces its variable by four scrapes.
    const { status, data, error } = await ask(
      `query?query=${encodeURIComponent(expr.replaceAll('$__rate_interval', '4s'))}`,
    );
    if (status !== 'success') throw new Error(`${error} in ${expr}`);
    const { resultType, result } = data as { resultType: string; result: unknown[] };
    return resultType === 'vector' ? result : [result];
  }

  const metricsOf = async (name: string) =>
    (await fetch(`http://127.0.0.1:${ports.get(name)}/metrics`)).text();

  beforeAll(async () => {
    await service.stopConsumers();
    const port = await findFreePort();
    const gateway = `http://127.0.0.1:${port}`;
    const env = {
      ...service.env(),
      ...WEBHOOK_ENV,
      // It is not a replica and gets no reads, but it has a replica's metrics.
      READ_DATABASE_URLS: service.databaseUrl,
      LOG_LEVEL: 'warn',
    };
    await createRunner('canary')(['setup'], createIo(env));
    await start('gateway', 'gateway/main.ts', { ...env, PORT: String(port), DRAIN_MS: '0' });
    await start('consumers', 'consumers/main.ts', env);
    await start('apply', 'consumers/main.ts', { ...env, ROLES: 'apply' });
    const canary = { GATEWAY_URL: gateway, CANARY_KEY: service.key, CANARY_INTERVAL_SECONDS: '1' };
    await start('canary', 'ops/main.ts', { ...env, ...canary }, ['canary', 'run']);
    await startPrometheus();
    const isUp = async () => (await query('up == 1').catch(() => [])).length === ports.size;
    await until('the programs are scraped', isUp, 60_000);
    await fetch(`${gateway}/v1/states`, { headers: { Authorization: `Bearer ${service.key}` } });
    const has = async (expr: string) => (await query(expr)).length > 0;
    await until('changes arrive', () => has('increase(stream_delivery_seconds_count[10s]) > 0'), 60_000);
    await until('objectives are recorded', () => has('objective:missed:ratio5m'), 60_000);
  }, 180_000);
  afterAll(async () => {
    prometheus.kill();
    await once(prometheus, 'exit');
    for (const each of processes) await each.kill();
    await rm(folder, { recursive: true });
  });

  test.each(QUERIES)('%s', async (_, expr) => {
    await query(expr);
    const outputs = await Promise.all([...ports.keys()].map(metricsOf));
    const exported = outputs.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const known = new Set([...exported, ...BUILT_IN, ...rules.map(({ record }) => record)]);
    const names = findMetricNames(expr);
    expect(names.length).toBeGreaterThan(expr.startsWith('vector') ? -1 : 0);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });

  test('every label that a query selects or groups by exists', async () => {
    const { data } = await ask('labels');
    const known = new Set([
      ...(data as string[]),
      'alertname',
      'alertstate',
      'severity',
      'state',
      'reason',
      'where',
    ]);
    const labels = QUERIES.flatMap(([, expr]) =>
      [...expr.matchAll(/(?:by|on) \(([^)]*)\)|(\w+)(?:=~|!~|!=|=)"/g)].flatMap(
        ([, list, label]) => list?.split(', ') ?? [label],
      ),
    );
    expect([...new Set(labels)].filter((label) => !known.has(label as string))).toEqual([]);
  });

  test('the programs have the metrics on which operators rely, and no others', async () => {
    const outputs = await Promise.all([...ports.keys()].map(metricsOf));
    const exported = outputs.flatMap((text) =>
      [...text.matchAll(/^# TYPE (\S+ \S+)/gm)].map(([, name]) => name),
    );
    const own = exported.filter((name) => !/^(process|nodejs)_/.test(name as string));
    const expected = Object.entries(METRIC_NAMES).flatMap(([type, names]) =>
      names.map((name) => `${name} ${type}`),
    );
    expect(expected.sort()).toEqual([...new Set(own)].sort());
  });

  test.each([
    ['feed_sequence', 'gateway'],
    ['webhooks_held', 'consumers'],
  ])(
    'only programs with the work have the metric by which alerts know that somebody does it: %s',
    async (metric, role) => {
      const found = (await query(`group by (role) (${metric})`)) as { metric: { role: string } }[];
      expect(found.map(({ metric: { role: having } }) => having)).toEqual([role]);
    },
  );

  test.each(['gateway', 'consumers', 'canary'])(
    'the metrics of the %s keep to the conventions',
    async (name) => {
      const check = () => execFileSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
      const text = await metricsOf(name);
      expect(check()).toBe('');
    },
  );

  test('no alert fires for a healthy service, or will if it stays as it is', async () => {
    // Objectives count seconds, which a busy machine exceeds; the database that stands for a replica gets no reads.
    const findAlerts = () => query('ALERTS{alertname!~"ObjectiveAtRisk|ReplicaOutOfUse"}');
    // Others are pending for a moment after the start.
    await until('no alert to be pending', async () => (await findAlerts()).length === 0, 20_000).catch(
      () => {},
    );
    expect(await findAlerts()).toEqual([]);
  });
});
