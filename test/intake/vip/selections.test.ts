import { describe, expect, test } from '@jest/globals';
import { contestOf } from '../../helpers/feeds/feed-contest.ts';
import { candidate, contest, object, texts } from '../../helpers/feeds/vip-feed.ts';

describe('the answers to a measure', () => {
  const measure = (labels: string[]) =>
    contestOf(
      ...labels.map((label, at) => object('BallotMeasureSelection', `a${at}`, texts('Selection', label))),
      contest(
        'BallotMeasureContest',
        'Q',
        'virginia',
        `<BallotSelectionIds>${labels.map((_, at) => `{a${at}}`).join(' ')}</BallotSelectionIds>`,
      ),
    );
  const NEITHER = 'the choices of a measure are neither Yes nor No: voters mark one of them';

  test.each([
    [['Yes', 'Abstain', 'No'], 'yes_no', ['yes', 'abstain', 'no'], ['yes', undefined, 'no']],
    [['Against the levy', 'For the levy'], 'yes_no', ['no', 'yes'], ['no', 'yes']],
    [['Plan A', 'Plan B'], 'plurality', ['plan-a', 'plan-b'], [undefined, undefined]],
    [
      ['Yes on A', 'Yes on B', 'No'],
      'plurality',
      ['yes-on-a', 'yes-on-b', 'no'],
      [undefined, undefined, undefined],
    ],
  ])('%j make it %s', async (labels, method, keys, answers) => {
    const { record, problems, messages } = await measure(labels);
    expect([problems, record?.vote_method, messages.includes(NEITHER)]).toEqual([
      ...[[], method, method === 'plurality'],
    ]);
    expect(record?.choices.map(({ key }) => key)).toEqual(keys);
    expect(record?.choices.map(({ measure_answer }) => measure_answer)).toEqual(answers);
  });
});

describe('the vote method', () => {
  const voting = async (fields: string) => {
    const { record, problems } = await contestOf(
      ...candidate('Ann'),
      contest(
        'CandidateContest',
        'Board',
        'virginia',
        `<BallotSelectionIds>{line-Ann}</BallotSelectionIds>${fields}`,
      ),
    );
    return problems?.length ? problems : [record?.vote_method, record?.votes_allowed];
  };

  test.each([
    ['', ['plurality', 1]],
    ['<VotesAllowed>3</VotesAllowed>', ['multi_seat', 3]],
    ['<NumberElected>2</NumberElected>', ['multi_seat', 2]],
    ['<NumberElected>2</NumberElected><VotesAllowed>1</VotesAllowed>', ['plurality', 1]],
    ['<VoteVariation>majority</VoteVariation>', ['plurality', 1]],
    ['<VoteVariation>1-of-m</VoteVariation><VotesAllowed>2</VotesAllowed>', ['multi_seat', 2]],
    ['<VoteVariation>n-of-m</VoteVariation><VotesAllowed>1</VotesAllowed>', ['plurality', 1]],
    ['<VoteVariation>n-of-m</VoteVariation>', ['multi_seat', null]],
    ['<VoteVariation>n-of-m</VoteVariation><VotesAllowed>0</VotesAllowed>', ['multi_seat', null]],
    ['<VoteVariation>approval</VoteVariation>', ['approval', null]],
    ['<VoteVariation>rcv</VoteVariation><VotesAllowed>5</VotesAllowed>', ['ranked_choice', null]],
  ])('of %s is %j', async (fields, expected) => {
    expect(await voting(fields)).toEqual(expected);
  });

  test('without a place in the catalogue refuses its contest', async () => {
    expect(await voting('<VoteVariation>borda</VoteVariation>')).toEqual([
      { field: 'VoteVariation', message: expect.stringMatching(/^must be one of .*rcv, is "borda"$/) },
    ]);
  });
});
