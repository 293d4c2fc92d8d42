/** Producers of other systems, for tests of hostile and unusual producers. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { findKafkaJars } from '../../../ops/local/servers/kafka/jars.mjs';
import type { Brokers } from '../../../service/brokers.ts';

export const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type Codec = (typeof CODECS)[number];

export interface OutsideRecord {
  partition: number;
  key: Buffer | null;
  value: Buffer | null;
  headers?: Record<string, string>;
  /** Milliseconds since 1970; by default the client's clock. */
  timestamp?: number;
}

/** A record's place in its topic. */
export interface Place {
  partition: number;
  offset: number;
}

interface ProducerSettings {
  codec?: Codec;
  idempotent?: boolean;
  transactionalId?: string;
}

export interface OutsideProducer {
  /** Resolves with the records' places when Kafka has them. */
  send(records: readonly OutsideRecord[]): Promise<Place[]>;
  begin(): Promise<void>;
  commit(): Promise<void>;
  abort(): Promise<void>;
  close(): Promise<void>;
}

export interface OutsideClient {
  open(settings?: ProducerSettings): Promise<OutsideProducer>;
  stop(): Promise<void>;
}

interface Answer {
  id: number;
  places?: [number, number][];
  error?: string;
}

/**
 * A client in its own program. The program reads a request from each line of its standard input and answers with a
 * line: both are JSON, with bytes in base64.
 */
class ProgramClient implements OutsideClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<Answer>>();
  #requests = 0;
  #producers = 0;

  constructor(command: string, args: string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.on('exit', (code) => this.#fail(`${command} ended with exit code ${code}.`));
    this.#child.on('error', (error) => this.#fail(`${command} cannot run: ${error.message}`));
    if (this.#child.stdout) {
      createInterface({ input: this.#child.stdout }).on('line', (line) => {
        const answer = JSON.parse(line) as Answer;
        this.#waiting.get(answer.id)?.resolve(answer);
        this.#waiting.delete(answer.id);
      });
    }
  }

  async open(settings: ProducerSettings = {}): Promise<OutsideProducer> {
    this.#producers += 1;
    const producer = `${this.#producers}`;
    const ask = (method: string, values: object = {}) => this.#ask({ producer, method, ...values });
    await ask('open', settings);
    return {
      async send(records) {
        const { places = [] } = await ask('send', { records: records.map(encodeRecord) });
        return places.map(([partition, offset]) => ({ partition, offset }));
      },
      begin: async () => void (await ask('begin')),
      commit: async () => void (await ask('commit')),
      abort: async () => void (await ask('abort')),
      close: async () => void (await ask('close')),
    };
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.stdin?.end();
    await once(this.#child, 'exit');
  }

  async #ask(request: object): Promise<Answer> {
    this.#requests += 1;
    const id = this.#requests;
    const waiting = Promise.withResolvers<Answer>();
    this.#waiting.set(id, waiting);
    this.#child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
    const answer = await waiting.promise;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }

  #fail(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }
}

function encodeRecord({ key, value, ...rest }: OutsideRecord): object {
  return { ...rest, key: key?.toString('base64') ?? null, value: value?.toString('base64') ?? null };
}

const HOSTILE = path.resolve('test', 'hostile');

/** Whether Java can run a program from its source. */
export function hasJavaCompiler(): boolean {
  const { stdout } = spawnSync('java', ['--list-modules'], { encoding: 'utf8' });
  return stdout?.includes('jdk.compiler@') ?? false;
}

/** Java's own client, in the version of the broker. */
export async function startJavaClient(brokers: Brokers, topic: string): Promise<OutsideClient> {
  const libs = path.join(await findKafkaJars(), '*');
  const source = path.join(HOSTILE, 'JavaProducer.java');
  return new ProgramClient('java', ['-Xmx256m', '-cp', libs, source, brokers.addresses.join(','), topic]);
}

/** @param python the Python of an environment that has confluent-kafka */
export function startConfluentClient(python: string, brokers: Brokers, topic: string): OutsideClient {
  const source = path.join(HOSTILE, 'confluent_producer.py');
  return new ProgramClient(python, [source, brokers.addresses.join(','), topic]);
}
