/* The disk of DATA_DIR is full for a while. It is a small file system in memory for this test. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { readPidFile } from '../../ops/local/processes/pid-files.ts';
import { chooseRunner, inspectMachine } from '../../ops/local/servers/runner.ts';
import { loadCatalogue, SMALL_BALLOT } from '../helpers/ballots/catalogue.ts';
import { endorse } from '../helpers/ballots/submissions.ts';
import { StartTerminal } from '../helpers/commands/start-terminal.ts';
import { exhaustPostgres, SmallDisk } from '../helpers/faults/small-disk.ts';
import { until } from '../helpers/until.ts';

const SIZE_MB = 300;
const BACK_WITHIN_MS = 60_000;
/** A Kafka that hangs is noticed after half a minute, and killed after 20 seconds. */
const MENDED_WITHIN_MS = 120_000;

const isEmbedded = chooseRunner(await inspectMachine()) === 'embedded';
const disk = isEmbedded ? SmallDisk.mount(SIZE_MB) : null;
/** Little enough that the supervisor reports a full disk, and enough for Kafka and Postgres to continue. */
const LEAVE_BYTES = 30_000_000;
/** Enough failed writes to make a killed broker drop the segment at its start. */
const ATTEMPTS = 100;
/** Attempts at a time: each is retried for more than a second. */
const AT_ONCE = 20;
const SKIPPED =
  disk === null ? ' (skipped: no file system can be mounted, or servers run in containers)' : '';
const testOnDisk = disk === null ? test.skip : test;
let terminal: StartTerminal;

afterAll(async () => {
  if (disk === null) return;
  await terminal.stop().catch(() => terminal.kill());
  disk.unmount();
});

/** Submits one statement after another, each until Kafka has acknowledged it. */
class Submitter {
  acknowledged = 0;
  failed = 0;
  #isStopped = false;
  readonly #done = this.#run();

  /** Stops submitting. Resolves after the last attempt. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#done;
  }

  /** Ends with the test, also if that fails. */
  [Symbol.dispose](): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const statement = `Statement ${this.acknowledged}`;
      try {
        await terminal.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement })]);
        this.acknowledged += 1;
      } catch {
        this.failed += 1;
      }
    }
  }
}

/** How often the supervisor has reported something. */
const count = (report: RegExp): number => terminal.output.split(report).length - 1;

/** The supervisor's reports of the whole run. */
const reports = {
  full: /^The disk of \S+ is full: [0-9,]+ bytes are free/m,
  postgres: /^postgres ended/m,
  kafka: /^kafka ended/m,
  log: /^\S+\.log cannot be written \(ENOSPC/m,
  room: /^The disk of \S+ has room again/m,
  mending: /^A full disk can break partitions of Kafka/m,
  hung: /^Kafka does not answer any more/m,
};

testOnDisk(
  `INV-3: npm start survives a full disk; with space again, everything works and nothing is lost${SKIPPED}`,
  async () => {
    terminal = await StartTerminal.open(path.join(disk?.folder ?? '', 'data'));
    await terminal.start();
    const { databaseUrl } = await terminal.servers();
    await loadCatalogue(databaseUrl, SMALL_BALLOT);
    const supervisor = readFileSync(terminal.file('run', 'supervisor.pid'), 'utf8');
    using submitter = new Submitter();
    await until('the first events', async () => (await terminal.events()).length > 5);

    let failure = '';
    const whileFull = (what: string, isSeen: () => boolean) =>
      until(what, async () => {
        disk?.fill();
        failure = await exhaustPostgres(databaseUrl);
        return isSeen();
      }).catch((cause) => {
        throw new Error(`Postgres: ${failure}. npm start: ${terminal.output.slice(-1000)}`, { cause });
      });
    await whileFull('Postgres ends', () => reports.postgres.test(terminal.output));
    const hasKafkaEnded = () => reports.kafka.test(terminal.output);
    await whileFull('Kafka ends, or takes nothing more', () => hasKafkaEnded() || submitter.failed > 0);
    await whileFull('a log cannot be written', () => reports.log.test(terminal.output));
    await whileFull('the supervisor reports the disk', () => count(reports.full) > 0);
    expect(await readPidFile(terminal.file('run'), 'supervisor', 'ops/local/start.ts')).toBe(
      Number(supervisor),
    );
    const acknowledged = submitter.acknowledged;

    disk?.free();
    const freedAt = performance.now();
    const isBack = async () => submitter.acknowledged > acknowledged + 5 && (await terminal.isReady());
    await terminal.until('submissions are taken again', isBack, BACK_WITHIN_MS);
    await submitter.stop();
    const all = Array.from({ length: submitter.acknowledged }, (_, index) => `Statement ${index}`);
    const events = await terminal.eventsOnceTheyEndWith(...all.slice(-1));
    expect(performance.now() - freedAt).toBeLessThan(BACK_WITHIN_MS);
    expect(events.map(({ endorsement }) => endorsement.statement)).toEqual(all);
    await promisify(execFile)('npm', ['run', 'ops', '--', 'stream', 'check'], { env: terminal.env });

    expect(count(reports.full)).toBe(1);
    await until('the room is reported', () => reports.room.test(terminal.output));
    // Unwritten pid files were written later.
    const marker = terminal.file('kafka', 'server.properties');
    await until(
      'the pid file',
      async () => (await readPidFile(terminal.file('run'), 'kafka', marker)) !== null,
    );
  },
  300_000,
);

/** The index of the partition with submissions. */
function findIndex(): string {
  const folder = terminal.file('kafka', 'data');
  const logs = readdirSync(folder)
    .filter((name) => /^endorsement-submissions-\d+$/.test(name))
    .map((name) => path.join(folder, name, '00000000000000000000.log'));
  const largest = logs.reduce((one, other) => (statSync(one).size > statSync(other).size ? one : other));
  return largest.replace(/log$/, 'index');
}

/** Breaks the partition of an index: its next page finds no space. */
async function breakPartition(index: string, isTaken: () => Promise<boolean>): Promise<void> {
  const bytes = readFileSync(index);
  truncateSync(index);
  await until('the partition takes nothing more', async () => !(await isTaken()));
  writeFileSync(index, bytes, { flag: 'r+' });
}

testOnDisk(
  `INV-3: a partition broken by a full disk takes submissions again once there is space${SKIPPED}`,
  async () => {
    const before = (await terminal.events()).length;
    const reported = count(reports.full);
    const mended = count(reports.mending);
    const statements: string[] = [];
    const isTaken = async () => {
      const statement = `Later statement ${statements.length}`;
      try {
        await terminal.submit([endorse('bakers-local-1', 'mayor', 'ann', { statement })]);
        statements.push(statement);
        return true;
      } catch {
        return false;
      }
    };
    // Stops applying, so that only Kafka has the acknowledged submissions once there is space again.
    const consumers = Number(readFileSync(terminal.file('run', 'consumers.pid'), 'utf8'));
    process.kill(consumers, 'SIGSTOP');
    try {
      await breakPartition(findIndex(), isTaken);
      expect(readFileSync(terminal.file('kafka', 'kafka.log'), 'utf8')).toContain('java.lang.InternalError');
      for (let i = 0; i < ATTEMPTS; i += AT_ONCE) {
        expect(await Promise.all(Array.from({ length: AT_ONCE }, isTaken))).not.toContain(true);
      }

      disk?.fill({ leave: LEAVE_BYTES });
      await until('the full disk is reported', () => count(reports.full) > reported);
      disk?.free();
      await until('the supervisor waits', () => count(reports.mending) > mended);
    } finally {
      process.kill(consumers, 'SIGCONT');
    }
    await terminal.until('submissions are taken again', isTaken, MENDED_WITHIN_MS);
    const events = await terminal.eventsOnceTheyEndWith(...statements.slice(-1));
    const told = events.slice(before).map(({ endorsement }) => endorsement.statement);
    // The fault makes a few brokers hang. Such a broker is killed, and can drop what was not applied.
    const isLossy = count(reports.hung) > 0;
    expect(isLossy ? told.slice(-1) : told).toEqual(isLossy ? statements.slice(-1) : statements);
  },
  300_000,
);
