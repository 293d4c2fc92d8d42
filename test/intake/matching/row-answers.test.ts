import { expect, test } from '@jest/globals';
import { choice, contest, YES_NO } from '../../helpers/ballots/matcher-entries.ts';
import { createMatch, match, matchNames } from '../../helpers/ballots/matcher-rows.ts';

test.each<[string, string | null, string | null | undefined, string]>([
  ['Governor', 'No Endorsement', undefined, '"No Endorsement"'],
  // Beside the name of a contest, it is not a key.
  ['Clerk', 'none', undefined, '"none"'],
  ['Governor', 'N/A', 'Yes', '"N/A"'],
  ['Governor', 'NOT John H. Cox', 'Yes', '"NOT John H. Cox"'],
  ['Governor', 'Anyone but John H. Cox', undefined, '"Anyone but John H. Cox"'],
  ['Governor', 'No on John H. Cox', 'Yes', '"No on John H. Cox"'],
  ...[
    ...[
      'John H. Cox (not endorsed)',
      'John H. Cox - Oppose',
      'Cox, John H. – not recommended',
      'Oppose: John H. Cox',
    ],
    ...[
      'No endorsement: John H. Cox',
      'John H. Cox, Do not endorse',
      'Antonio Villaraigosa; John H. Cox (no)',
    ],
  ].map((text): [string, string, undefined, string] => ['Governor', text, undefined, `"${text}"`]),
  ['Governor', null, undefined, 'no choice'],
  ['Governor', null, 'Yes', 'no choice, and "Yes" as the position'],
  ['Governor', null, 'John H. Cox', 'no choice, and "John H. Cox" as the position'],
  ['Governor', 'John H. Cox (withdrawn)', undefined, '"John H. Cox (withdrawn)"'],
  ['Governor', 'Rescinded: John H. Cox', 'Yes', '"Rescinded: John H. Cox"'],
  ['Governor', 'John H. Cox - withdrawn', undefined, '"John H. Cox - withdrawn"'],
  ['Governor', 'Anybody except John H. Cox', undefined, '"Anybody except John H. Cox"'],
  ['Governor', 'Never John H. Cox', undefined, '"Never John H. Cox"'],
  ['Governor', 'John H. Cox', null, 'no position'],
  ['Governor', 'John H. Cox', 'Oppose', '"Oppose" about a candidate, of whom only Yes can be said'],
  [
    'Governor',
    'John H. Cox',
    'Yes (runoff only)',
    '"Yes (runoff only)" about a candidate, of whom only Yes can be said',
  ],
  ['Dogcatcher', 'Ann', 'No', '"No" about a candidate, of whom only Yes can be said'],
  ['Governor', 'John H. Cox', 'Pass', '"Pass" about a candidate, of whom only Yes can be said'],
  ['Governor', 'John H. Cox', 'Neutral', '"Neutral" about a candidate, of whom only Yes can be said'],
  ...[
    ['No', 'Yes'],
    ['Yes', 'No'],
    ['no', 'Oppose'],
    ['No - it costs too much', 'Yes'],
    ["Don't retain", '✓'],
    ['Oppose (see our guide)', 'x'],
    ['Against it', 'x'],
    ['School bonds - No', 'x'],
    ['School bonds (not endorsed)', 'Yes'],
    ['Not this one', 'Yes'],
  ].map(([choiceText = '', position = '']): [string, string, string, string] => [
    ...(['Prop 2', choiceText, position] as const),
    `two answers about a measure, "${choiceText}" and "${position}": give one, as the position, and leave the choice empty`,
  ]),
  ['Prop 2', null, 'Neutral', '"Neutral" about a measure, which needs Yes or No'],
  ['Prop 2', 'No', null, 'no position'],
  ['Prop 2', null, undefined, 'no answer about a measure, which needs Yes or No'],
  ['Prop 2', 'Lean yes', undefined, '"Lean yes" about a measure, which needs Yes or No'],
])('%j, %j %j is nothing that an endorsement can say', (contestText, choiceText, position, why) => {
  expect(match(contestText, choiceText, { position })).toMatchObject({ grade: 'nothing', why });
});

test.each(['Yes: for the parks', 'No Tax on Tips', 'No-Tax Pledge', 'N - bonds', 'None of it, yet'])(
  'the text %j beside a measure and Yes is not the answer No',
  (choiceText) => {
    expect(match('Prop 2', choiceText, { position: 'Yes' })).toMatchObject({ grade: 'exact' });
  },
);

test.each<[string, string | null, string | null | undefined, string, string]>([
  // Beside the measure, the candidates to succeed are not meant.
  ['Recall of Eva Kim', null, 'Oppose', 'recall/no', 'exact'],
  ['Recall of Eva Kim', 'Yes', undefined, 'recall/yes', 'exact'],
  ['Recall', 'Recall of Eva Kim', 'Yes', 'recall/yes', 'exact'],
  ['Successor to Eva Kim if recalled', 'Bo Ray', 'Yes', 'successor/ray', 'exact'],
  // To retain the official is to say No.
  ['Recall of Eva Kim', 'Retain', undefined, '?/?', '"Retain" about a measure, which needs Yes or No'],
  ['Recall of Eva Kim', null, 'Remove', '?/?', '"Remove" about a measure, which needs Yes or No'],
  ['Recall of Eva Kim', null, 'Support her', '?/?', '"Support her" about a measure, which needs Yes or No'],
  ...['Eva Kim', 'Keep Eva Kim'].map((name): [string, string, string, string, string] => [
    ...(['Recall of Eva Kim', name, 'Yes', '?/?'] as const),
    `two answers about a measure, "${name}" and "Yes": give one, as the position, and leave the choice empty`,
  ]),
  ['Mayor', 'Eva Kim', 'Yes', 'mayor/?', 'none'],
])('about a recall, %j, %j %j means %s', (contestText, choiceText, position, key, said) => {
  const matchRecall = createMatch([
    contest('recall', 'Recall of Eva Kim', YES_NO, {
      kind: 'measure',
      short_title: 'Recall of Mayor Eva Kim',
    }),
    contest('successor', 'Successor to Eva Kim if recalled (recall of Eva Kim)', [choice('ray', 'Bo Ray')], {
      short_title: 'Successor to Eva Kim if recalled',
    }),
    contest('mayor', 'Mayor', [choice('fox', 'Max Fox')]),
  ]);
  const found = matchRecall({ contest: contestText, choice: choiceText, position });
  expect(found.key).toBe(key);
  expect(found.unrepresentable?.text ?? found.grade).toBe(said);
});

test('a denial beside several names leaves the row open', () => {
  const isUnderstood = (name: string) =>
    matchNames({ contest: 'Governor', choice: name }).unrepresentable?.isUnderstood;
  expect(isUnderstood('John H. Cox (no)')).toBe(true);
  expect(isUnderstood('Antonio Villaraigosa; John H. Cox (no)')).toBe(false);
});

test.each<[string, string | null | undefined, boolean]>([
  ['Governor', null, true],
  ['Governor', undefined, true],
  ['Governor', 'No endorsement', true],
  // Such a row lacks a name.
  ['Governor', 'Yes', false],
  ['Governor', 'John H. Cox', false],
])(
  'a row about %j without a choice says nothing by the position %j: %s',
  (contestText, position, isUnderstood) => {
    const { unrepresentable } = matchNames({ contest: contestText, position });
    const text = isUnderstood ? 'no choice' : `no choice, and "${position}" as the position`;
    expect(unrepresentable).toEqual({ text, isUnderstood });
  },
);
