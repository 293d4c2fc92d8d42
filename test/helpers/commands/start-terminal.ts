import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { topicNames } from '../../../kafka/topic-names.ts';
import { findFreePort } from '../../../ops/local/servers/ports.ts';
import { submitAll } from '../../../ops/submit/submit-all.ts';
import type { Submission } from '../../../schemas/submission.ts';
import { type Brokers, plaintextBrokers } from '../../../service/brokers.ts';
import type { Answer } from '../service/service.ts';
import { until } from '../until.ts';

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 90_000;
const SHOWN_CHARACTERS = 4000;

/** Each `npm start` that runs. A test run that is killed ends them. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const npm of running) npm.kill('SIGKILL');
});

/** A terminal in which `npm start` runs, on its own DATA_DIR and ports and without the demo. */
export class StartTerminal {
  readonly env: Record<string, string>;
  readonly base: string;
  #npm: ChildProcess | null = null;
  /** The output of the current `npm start`. */
  output = '';

  private constructor(env: Record<string, string>) {
    this.env = env;
    this.base = `http://127.0.0.1:${env.PORT}`;
  }

  static async open(dataDir: string): Promise<StartTerminal> {
    const { PATH = '', HOME = '' } = process.env;
    const [port, metricsPort] = [await findFreePort(), await findFreePort()];
    const ports = { PORT: String(port), METRICS_PORT: String(metricsPort) };
    return new StartTerminal({ PATH, HOME, DATA_DIR: dataDir, DEMO: '0', ...ports });
  }

  /** Starts `npm start`. */
  spawn(...args: string[]): void {
    this.output = '';
    const npm = spawn('npm', ['start', ...args], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [npm.stdout, npm.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        this.output += bytes;
      });
    }
    running.add(npm);
    npm.once('exit', () => running.delete(npm));
    this.#npm = npm;
  }

  /** Starts `npm start`, and waits until it reports that everything is up. */
  async start(...args: string[]): Promise<void> {
    this.spawn(...args);
    const isUp = () => {
      if (this.hasEnded()) throw new Error(`npm start ended:\n${this.output}`);
      return this.output.includes('Ctrl-C stops');
    };
    await this.until('npm start is up', isUp, START_TIMEOUT_MS);
  }

  /** Waits as `until` does. Its error has what the terminal shows last. */
  async until(...[what, ...rest]: Parameters<typeof until>): Promise<void> {
    await until(what, ...rest).catch((cause: Error) => {
      throw new Error(`${cause.message} npm start printed last:\n${this.output.slice(-SHOWN_CHARACTERS)}`);
    });
  }

  hasEnded(): boolean {
    return this.#npm === null || this.#npm.exitCode !== null || this.#npm.signalCode !== null;
  }

  /** Sends SIGINT only to npm. */
  interrupt(): void {
    this.#npm?.kill('SIGINT');
  }

  /** Interrupts npm, and waits until it has ended. */
  async stop(): Promise<void> {
    if (this.hasEnded()) return;
    this.interrupt();
    await until('npm start ends', () => this.hasEnded(), STOP_TIMEOUT_MS);
  }

  /** Ends npm at once; the supervisor then ends by itself. Call it after a failed test. */
  async kill(): Promise<void> {
    if (this.hasEnded() || this.#npm === null) return;
    const ended = once(this.#npm, 'exit');
    this.#npm.kill('SIGKILL');
    await ended;
  }

  file(...names: string[]): string {
    return path.join(this.env.DATA_DIR ?? '', ...names);
  }

  /** The running servers. */
  async servers(): Promise<{ databaseUrl: string; brokers: Brokers }> {
    const { DATABASE_URL = '', KAFKA_BROKERS = '' } = parseEnv(
      await readFile(this.file('run', 'service.env'), 'utf8'),
    );
    return { databaseUrl: DATABASE_URL, brokers: plaintextBrokers(KAFKA_BROKERS.split(',')) };
  }

  async submit(submissions: Submission[]): Promise<void> {
    const { brokers } = await this.servers();
    await submitAll({ brokers, topic: topicNames('').submissions, submissions });
  }

  /** Asks the gateway with the key that `npm start` prints. */
  async get(pathAndQuery: string): Promise<Pick<Answer, 'status' | 'body'>> {
    const key = (await readFile(this.file('demo.key'), 'utf8')).trim();
    const response = await fetch(`${this.base}${pathAndQuery}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    return { status: response.status, body: await response.json() };
  }

  /** All events that are readable now. */
  async events(): Promise<Answer['body'][]> {
    const data: Answer['body'][] = [];
    for (let query = 'from=earliest'; ; ) {
      const { status, body } = await this.get(`/v1/events?${query}&limit=1000`);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
      data.push(...body.data);
      if (!body.has_more) return data;
      query = `cursor=${body.next_cursor}`;
    }
  }

  /** Waits until the events' statements end with these, and returns all events. */
  async eventsOnceTheyEndWith(...statements: string[]): Promise<Answer['body'][]> {
    let events: Answer['body'][] = [];
    const end = async () => {
      events = await this.events().catch(() => []);
      const last = events.slice(-statements.length).map(({ endorsement }) => endorsement.statement);
      return JSON.stringify(last) === JSON.stringify(statements);
    };
    await until(`events ${statements.join(', ')}`, end, START_TIMEOUT_MS);
    return events;
  }

  async isReady(): Promise<boolean> {
    const answer = fetch(`${this.base}/readyz`, { signal: AbortSignal.timeout(2000) });
    return answer.then(({ ok }) => ok).catch(() => false);
  }
}
