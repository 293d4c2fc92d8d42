import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  BallotEndorsements,
  type EndorsementFilter,
  MemoryStorage,
  type Mirror,
} from '../../clients/typescript/src/index.ts';
import { FileStorage } from '../../clients/typescript/src/mirror/file-storage.ts';
import { keepRecord } from '../../clients/typescript/src/mirror/record.ts';
import { SqliteStorage } from '../../clients/typescript/src/mirror/sqlite-storage.ts';
import type { Random } from '../../ops/demo/random.ts';
import { queryOf } from '../helpers/stream/copies.ts';
import { chooseFilter } from './ballot.ts';

export interface MirrorsPlan {
  name: string;
  count: number;
  /** Addresses of the gateways; each request goes to any of them. */
  bases: string[];
  key: string;
  random: Random;
}

/** Copies of the TypeScript client in every kind of storage, during the whole soak. */
export class SoakMirrors {
  readonly #plan: MirrorsPlan;
  readonly #client: BallotEndorsements;
  readonly #stopping = new AbortController();
  readonly #connections = new Set<AbortController>();
  readonly #mirrors: { name: string; filter: Record<string, readonly string[]>; mirror: Mirror }[] = [];
  readonly #failures: string[] = [];
  readonly #runs: Promise<void>[] = [];

  constructor(plan: MirrorsPlan) {
    this.#plan = plan;
    const { key: apiKey, bases } = plan;
    this.#client = new BallotEndorsements({
      baseUrl: bases[0] ?? '',
      apiKey,
      timeoutMs: 5000,
      fetch: (address, init) => this.#fetch(String(address), init ?? {}),
    });
  }

  async start(): Promise<void> {
    const { name, count, random } = this.#plan;
    const folder = await mkdtemp(path.join(os.tmpdir(), 'ballot-soak-mirrors-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const storages = [
      () => new MemoryStorage(),
      (file: string) => new FileStorage(`${file}.json`),
      (file: string) => new SqliteStorage(`${file}.sqlite`),
    ];
    for (let index = 0; index < count; index += 1) {
      // The first one matches everything.
      const { types: _, ...filter } = index === 0 ? {} : chooseFilter(random);
      const storage = storages[index % storages.length]?.(path.join(folder, String(index)));
      const mirror = this.#client.mirror({
        filter: filter as EndorsementFilter,
        ...(storage && { storage }),
      });
      const own = `mirror ${name}/${index}`;
      this.#mirrors.push({ name: own, filter, mirror });
      const run = mirror.run({ signal: this.#stopping.signal });
      this.#runs.push(run.catch((error) => void this.#failures.push(`${own}: it ended with ${error}.`)));
    }
  }

  /** Cuts all their connections. */
  cut(): void {
    for (const connection of this.#connections) connection.abort();
  }

  /** Compares every copy with the service's digest and its list. */
  async judge(): Promise<{ faults: string[]; mirrors: number }> {
    const faults: string[] = [];
    for (const { name, filter, mirror } of this.#mirrors) {
      const verified = await mirror.verify().catch((error: unknown) => ({ ok: false, error: String(error) }));
      if (!verified.ok) faults.push(`${name}: its copy is not verified: ${JSON.stringify(verified)}.`);
      const [copy, list] = [[] as unknown[], [] as unknown[]];
      for await (const record of mirror.records()) copy.push(record);
      for await (const record of this.#client.exportEndorsements(filter)) list.push(keepRecord(record));
      const differs = !isDeepStrictEqual(copy, list);
      if (differs) faults.push(`${name}: its copy of ${queryOf(filter)} differs from the list.`);
    }
    this.#stopping.abort();
    await Promise.all(this.#runs);
    return { faults: [...this.#failures, ...faults], mirrors: this.#mirrors.length };
  }

  /** Sends a request to any gateway, on a connection that can be cut. */
  async #fetch(address: string, init: RequestInit): Promise<Response> {
    const { bases, random } = this.#plan;
    const connection = new AbortController();
    this.#connections.add(connection);
    const { signal } = init;
    signal?.addEventListener('abort', () => {
      this.#connections.delete(connection);
      connection.abort();
    });
    const other = address.replace(bases[0] ?? '', random.pick(bases));
    return fetch(other, { ...init, signal: connection.signal });
  }
}
