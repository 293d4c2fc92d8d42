import { afterEach, expect, jest, test } from '@jest/globals';
import { waitFor } from '../../service/wait-for.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a clock that is set forward, as at the start of a machine, does not end a wait', async () => {
  let calls = 0;
  const probe = async () => {
    calls += 1;
    jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2126, 0));
    return calls === 3 ? 'ready' : null;
  };
  await expect(waitFor('It', probe, { timeoutMs: 60_000, everyMs: 1 })).resolves.toBe('ready');
});
