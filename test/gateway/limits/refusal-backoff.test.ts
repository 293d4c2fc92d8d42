import { describe, expect, test } from '@jest/globals';
import { RefusalBackoff } from '../../../gateway/limits/refusal-backoff.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const MINUTE = 60_000;

function start(random = 0) {
  const clock = new ManualClock();
  const backoff = new RefusalBackoff({ clock, random: () => random });
  /** The waits of a client that returns after each of them; the last one still runs. */
  const waits = async (count: number, account = 1) => {
    const all: number[] = [];
    while (all.length < count) {
      if (all.length > 0) await clock.advance(1000 * Number(all.at(-1)));
      all.push(backoff.refuse(account));
    }
    return all;
  };
  return { clock, backoff, waits };
}

describe('the waits of an account that is refused again and again', () => {
  test('double from one second up to five minutes', async () => {
    expect(await start().waits(11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  test('differ by a fifth, and never fall below one second', async () => {
    expect(await start(1).waits(11)).toEqual([1, 2, 4, 7, 13, 26, 52, 103, 205, 240, 240]);
  });

  test('do not double for other clients that are refused during a wait', async () => {
    const { clock, backoff, waits } = start();
    expect(await waits(3)).toEqual([1, 2, 4]);
    const refuse = (count: number) => Array.from({ length: count }, () => backoff.refuse(1));
    await clock.advance(3999);
    expect(refuse(50)).toEqual(Array(50).fill(4));
    await clock.advance(1);
    expect(refuse(50)).toEqual(Array(50).fill(8));
    await clock.advance(8000);
    expect(refuse(2)).toEqual([16, 16]);
  });

  test('begin again after a success', async () => {
    const { backoff, waits } = start();
    await waits(5);
    backoff.admit(1);
    expect(await waits(2)).toEqual([1, 2]);
  });

  test('begin again after ten minutes, and not before', async () => {
    const { clock, waits } = start();
    await waits(3);
    await clock.advance(10 * MINUTE - 1);
    expect(await waits(1)).toEqual([8]);
    await clock.advance(10 * MINUTE);
    expect(await waits(1)).toEqual([1]);
  });

  test('are separate for each account', async () => {
    const { waits } = start();
    await waits(5);
    expect(await waits(1, 2)).toEqual([1]);
  });

  test('INV-15: are kept for 10,000 accounts, those refused last', async () => {
    const { clock, backoff, waits } = start();
    for (let account = 1; account <= 10_000; account += 1) backoff.refuse(account);
    await clock.advance(1000);
    expect(await waits(1, 1)).toEqual([2]);
    backoff.refuse(10_001);
    await clock.advance(2000);
    expect([await waits(1, 1), await waits(1, 2)]).toEqual([[4], [1]]);
  });
});
