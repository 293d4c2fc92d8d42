import { beforeAll, expect, test } from '@jest/globals';
import { checkCorrection } from '../../administration/rejections/check-correction.ts';
import type { Submission } from '../../schemas/submission.ts';
import { writeSubmission } from '../../schemas/submission-files.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse, pick, position, withdraw } from '../helpers/ballots/submissions.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client, url } = useTestDatabase();
const NOW = Date.parse('2026-10-01T12:00:00Z');

beforeAll(() => loadCatalogue(url, SMALL_BALLOT));

const check = (submission: Submission) =>
  checkCorrection(client, JSON.stringify(writeSubmission(submission)), NOW);
const problemsOf = async (submission: Submission) => {
  const checked = await check(submission);
  return 'problems' in checked ? checked.problems : [];
};

test.each([
  endorse('coast-gazette', 'mayor', 'ann', { published_on: '2026-10-02' }),
  withdraw('coast-gazette', 'prop-1', 'yes'),
  position('nation-herald', 'sheriff', []),
  position('nation-herald', 'sheriff', [pick('ann', { rank: 1 }), pick('bob', { rank: 2 })]),
])('a correction whose names exist is taken as it is: %j', async (submission) => {
  expect(await check(submission)).toEqual({ correction: submission });
});

test('a text that is no JSON or no submission is refused with what is wrong', async () => {
  const refused = async (text: string) => checkCorrection(client, text, NOW);
  expect(await refused('{')).toEqual({ problems: [expect.stringMatching(/^This is not JSON: .+\.$/)] });
  const written = JSON.stringify(writeSubmission(endorse('coast-gazette', 'mayor', 'ann')));
  const withId = written.replace(/}$/, ',"details":{"id":9007199254740993}}');
  expect(await checkCorrection(client, withId, NOW)).toEqual({
    problems: ['The number 9007199254740993 would be rounded: write it as a text, in quotation marks.'],
  });
  const incomplete = { ...writeSubmission(endorse('coast-gazette', 'mayor', 'ann')), contest: undefined };
  expect(await refused(JSON.stringify(incomplete))).toEqual({ problems: ['contest is missing.'] });
  expect(await refused('7')).toEqual({ problems: [expect.stringMatching(/^The submission .+\.$/)] });
});

test('a date of publication after tomorrow is refused, before names are looked up', async () => {
  expect(await problemsOf(endorse('nobody', 'mayor', 'ann', { published_on: '2026-10-03' }))).toEqual([
    'published_on must not be later than tomorrow, 2026-10-02, is "2026-10-03".',
  ]);
});

test('names that do not exist are told with those that look like them, the endorser beside the others', async () => {
  expect(await problemsOf(endorse('coast-gazete', 'mayro', 'ann'))).toEqual([
    'There is no endorser "coast-gazete". Did you mean coast-gazette?',
    expect.stringMatching(
      /^There is no contest "or-2026-11-03-general\/mayro"\. Did you mean or-2026-11-03-general\/mayor or /,
    ),
  ]);
  expect(await problemsOf(endorse('zzzzzzzz', 'mayor', 'zzzzzzzz'))).toEqual([
    'There is no endorser "zzzzzzzz".',
    'There is no choice "zzzzzzzz".',
  ]);
  const elsewhere = { ...endorse('coast-gazette', 'mayor', 'ann'), contest: 'or-2026-11-04-general/mayor' };
  expect(await problemsOf(elsewhere)).toEqual([
    'There is no election "or-2026-11-04-general". Did you mean or-2026-11-03-general or ca-2026-11-03-general?',
  ]);
});

test('of many unknown choices the first ten are told', async () => {
  const picks = Array.from({ length: 12 }, (_, at) => pick(`nobody-at-all-${String(at).padStart(2, '0')}`));
  const problems = await problemsOf(position('coast-gazette', 'council', [pick('ann'), ...picks]));
  expect(problems).toEqual(picks.slice(0, 10).map((each) => `There is no choice "${each.choice}".`));
});

test('what was removed from the ballot does not exist', async () => {
  await client.query("UPDATE choices SET removed_at = now() WHERE key = 'dee'");
  expect(await problemsOf(endorse('coast-gazette', 'mayor', 'dee'))).toEqual([
    expect.stringContaining('There is no choice "dee".'),
  ]);
  await client.query("UPDATE choices SET removed_at = NULL WHERE key = 'dee'");
});
