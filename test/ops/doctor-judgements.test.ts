/** The judgements of the doctor that need no server. */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { failed, ok } from '../../administration/health/finding.ts';
import { MissingRightError, type Right } from '../../kafka/connection/rights.ts';
import type { Role } from '../../kafka/connection/role-rights.ts';
import { judgeExpiry, readExpiry } from '../../ops/doctor/certificates.ts';
import { describeError, examine, examineAs, inTime, NoAnswerError } from '../../ops/doctor/examine.ts';
import { OperatorError } from '../../service/operator-error.ts';

describe('a certificate', () => {
  const NOW = Date.parse('2026-11-03T12:00:00Z');
  const DAY_MS = 24 * 60 * 60 * 1000;
  beforeEach(() => {
    jest.spyOn(Date, 'now').mockReturnValue(NOW);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const judge = (ms: number) => judgeExpiry('Kafka TLS', 'The certificate of a:1', new Date(NOW + ms));

  test.each([
    [-DAY_MS, 'failed', 'The certificate of a:1 expired on 2026-11-02: renew it.'],
    [-1, 'failed', 'The certificate of a:1 expired on 2026-11-03: renew it.'],
    [0, 'warning', 'The certificate of a:1 expires on 2026-11-03, in 0 days: renew it before.'],
    [
      21 * DAY_MS - 1,
      'warning',
      'The certificate of a:1 expires on 2026-11-24, in 20 days: renew it before.',
    ],
    [21 * DAY_MS, 'ok', 'The certificate of a:1 is valid until 2026-11-24.'],
  ])('that ends in %i milliseconds is judged as %s', (ms, status, text) => {
    expect(judge(ms)).toEqual({ status, subject: 'Kafka TLS', text });
  });

  test('is not there without TLS', () => {
    for (const socket of [{}, null, undefined]) expect(readExpiry(socket)).toBeNull();
  });
});

describe('a check', () => {
  const fine = [ok('topics', 'Fine.')];
  const right: Right = { operation: 'Read', resource: 'topic', name: 'changes' };

  test('that fails becomes a failed finding, with the sentence of the operator or the error itself', async () => {
    expect(await examine('topics', async () => fine)).toEqual(fine);
    const fails = (error: unknown) => examine('topics', () => Promise.reject(error));
    expect(await fails(new OperatorError('Start the broker.'))).toEqual([
      failed('topics', 'Start the broker.'),
    ]);
    expect(await fails(new TypeError('a defect'))).toEqual([
      failed('topics', 'The check itself fails: a defect'),
    ]);
    expect(describeError(new Error(''))).toBe('The check itself fails: Error');
  });

  test.each<[Role[], string]>([
    [['gateway'], 'ok'],
    [['gateway', 'relay'], 'ok'],
    [['ops'], 'failed'],
    [['gateway', 'ops'], 'failed'],
  ])(
    'that needs the rights of ops is left out without them, with the settings of %j',
    async (roles, status) => {
      expect(await examineAs(roles, 'topics', async () => fine)).toEqual(fine);
      const lacking = () => Promise.reject(new MissingRightError(right, new Error('refused')));
      expect(await examineAs(roles, 'topics', lacking)).toMatchObject([{ status, subject: 'topics' }]);
      const broken = () => Promise.reject(new Error('a defect'));
      expect(await examineAs(roles, 'topics', broken)).toMatchObject([{ status: 'failed' }]);
    },
  );

  test('without an answer in time ends with a sentence that names the server and the seconds', async () => {
    const never = new Promise<never>(() => {});
    await expect(inTime(never, 'Kafka at a:1', 20)).rejects.toThrow(NoAnswerError);
    await expect(inTime(never, 'Kafka at a:1', 20)).rejects.toThrow(
      'Kafka at a:1 gave no answer within 0 s: check the server and the way to it.',
    );
    expect(await inTime(Promise.resolve(7), 'Kafka', 20)).toBe(7);
  });
});
