import { expect, test } from '@jest/globals';
import { describeWithPromtool, testRules } from '../../helpers/promtool.ts';
import { HOURS, OBJECTIVE_CASES, type ObjectiveCase, STEP_SECONDS, WELL } from './objective-cases.ts';

/** The test of a case, as promtool takes it. */
function toPromtoolTest({ name, series, atRisk }: ObjectiveCase) {
  return {
    name,
    interval: `${STEP_SECONDS}s`,
    input_series: Object.entries({ ...WELL, ...series }).map(([each, values]) => ({ series: each, values })),
    promql_expr_test: [
      {
        expr: 'group by (objective, severity) (ALERTS{alertname="ObjectiveAtRisk",alertstate="firing"})',
        // The last sample is one step before the end.
        eval_time: `${HOURS * 3600 - STEP_SECONDS}s`,
        exp_samples: atRisk.map((each) => {
          const [objective, severity] = each.split(' ');
          return { labels: `{objective="${objective}",severity="${severity}"}`, value: 1 };
        }),
      },
    ],
  };
}

describeWithPromtool('with promtool (skipped on a machine without it), the objectives', () => {
  test.each(OBJECTIVE_CASES.map((each) => [each.name, each.atRisk.join(', ') || 'nothing', each] as const))(
    'if %s: %s is at risk',
    async (_, _atRisk, each) => {
      expect(await testRules(STEP_SECONDS, [toPromtoolTest(each)])).toBe('');
    },
    30_000,
  );
});
