import { expect, test } from '@jest/globals';
import { describeWithPromtool, testRules } from '../../helpers/deploy/promtool.ts';
import { HOURS, OBJECTIVE_CASES, type ObjectiveCase, STEP_SECONDS, WELL } from './objective-cases.ts';

/** The promtool test of cases of different objectives, which do not affect each other. */
function toPromtoolTest(cases: readonly ObjectiveCase[]) {
  const series = Object.assign({ ...WELL }, ...cases.map((each) => each.series));
  return {
    name: cases.map(({ name }) => name).join('; '),
    interval: `${STEP_SECONDS}s`,
    input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
    promql_expr_test: [
      {
        expr: 'group by (objective, severity) (ALERTS{alertname="ObjectiveAtRisk",alertstate="firing"})',
        // The last sample is one step before the end.
        eval_time: `${HOURS * 3600 - STEP_SECONDS}s`,
        exp_samples: cases.flatMap(({ objective, atRisk }) =>
          atRisk.map((severity) => ({
            labels: `{objective="${objective}",severity="${severity}"}`,
            value: 1,
          })),
        ),
      },
    ],
  };
}

/** The first case of every objective, then the second, and so on. */
function groupCases(): ObjectiveCase[][] {
  const groups: ObjectiveCase[][] = [];
  for (const cases of Map.groupBy(OBJECTIVE_CASES, ({ objective }) => objective).values()) {
    for (const [index, each] of cases.entries()) groups[index] = [...(groups[index] ?? []), each];
  }
  return groups;
}

const describeCase = ({ name, objective, atRisk }: ObjectiveCase) =>
  `if ${name}: ${atRisk.length === 0 ? 'no alert' : `${atRisk.join(' and ')} of ${objective}`}`;

describeWithPromtool('with promtool (skipped on a machine without it), the objectives', () => {
  test.each(groupCases().map((cases) => [cases.map(describeCase).join('; '), cases] as const))(
    '%s',
    async (_, cases) => {
      expect(await testRules('objectives', STEP_SECONDS, [toPromtoolTest(cases)])).toBe('');
    },
  );
});
