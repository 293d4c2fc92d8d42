import { expect, test } from '@jest/globals';
import { topicNames } from '../../kafka/topic-names.ts';

test('the topics have the names that platform teams know', () => {
  expect(topicNames()).toEqual({
    submissions: 'endorsement-submissions',
    rejected: 'endorsement-submissions-rejected',
    changes: 'endorsement-changes',
  });
});

test('a prefix keeps installations apart', () => {
  expect(topicNames('a.')).toEqual({
    submissions: 'a.endorsement-submissions',
    rejected: 'a.endorsement-submissions-rejected',
    changes: 'a.endorsement-changes',
  });
});
