import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { afterEach, expect, test } from '@jest/globals';
import { readPidFile, stopProcess, writePidFile } from '../../../../ops/local/processes/pid-files.ts';
import {
  claimRunDir,
  knownProcesses,
  noteStopping,
  releaseRunDir,
  writeServiceEnv,
} from '../../../../ops/local/processes/run-files.ts';
import { OperatorError } from '../../../../service/operator-error.ts';
import { readEnv, readServiceUrl } from '../../../../service/running-service.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

const inFolder = useFolder();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A process whose command line contains `marker`, once it listens to signals. */
async function startChild(marker: string, code = ''): Promise<ChildProcess & { pid: number }> {
  const script = `${code}; setInterval(() => {}, 1000); console.log('ready')`;
  const child = spawn(process.execPath, ['-e', script, marker], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child as typeof child & { pid: number };
}

const gentle = { signal: 'SIGTERM', graceMs: 10_000 } as const;

test('a process ends by the chosen signal', async () => {
  const child = await startChild('this-one');
  const exited = once(child, 'exit');
  await stopProcess(child.pid, { ...gentle, marker: 'this-one' });
  expect(await exited).toEqual([null, 'SIGTERM']);
});

test('a process that ignores the signal is killed when its time is up', async () => {
  const child = await startChild('this-one', `process.on('SIGTERM', () => {})`);
  const exited = once(child, 'exit');
  await stopProcess(child.pid, { ...gentle, graceMs: 100, marker: 'this-one' });
  expect(await exited).toEqual([null, 'SIGKILL']);
});

test('another process with a reused id is left alone', async () => {
  const child = await startChild('another');
  await stopProcess(child.pid, { ...gentle, marker: 'this-one' });
  await writePidFile(inFolder(), 'gateway', child.pid);
  expect(await readPidFile(inFolder(), 'gateway', 'this-one')).toBeNull();
  expect(await readPidFile(inFolder(), 'gateway', 'another')).toBe(child.pid);
  expect(child.exitCode ?? child.signalCode).toBeNull();
});

test("a start stops an earlier start's processes, and no others", async () => {
  const runDir = inFolder('leftovers');
  const [mine, other] = await Promise.all([startChild('gateway-here'), startChild('somebody-else')]);
  await writePidFile(runDir, 'gateway', mine.pid);
  await writePidFile(runDir, 'consumers', other.pid);
  const known = [
    { name: 'gateway', marker: 'gateway-here', stopSignal: 'SIGTERM' as const },
    { name: 'consumers', marker: 'consumers-here', stopSignal: 'SIGTERM' as const },
  ];
  const exited = once(mine, 'exit');
  const lines: string[] = [];
  await claimRunDir(runDir, known, (line) => lines.push(line));
  await exited;
  expect(lines).toEqual([`Stopping gateway (process ${mine.pid}), which an earlier start left running.`]);
  expect(other.exitCode ?? other.signalCode).toBeNull();
  await releaseRunDir(runDir, known);
});

test("a start stops an earlier version's programs, which run from another folder", async () => {
  const runDir = inFolder('upgrade');
  const old = await startChild('/srv/releases/old/gateway/main.ts');
  await writePidFile(runDir, 'gateway', old.pid);
  const known = knownProcesses(inFolder());
  const exited = once(old, 'exit');
  await claimRunDir(runDir, known, () => undefined);
  old.kill('SIGKILL');
  expect(await exited).toEqual([null, 'SIGTERM']);
  await releaseRunDir(runDir, known);
});

test('a second start on the same folder is refused while the first is alive', async () => {
  const runDir = inFolder('claimed');
  const supervisor = await startChild('ops/local/start.ts');
  await writePidFile(runDir, 'supervisor', supervisor.pid);
  await expect(claimRunDir(runDir, [], () => undefined)).rejects.toThrow(`process ${supervisor.pid}`);
  const exited = once(supervisor, 'exit');
  supervisor.kill('SIGKILL');
  await exited;
  await claimRunDir(runDir, [], () => undefined);
});

test('of several concurrent starts, one claims the folder, even after a killed one', async () => {
  const runDir = inFolder('at-once');
  const module = JSON.stringify(path.resolve('ops/local/processes/run-files.ts'));
  const begin = inFolder('begin');
  // Each waits for the file, so that all begin at the same time.
  const script = `
    const { claimRunDir } = await import(${module});
    const { existsSync } = await import('node:fs');
    console.log('ready');
    while (!existsSync('${begin}')) {}
    const claimed = claimRunDir(${JSON.stringify(runDir)}, [], () => {});
    console.log(await claimed.then(() => 'claimed', (error) => error.message));
    setInterval(() => {}, 1000);`;
  for (const stale of [null, 'killed']) {
    if (stale !== null) await writePidFile(runDir, 'supervisor', 2 ** 22 + 1);
    const starts = Array.from({ length: 4 }, () => {
      const args = ['--input-type=module', '-e', script, 'ops/local/start.ts'];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() };
    });
    for (const { lines } of starts) expect((await lines.next()).value).toBe('ready');
    await writeFile(begin, '');
    const answers: string[] = [];
    for (const { lines } of starts) answers.push((await lines.next()).value ?? '');
    expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(1);
    const claimer = starts[answers.indexOf('claimed')]?.child.pid;
    const refusal = expect.stringContaining('The service already runs on');
    expect(answers.filter((answer) => answer !== 'claimed')).toEqual([refusal, refusal, refusal]);
    expect(await readPidFile(runDir, 'supervisor', 'ops/local/start.ts')).toBe(claimer);
    expect(await readdir(runDir)).toEqual(['supervisor.pid']);
    await rm(begin);
    const exits = starts.map(({ child }) => once(child, 'exit'));
    for (const { child } of starts) child.kill('SIGKILL');
    await Promise.all(exits);
  }
});

test('a waiting start keeps its claim when the stopping one releases the folder', async () => {
  const runDir = inFolder('handed-over');
  const next = await startChild('ops/local/start.ts');
  await claimRunDir(runDir, [], () => undefined);
  noteStopping(runDir);
  await writePidFile(runDir, 'supervisor', next.pid);
  await releaseRunDir(runDir, []);
  expect(await readdir(runDir)).toEqual(['supervisor.pid']);
  await expect(claimRunDir(runDir, [], () => undefined)).rejects.toThrow(`process ${next.pid}`);
});

test('a start reports and waits for a stopping supervisor', async () => {
  const runDir = inFolder('stopping');
  const supervisor = await startChild('ops/local/start.ts');
  await writePidFile(runDir, 'supervisor', supervisor.pid);
  noteStopping(runDir);
  const lines: string[] = [];
  const said = Promise.withResolvers<void>();
  let isClaimed = false;
  const claimed = claimRunDir(runDir, [], (line) => {
    lines.push(line);
    said.resolve();
  }).then(() => {
    isClaimed = true;
  });
  await said.promise;
  expect(lines).toEqual([
    `Waiting for the service on ${inFolder()} (process ${supervisor.pid}), which is stopping ...`,
  ]);
  expect(isClaimed).toBe(false);
  supervisor.kill('SIGKILL');
  await claimed;
  expect(await readPidFile(runDir, 'supervisor', '')).toBe(process.pid);
});

test('an interrupt ends the wait for a stopping supervisor', async () => {
  const runDir = inFolder('interrupted');
  const supervisor = await startChild('ops/local/start.ts');
  await writePidFile(runDir, 'supervisor', supervisor.pid);
  noteStopping(runDir);
  const interrupt = new AbortController();
  const claimed = claimRunDir(runDir, [], () => interrupt.abort(), interrupt.signal);
  await expect(claimed).rejects.toMatchObject({ name: 'AbortError' });
});

test('an unusable DATA_DIR is reported in one sentence', async () => {
  const file = inFolder('a-file');
  await writeFile(file, '');
  for (const dataDir of [file, path.join(file, 'below'), '/dev/null/x']) {
    const claimed = claimRunDir(path.join(dataDir, 'run'), [], () => undefined);
    await expect(claimed).rejects.toEqual(
      new OperatorError(
        `DATA_DIR is "${dataDir}", which cannot be used (not a directory): choose a folder that can be written.`,
      ),
    );
  }
});

// Folders cannot be made where Linux keeps its processes, and existing parents are reported missing.
(existsSync('/proc/self') ? test : test.skip)('a DATA_DIR in /proc is refused at once', async () => {
  const claimed = claimRunDir('/proc/ballot/run', [], () => undefined);
  await expect(claimed).rejects.toThrow('DATA_DIR is "/proc/ballot", which cannot be used');
});

test("other commands read the servers' addresses from service.env, after the environment", async () => {
  const dataDir = inFolder('service');
  const url = "postgres://user:p'w@host/db?a=1&b=2";
  await writeServiceEnv(path.join(dataDir, 'run'), {
    DATABASE_URL: url,
    KAFKA_BROKERS: 'a:1',
    RETENTION_MS: '5000',
    WEBHOOK_SECRET_KEY_FILE: "/Ann's data/key",
  });
  const read = readEnv({ DATA_DIR: dataDir });
  expect(read).toMatchObject({
    DATABASE_URL: url,
    KAFKA_BROKERS: 'a:1',
    RETENTION_MS: '5000',
    WEBHOOK_SECRET_KEY_FILE: "/Ann's data/key",
  });
  // The settings of topics differ on another Kafka.
  const other = readEnv({ DATA_DIR: dataDir, KAFKA_BROKERS: 'b:2' });
  expect([other.KAFKA_BROKERS, other.RETENTION_MS]).toEqual(['b:2', undefined]);
});

test('an address that no quotes can hold has its apostrophes encoded in service.env', async () => {
  const dataDir = inFolder('encoded');
  const url = "postgres://user:$p'w@host/db";
  await writeServiceEnv(path.join(dataDir, 'run'), { DATABASE_URL: url });
  expect(readEnv({ DATA_DIR: dataDir }).DATABASE_URL).toBe(url.replace("'", '%27'));
});

test('the address of the service comes from the settings, else from the running service', async () => {
  const dataDir = inFolder('address');
  const running = { DATABASE_URL: 'postgres://h/d', PORT: '8090' };
  expect(readServiceUrl({ DATA_DIR: dataDir })).toBe('http://localhost:8080');
  await writeServiceEnv(path.join(dataDir, 'run'), running);
  expect(readServiceUrl({ DATA_DIR: dataDir })).toBe('http://localhost:8090');
  await writeServiceEnv(path.join(dataDir, 'run'), { ...running, PUBLIC_URL: 'https://a.example.org' });
  expect(readServiceUrl({ DATA_DIR: dataDir })).toBe('https://a.example.org');
  expect(readServiceUrl({ DATA_DIR: dataDir, PORT: '8091' })).toBe('http://localhost:8091');
  await writeServiceEnv(path.join(dataDir, 'run'), { ...running, HOST: '10.0.0.7' });
  expect(readServiceUrl({ DATA_DIR: dataDir })).toBe('http://10.0.0.7:8090');
  expect(readServiceUrl({ DATA_DIR: dataDir, PORT: '8091', HOST: '::1' })).toBe('http://[::1]:8091');
  expect(readServiceUrl({ DATA_DIR: dataDir, PORT: '8091', HOST: '0.0.0.0' })).toBe('http://localhost:8091');
  const PUBLIC_URL = 'https://b.example.org';
  expect(readServiceUrl({ DATA_DIR: dataDir, PORT: '8091', PUBLIC_URL })).toBe(PUBLIC_URL);
  expect(readServiceUrl({ DATA_DIR: dataDir, DATABASE_URL: 'postgres://other/d' })).toBe(
    'http://localhost:8080',
  );
});

test('a pid file with another content means no process', async () => {
  await writeFile(inFolder('broken.pid'), 'x1');
  expect(await readPidFile(inFolder(), 'broken', '')).toBeNull();
});
