import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { INHERITED_ENV } from '../helpers/service/inherited-env.ts';
import { until } from '../helpers/until.ts';

/** Starts a program that takes `stopMs` milliseconds to stop. */
async function startProgram(stopMs: number): Promise<{ child: ChildProcess; output: () => string }> {
  const source = `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { stopOnSignal } from './service/lifecycle.ts';
    import { createLog } from './service/log.ts';
    const stop = async () => { await sleep(${stopMs}); console.log('drained'); };
    stopOnSignal({ stop }, createLog('test', 'silent'));
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { env: INHERITED_ENV });
  let text = '';
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes;
  });
  await until('the program to be ready', () => text.includes('ready'));
  return { child, output: () => text };
}

test('repeated copies of one signal, as npm and terminals send them, stop the program in order', async () => {
  const { child, output } = await startProgram(500);
  const exited = once(child, 'exit');
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) child.kill(signal);
  expect(await exited).toEqual([0, null]);
  expect(output()).toContain('drained');
});

test('a later signal ends a stopping program at once', async () => {
  const { child, output } = await startProgram(60_000);
  const startedAt = performance.now();
  await until('the program to end', () => {
    child.kill('SIGTERM');
    return child.exitCode !== null;
  });
  expect([child.exitCode, output()]).toEqual([1, 'ready\n']);
  expect(performance.now() - startedAt).toBeGreaterThan(900);
});
