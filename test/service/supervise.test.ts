import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type Clock, systemClock } from '../../service/clock.ts';
import { type SupervisedProcess, supervise } from '../../service/supervise.ts';
import { until } from '../helpers/until.ts';

interface Fake extends SupervisedProcess {
  end(how: string): void;
  stopped: boolean;
}

function createFake(): Fake {
  const { promise, resolve } = Promise.withResolvers<string>();
  const fake: Fake = {
    exited: promise,
    end: resolve,
    stopped: false,
    async stop() {
      fake.stopped = true;
      resolve('stopped');
    },
  };
  return fake;
}

/** A clock that a test moves. A wait also moves it, and ends at once. */
class FakeClock implements Clock {
  time = 0;
  readonly waits: number[] = [];
  readonly schedule = systemClock.schedule;
  now() {
    return this.time;
  }
  async wait(ms: number) {
    this.waits.push(ms);
    this.time += ms;
  }
}

/** A process to keep running, with a record of the events. Its starts throw `failures` in turn. */
function createWorld(failures: Array<Error | null> = []) {
  const started: Fake[] = [];
  const lines: string[] = [];
  const waiting: Array<() => void> = [];
  const clock = new FakeClock();
  const start = async () => {
    const failure = failures.shift();
    if (failure) throw failure;
    const fake = createFake();
    started.push(fake);
    for (const resolve of waiting.splice(0)) resolve();
    return fake;
  };
  return {
    clock,
    lines,
    started,
    options: { name: 'gateway', start, clock, report: (line: string) => void lines.push(line) },
    /** Lets the current process run for `ms` milliseconds, ends it, and waits for the next. */
    async endAfter(ms: number) {
      const next = new Promise<void>((resolve) => waiting.push(resolve));
      clock.time += ms;
      started.at(-1)?.end('exit code 1');
      await next;
      // Lets the supervisor record the start of this process.
      await setImmediate();
    },
  };
}

test('an ended process is restarted within two seconds, and a line reports how it ended', async () => {
  const { started, lines, clock, options, endAfter } = createWorld();
  const keeper = await supervise(options);
  await endAfter(60_000);
  expect(started).toHaveLength(2);
  expect(clock.waits[0]).toBeLessThan(2000);
  expect(lines).toEqual(['gateway ended (exit code 1); starting it again.']);
  await keeper.stop();
  expect(keeper.current()).toBe(started[1]);
  expect(started[1]?.stopped).toBe(true);
});

test('the wait of a process that keeps ending doubles, up to ten seconds, until it has run for a while', async () => {
  const { clock, options, endAfter } = createWorld();
  const keeper = await supervise(options);
  for (let i = 0; i < 9; i += 1) await endAfter(0);
  expect(clock.waits).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000, 10_000]);
  await endAfter(5000);
  expect(clock.waits.at(-1)).toBe(100);
  await keeper.stop();
});

test('a later start that fails is reported and retried, after a longer wait', async () => {
  const { started, lines, clock, options, endAfter } = createWorld([null, new Error('no room'), null]);
  const keeper = await supervise(options);
  await endAfter(60_000);
  expect(started).toHaveLength(2);
  expect(lines).toContain('gateway could not be started again: no room');
  expect(clock.waits).toEqual([100, 200]);
  await keeper.stop();
});

test('the caller gets the error of a failed first start', async () => {
  await expect(supervise(createWorld([new Error('no room')]).options)).rejects.toThrow('no room');
});

test('a restart ends the process, and the next one starts after it has fully ended', async () => {
  const { started, lines, options } = createWorld();
  const keeper = await supervise(options);
  const removed = Promise.withResolvers<void>();
  const [first] = started;
  if (!first) throw new Error('Nothing was started.');
  first.stop = async () => {
    first.end('exit code 143');
    await removed.promise;
  };
  const restarted = keeper.restart();
  await setImmediate();
  expect(started).toHaveLength(1);
  removed.resolve();
  await restarted;
  await until('the next one', () => keeper.current() !== first);
  expect(started).toHaveLength(2);
  expect(lines).toEqual(['gateway ended (exit code 143); starting it again.']);
  await keeper.stop();
});

test('a restart does not disturb a process that is already restarting', async () => {
  const { started, options } = createWorld();
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const keeper = await supervise({
    ...options,
    start: async () => {
      const fake = await options.start();
      if (started.length === 2) {
        begun.resolve();
        await finish.promise;
      }
      return fake;
    },
  });
  started[0]?.end('exit code 1');
  await begun.promise;
  await keeper.restart();
  expect(started.map((fake) => fake.stopped)).toEqual([false, false]);
  finish.resolve();
  await keeper.stop();
});

test('a stop ends the wait for the next start and prevents it', async () => {
  const { started, options } = createWorld();
  const waiting = Promise.withResolvers<void>();
  const clock: Clock = {
    ...systemClock,
    wait: async (_, signal) => {
      waiting.resolve();
      await once(signal, 'abort');
    },
  };
  const keeper = await supervise({ ...options, clock });
  started[0]?.end('exit code 1');
  await waiting.promise;
  await keeper.stop();
  expect(started).toHaveLength(1);
});

test('a stop during a start stops the new process', async () => {
  const { started, options } = createWorld();
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  let starts = 0;
  const keeper = await supervise({
    ...options,
    start: async () => {
      starts += 1;
      if (starts === 2) {
        begun.resolve();
        await finish.promise;
      }
      return options.start();
    },
  });
  started[0]?.end('exit code 1');
  await begun.promise;
  const stopped = keeper.stop();
  finish.resolve();
  await stopped;
  expect(started.map((fake) => fake.stopped)).toEqual([true, true]);
});
