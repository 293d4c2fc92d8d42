import { expect, test } from '@jest/globals';
import { describeMissingTopic, findMissingTopic } from '../../service/missing-topic.ts';

test('the topic that Kafka does not know is found in the error of its client, and in no other error', () => {
  const error = Object.assign(new Error('Unknown topic blue-changes.'), { code: 'PLT_KFK_USER' });
  expect(findMissingTopic(error)).toBe('blue-changes');
  expect(describeMissingTopic('blue-changes')).toBe(
    'There is no topic blue-changes: "npm run ops -- topics apply" creates it',
  );
  for (const other of [
    new Error('Unknown topic blue-changes.'),
    Object.assign(new Error('Unknown topic.'), { code: 'PLT_KFK_USER' }),
    Object.assign(new Error('Unknown topic a b.'), { code: 'PLT_KFK_USER' }),
  ]) {
    expect(findMissingTopic(other)).toBeNull();
  }
});
