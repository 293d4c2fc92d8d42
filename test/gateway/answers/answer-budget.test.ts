import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { AnswerBudget } from '../../../gateway/answers/answer-budget.ts';
import { collectGarbage } from '../../helpers/collect-garbage.ts';
import { metricValue } from '../../helpers/service/metrics.ts';

const LIMITS = { bytes: 1000, bytesOfAccount: 400, smallBytes: 10 };
const [ANN, BOB, CYD] = [1, 2, 3];
const read = (share: number, bytes: number, shared?: object) => ({
  share,
  bytes,
  shared,
  canRefuse: true,
});
const codeOf = (action: () => unknown): string => {
  try {
    action();
    return 'allowed';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('INV-15: an account', () => {
  test('gets one answer of any size, and no other before it has taken it', () => {
    const budget = new AnswerBudget(LIMITS);
    const release = budget.reserve(read(ANN, 900));
    expect(codeOf(() => budget.requireShare(ANN))).toBe('too_many_requests_in_flight');
    expect(codeOf(() => budget.reserve(read(ANN, 11)))).toBe('too_many_requests_in_flight');
    expect(codeOf(() => budget.requireShare(BOB))).toBe('allowed');
    release();
    expect(codeOf(() => budget.requireShare(ANN))).toBe('allowed');
    expect(codeOf(() => budget.reserve(read(ANN, 1001)))).toBe('allowed');
  });

  test('fills its share with several answers, exactly', () => {
    const budget = new AnswerBudget(LIMITS);
    budget.reserve(read(ANN, 300));
    expect(codeOf(() => budget.reserve(read(ANN, 101)))).toBe('too_many_requests_in_flight');
    expect(codeOf(() => budget.requireShare(ANN))).toBe('allowed');
    budget.reserve(read(ANN, 100));
    expect(codeOf(() => budget.requireShare(ANN))).toBe('too_many_requests_in_flight');
  });

  test('is refused a large answer when the gateway has no room, whatever it has itself', () => {
    const budget = new AnswerBudget(LIMITS);
    budget.reserve(read(ANN, 900));
    expect(codeOf(() => budget.reserve(read(BOB, 101)))).toBe('server_busy');
    budget.reserve(read(BOB, 100));
    expect(codeOf(() => budget.reserve(read(CYD, 11)))).toBe('server_busy');
  });

  test('gets small answers and answers to changes even so; they count', () => {
    const budget = new AnswerBudget(LIMITS);
    budget.reserve(read(ANN, 1000));
    expect(codeOf(() => budget.reserve(read(BOB, 10)))).toBe('allowed');
    expect(codeOf(() => budget.reserve({ share: CYD, bytes: 500, canRefuse: false }))).toBe('allowed');
    expect(budget.bytes).toBe(1510);
  });
});

test('INV-15: answers without an account have one share, except for the bytes that they share', () => {
  const budget = new AnswerBudget(LIMITS);
  const file = {};
  const page = (bytes: number, shared?: object) => ({ share: null, bytes, shared, canRefuse: true });
  for (let index = 0; index < 5; index += 1) budget.reserve(page(500, file));
  expect(budget.bytes).toBe(500);
  const releases = [200, 200].map((bytes) => budget.reserve(page(bytes)));
  expect(codeOf(() => budget.requireShare(null))).toBe('allowed');
  expect(codeOf(() => budget.reserve(page(11)))).toBe('server_busy');
  expect(codeOf(() => budget.reserve(page(10)))).toBe('allowed');
  expect(codeOf(() => budget.reserve(page(500, file)))).toBe('allowed');
  expect(codeOf(() => budget.reserve(read(ANN, 50)))).toBe('allowed');
  for (const release of releases) release();
  expect(codeOf(() => budget.reserve(page(390)))).toBe('allowed');
});

test('bytes that answers share count once for the gateway, until the last one is taken', async () => {
  const budget = new AnswerBudget(LIMITS);
  const before = await metricValue('answers_in_flight_bytes');
  const shared = {};
  const first = budget.reserve(read(ANN, 300, shared));
  const second = budget.reserve(read(BOB, 300, shared));
  expect(budget.bytes).toBe(300);
  expect(await metricValue('answers_in_flight_bytes')).toBe(before + 300);
  first();
  expect(budget.bytes).toBe(300);
  const third = budget.reserve(read(CYD, 300, shared));
  second();
  third();
  expect(budget.bytes).toBe(0);
  expect(await metricValue('answers_in_flight_bytes')).toBe(before);
});

test('whatever is reserved and released in whatever order, exactly the rest counts, and no bound is passed', () => {
  const shared = [undefined, {}, {}];
  const step = fc.record({
    account: fc.constantFrom(ANN, BOB, CYD),
    bytes: fc.nat(500),
    sharing: fc.nat(2),
    releases: fc.option(fc.nat(20)),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = new AnswerBudget({ ...LIMITS, smallBytes: 0 });
      const open: { account: number; bytes: number; sharing: number; release: () => void }[] = [];
      const sum = (answers: { bytes: number }[]) => answers.reduce((total, { bytes }) => total + bytes, 0);
      for (const { account, sharing, releases, ...step } of steps) {
        // Answers that share bytes have the same size.
        const bytes = sharing > 0 ? 100 * sharing : step.bytes;
        const before = budget.bytes;
        const outcome = codeOf(() => {
          const release = budget.reserve(read(account, bytes, shared[sharing]));
          open.push({ account, bytes, sharing, release });
        });
        if (outcome === 'allowed') expect(budget.bytes <= LIMITS.bytes || before === 0).toBe(true);
        if (releases !== null) open.splice(releases % (open.length + 1), 1)[0]?.release();

        const own = open.filter((answer) => answer.sharing === 0);
        const once = [1, 2].flatMap((number) => open.find((answer) => answer.sharing === number) ?? []);
        expect(budget.bytes).toBe(sum([...own, ...once]));
        for (const each of [ANN, BOB, CYD]) {
          const hasShare = sum(open.filter((answer) => answer.account === each)) < LIMITS.bytesOfAccount;
          expect(codeOf(() => budget.requireShare(each))).toBe(
            hasShare ? 'allowed' : 'too_many_requests_in_flight',
          );
        }
      }
    }),
  );
});

test('bytes that no answer shares any more are not kept', async () => {
  const budget = new AnswerBudget(LIMITS);
  let shared: object | undefined = {};
  const kept = new WeakRef(shared);
  budget.reserve(read(ANN, 100, shared))();
  shared = undefined;
  await collectGarbage();
  expect(kept.deref()).toBeUndefined();
  expect(budget.bytes).toBe(0);
});
