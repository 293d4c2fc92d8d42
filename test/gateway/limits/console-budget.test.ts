import { expect, test } from '@jest/globals';
import { AnswerBudget } from '../../../gateway/answers/answer-budget.ts';
import { ConsoleBudget } from '../../../gateway/limits/console-budget.ts';

function createBudget() {
  const clock = { time: 0, now: () => clock.time };
  const answers = new AnswerBudget({ bytes: 1000, bytesOfAccount: 400, smallBytes: 10 });
  const budget = new ConsoleBudget(clock, answers);
  /** Sends requests. @returns how many were admitted */
  const send = (count: number, id: number, accountId = 1): number => {
    let admitted = 0;
    for (let sent = 0; sent < count; sent += 1) if (budget.admit({ id, accountId }) === 0) admitted += 1;
    return admitted;
  };
  return { clock, budget, answers, send };
}

test('INV-15: a session gets 120 requests in a minute, and others get theirs', () => {
  const { send } = createBudget();
  expect(send(400, 1)).toBe(120);
  expect(send(120, 2)).toBe(120);
});

test('INV-15: the sessions of an account get 600 requests in a minute together, and another account gets its own', () => {
  const { send } = createBudget();
  let admitted = 0;
  for (let session = 1; session <= 20; session += 1) admitted += send(120, session);
  expect(admitted).toBe(600);
  expect(send(120, 100, 2)).toBe(120);
});

test('a refused request can be sent again after the time that the refusal names', () => {
  const { clock, budget, send } = createBudget();
  send(120, 1);
  const seconds = budget.admit({ id: 1, accountId: 1 });
  expect(seconds).toBe(1);
  expect(() => budget.require({ id: 1, accountId: 1 })).toThrow(
    expect.objectContaining({ code: 'rate_limit_exceeded', headers: { 'Retry-After': '1' } }),
  );
  clock.time += 1000 * seconds;
  expect(send(10, 1)).toBe(2);
  clock.time += 60_000;
  expect(send(400, 1)).toBe(120);
});

test('a refused request takes nothing of the account', () => {
  const { send } = createBudget();
  send(10_000, 1);
  expect(send(120, 2) + send(120, 3) + send(120, 4) + send(120, 5)).toBe(480);
});

test('INV-15: an account that has not taken its pages waits, and its programs do not hold it up', () => {
  const { answers, send } = createBudget();
  answers.reserve({ share: 1, bytes: 400, canRefuse: true });
  expect(send(1, 1)).toBe(1);
  const release = answers.reserve({ share: 'console 1', bytes: 400, canRefuse: false });
  expect([send(1, 1), send(1, 2, 2)]).toEqual([0, 1]);
  release();
  expect(send(1, 1)).toBe(1);
});
