import vm from 'node:vm';
import { expect, test } from '@jest/globals';
import { DEFECT, refuseForError } from '../../consumers/apply/submission-fault.ts';
import { KafkaUnavailableError, SupersededError } from '../../service/failure.ts';

const withState = (code: string) => Object.assign(new Error('refused'), { code });

test.each(['22021', '23514', '54000'])('the database refuses a submission with SQLSTATE %s', (state) => {
  expect(refuseForError(withState(state))).toEqual({
    code: 'unstorable',
    message: `The database refuses it (SQLSTATE ${state}).`,
  });
});

test.each([
  ['an error of this realm', new TypeError('x is undefined')],
  ['an error of another realm', vm.runInNewContext('new TypeError("x is undefined")')],
  ['an error of another kind', new URIError('URI malformed')],
])('%s thrown by JavaScript is a defect, and the submission is refused', (_, error) => {
  expect(refuseForError(error)).toBe(DEFECT);
});

test.each([
  ['a lost connection', withState('08006')],
  ['a lock that is taken', withState('55P03')],
  ['a code that only contains 23', withState('42301')],
  ['an outage of Kafka', new KafkaUnavailableError('away')],
  ['another process', new SupersededError('moved')],
  ['an error of our own', new Error('no')],
  ['nothing', undefined],
  ['null', null],
  ['a text', 'TypeError'],
])('%s does not refuse a submission', (_, error) => {
  expect(refuseForError(error)).toBeUndefined();
});
