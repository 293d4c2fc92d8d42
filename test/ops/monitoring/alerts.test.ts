import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { type AlertCase, CASES, HEALTHY, SCRAPES } from './alert-cases.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../../..');
const RULES = join(ROOT, 'ops/monitoring/alerts.yml');
const SCRAPE_SECONDS = 15;

const rules = readFileSync(RULES, 'utf8');
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);

function hasPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The test of a case, as promtool takes it: the names of the alerts that fire at its end. */
function toPromtoolTest({ name, series, firing }: AlertCase) {
  return {
    name,
    interval: `${SCRAPE_SECONDS}s`,
    input_series: Object.entries({ ...HEALTHY, ...series }).map(([each, values]) => ({
      series: each,
      values,
    })),
    promql_expr_test: [
      {
        expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: `${SCRAPES * SCRAPE_SECONDS}s`,
        exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      },
    ],
  };
}

async function runPromtool(cases: readonly AlertCase[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alerts-'));
  try {
    const file = join(folder, 'test.yml');
    const tests = {
      rule_files: [RULES],
      evaluation_interval: `${SCRAPE_SECONDS}s`,
      tests: cases.map(toPromtoolTest),
    };
    await writeFile(file, JSON.stringify(tests));
    return await run('promtool', ['test', 'rules', file]).then(
      () => '',
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

// promtool comes with Prometheus, in Debian's package "prometheus".
const describeWithPromtool = hasPromtool() ? describe : describe.skip;

describeWithPromtool('with promtool (skipped on a machine without it), the alerts', () => {
  test('are rules that Prometheus accepts', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', RULES]);
    expect(stdout).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  test.each(CASES.map((each) => [each.name, each.firing.join(', ') || 'no alert', each] as const))(
    'if %s: %s',
    async (_, _firing, each) => {
      expect(await runPromtool([each])).toBe('');
    },
  );
});

test('every alert fires in a case', () => {
  const fired = new Set(CASES.flatMap(({ firing }) => firing));
  expect(alerts.filter((alert) => !fired.has(alert))).toEqual([]);
});

test('every alert has a section in docs/operations.md, which its runbook points to', () => {
  const headings = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').matchAll(/^### (\w+)$/gm);
  const anchors = [...headings].map(([, name]) => `docs/operations.md#${name?.toLowerCase()}`);
  const runbooks = [...rules.matchAll(/runbook: (\S+)/g)].map(([, runbook]) => runbook);
  expect(runbooks).toEqual(alerts.map((alert) => `docs/operations.md#${alert.toLowerCase()}`));
  for (const runbook of runbooks) expect(anchors).toContain(runbook);
});

/** The names of the service's metrics, as its source declares them. */
function declaredMetrics(): Set<string> {
  const grep = ['-rhoE', "name: '[a-z_]+'", 'gateway', 'consumers', 'service', '--include=*.ts'];
  const found = execFileSync('grep', grep, { cwd: ROOT, encoding: 'utf8' });
  return new Set([...found.matchAll(/'([a-z_]+)'/g)].map(([, name]) => name as string));
}

test('the alerts look only at metrics that the service has', () => {
  const declared = declaredMetrics();
  const used = Object.keys(HEALTHY).map((each) => each.replace(/\{.*/, '').replace(/_(count|bucket)$/, ''));
  const foreign = ['up', 'nodejs_eventloop_lag_p99_seconds'];
  const unknown = [...new Set(used)].filter((name) => !declared.has(name) && !foreign.includes(name));
  expect(unknown).toEqual([]);
});
