import { expect, test } from '@jest/globals';
import { topicNames } from '../../kafka/topic-names.ts';

test('the topics have their published names', () => {
  expect(topicNames()).toEqual({
    submissions: 'endorsement-submissions',
    rejected: 'endorsement-submissions-rejected',
    changes: 'endorsement-changes',
  });
});

test('a prefix separates installations', () => {
  expect(topicNames('a.')).toEqual({
    submissions: 'a.endorsement-submissions',
    rejected: 'a.endorsement-submissions-rejected',
    changes: 'a.endorsement-changes',
  });
});
