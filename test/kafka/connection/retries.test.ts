import { expect, test } from '@jest/globals';
import { TopicError, withRetries } from '../../../kafka/connection/retries.ts';

/** Fails once. @returns what was done */
async function retry(error: Error): Promise<string[]> {
  const done: string[] = [];
  const action = async () => {
    done.push('act');
    if (done.length === 1) throw error;
  };
  await withRetries(action, () => done.push('prepare')).catch(() => done.push('give up'));
  return done;
}

test('an action is retried if an error allows it, also from within another that says nothing of it', async () => {
  const again = ['act', 'prepare', 'act'];
  const passing = new TopicError('The leader moves.', true);
  const within = new AggregateError([passing], 'The request has failed.');
  expect(await Promise.all([passing, within].map(retry))).toEqual([again, again]);
});

test('no attempt begins later than the time for retries after the first, which pauses do not prolong', async () => {
  let attempts = 0;
  const action = async () => {
    attempts += 1;
    throw new TopicError('The leader moves.', true);
  };
  // The second attempt begins after 100 ms, and the third one would begin after 300 ms.
  await expect(withRetries(action, () => {}, 250)).rejects.toThrow('The leader moves.');
  expect(attempts).toBe(2);
});

test('an action that fails for good is not retried', async () => {
  const lasting = new TopicError('There is no such topic.', false);
  const within = new AggregateError([lasting], 'The request has failed.');
  expect(await Promise.all([lasting, within].map(retry))).toEqual([
    ['act', 'give up'],
    ['act', 'give up'],
  ]);
});
