import { LRUCache } from 'lru-cache';
import type { Language } from '../../schemas/vocabulary.ts';
import type { DatabasePool } from '../../store/connection/read-pool.ts';
import {
  type ListedElection,
  loadBallotPicks,
  loadBallots,
  loadElections,
} from '../../store/reads/ballots.ts';
import type { DataState } from '../../store/reads/data-watch.ts';
import { type ElectionBallot, packBallots } from './election-ballot.ts';
import { ElectionList } from './election-list.ts';
import { KeptElection } from './kept-election.ts';

/** A request for ballots. */
export interface BallotRequest {
  /** The database that the request reads. */
  pool: DatabasePool;
  /** The state of its data that the ballots must show, or a later one. */
  state: DataState;
  lang: Language;
}

interface Server {
  name: number;
  elections: ElectionList;
}

/**
 * Keeps the ballots of elections in memory, those of each database for itself: another database can show more or less
 * (INV-1). The least recently used ones are dropped first.
 */
export class BallotMemory {
  readonly #kept: LRUCache<string, KeptElection>;
  readonly #servers = new WeakMap<DatabasePool, Server>();
  #names = 0;

  /** @param maxBytes the memory for ballots. A larger ballot is not kept. */
  constructor(maxBytes: number) {
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** The approximate memory of the ballots, in bytes. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * The ballots of the chosen elections that have contests, by the election's date and slug, each one when it is asked
   * for. Throws the errors of the database.
   */
  async *ofElections(
    request: BallotRequest,
    isChosen: (election: ListedElection) => boolean,
  ): AsyncGenerator<ElectionBallot> {
    const { name, elections } = this.#serverOf(request.pool);
    for (const election of await elections.at(request.state)) {
      if (!isChosen(election)) continue;
      const key = keyOf(name, election, request);
      const kept = this.#kept.get(key) ?? this.#keep(key, election, request);
      const ballot = await this.#read(key, kept, request.state);
      if (ballot) yield ballot;
    }
  }

  /**
   * The ballots that have these contests: whole ones from memory, or ones that have only these contests. Rejects with the
   * errors of the database.
   */
  async ofContests(request: BallotRequest, contests: readonly number[]): Promise<ElectionBallot[]> {
    const { name, elections } = this.#serverOf(request.pool);
    const missing = new Set(contests);
    const found: [key: string, kept: KeptElection][] = [];
    for (const election of await elections.at(request.state)) {
      const key = keyOf(name, election, request);
      const kept = this.#kept.peek(key);
      const present = kept && [...missing].filter((id) => kept.has(id, request.state));
      if (!kept || !present?.length) continue;
      found.push([key, kept]);
      // It is used now.
      this.#kept.get(key);
      for (const id of present) missing.delete(id);
    }
    if (missing.size > 0) return packBallots(await loadBallots(request.pool, { contests }, request.lang));
    const ballots: ElectionBallot[] = [];
    for (const [key, kept] of found) {
      const ballot = await this.#read(key, kept, request.state);
      if (ballot) ballots.push(ballot);
    }
    return ballots;
  }

  async #read(key: string, kept: KeptElection, state: DataState): Promise<ElectionBallot | null> {
    const found = kept.find(state);
    if (found !== undefined) return found;
    const ballot = await kept.load();
    // The cache measures a value only once under its key.
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return ballot;
  }

  #serverOf(pool: DatabasePool): Server {
    const known = this.#servers.get(pool);
    if (known) return known;
    this.#names += 1;
    const server = { name: this.#names, elections: new ElectionList(() => loadElections(pool)) };
    this.#servers.set(pool, server);
    return server;
  }

  /** Keeps an election before it is loaded, so that requests share the load. */
  #keep(key: string, { id }: ListedElection, { pool, lang }: BallotRequest): KeptElection {
    const kept = new KeptElection({
      loadBallot: () => loadBallots(pool, { election: id }, lang),
      loadPicks: (contests) => loadBallotPicks(pool, contests, lang),
    });
    this.#kept.set(key, kept);
    return kept;
  }
}

const keyOf = (server: number, { id }: ListedElection, { lang }: BallotRequest): string =>
  `${server} ${lang} ${id}`;
