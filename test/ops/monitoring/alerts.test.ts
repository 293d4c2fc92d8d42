import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeWithPromtool, promtool, RULES, testRules } from '../../helpers/deploy/promtool.ts';
import { type AlertCase, CASES, HEALTHY, SCRAPES } from './alert-cases.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const SCRAPE_SECONDS = 15;

const rules = readFileSync(RULES, 'utf8');
const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);

/** The promtool test of a case, with the names of the alerts that fire at its end. */
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

describeWithPromtool('with promtool (skipped on a machine without it), the alerts', () => {
  test('are rules that Prometheus accepts', async () => {
    expect(await promtool('check', 'rules', RULES)).toBe('');
  });

  test.each(CASES.map((each) => [each.name, each.firing.join(', ') || 'no alert', each] as const))(
    'if %s: %s',
    async (_, _firing, each) => {
      expect(await testRules('others', SCRAPE_SECONDS, [toPromtoolTest(each)])).toBe('');
    },
  );
});

test('every alert fires in a case', () => {
  const fired = new Set(CASES.flatMap(({ firing }) => firing));
  const others = alerts.filter((alert) => alert !== 'ObjectiveAtRisk');
  expect(others.filter((alert) => !fired.has(alert))).toEqual([]);
});

test('every alert has a section in docs/operations/alerts.md, which its runbook points to', () => {
  const headings = readFileSync(join(ROOT, 'docs/operations/alerts.md'), 'utf8').matchAll(/^## (\w+)$/gm);
  const anchors = [...headings].map(([, name]) => `docs/operations/alerts.md#${name?.toLowerCase()}`);
  const runbooks = [...rules.matchAll(/runbook: (\S+)/g)].map(([, runbook]) => runbook);
  expect(runbooks).toEqual(alerts.map((alert) => `docs/operations/alerts.md#${alert.toLowerCase()}`));
  for (const runbook of runbooks) expect(anchors).toContain(runbook);
});
