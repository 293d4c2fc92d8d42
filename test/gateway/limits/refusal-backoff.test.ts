import { describe, expect, test } from '@jest/globals';
import { RefusalBackoff } from '../../../gateway/limits/refusal-backoff.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const MINUTE = 60_000;

function start(random = 0) {
  const clock = new ManualClock();
  const backoff = new RefusalBackoff({ clock, random: () => random });
  const waits = (count: number, account = 1) => Array.from({ length: count }, () => backoff.refuse(account));
  return { clock, backoff, waits };
}

describe('the waits of an account that is refused again and again', () => {
  test('double from one second up to five minutes', () => {
    expect(start().waits(11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  test('differ by a fifth, and never fall below one second', () => {
    expect(start(1).waits(11)).toEqual([1, 2, 4, 7, 13, 26, 52, 103, 205, 240, 240]);
  });

  test('begin again after a success', () => {
    const { backoff, waits } = start();
    waits(5);
    backoff.admit(1);
    expect(waits(2)).toEqual([1, 2]);
  });

  test('begin again after ten minutes, and not before', async () => {
    const { clock, waits } = start();
    waits(3);
    await clock.advance(10 * MINUTE - 1);
    expect(waits(1)).toEqual([8]);
    await clock.advance(10 * MINUTE);
    expect(waits(1)).toEqual([1]);
  });

  test('are separate for each account', () => {
    const { waits } = start();
    waits(5);
    expect(waits(1, 2)).toEqual([1]);
  });

  test('INV-15: are kept for 10,000 accounts, those refused last', () => {
    const { backoff, waits } = start();
    for (let account = 1; account <= 10_000; account += 1) backoff.refuse(account);
    expect(waits(1, 1)).toEqual([2]);
    backoff.refuse(10_001);
    expect([waits(1, 1), waits(1, 2)]).toEqual([[4], [1]]);
  });
});
