import { LRUCache } from 'lru-cache';
import type { ClientBase } from 'pg';
import {
  type ElectionEntry,
  type ElectionIndex,
  type IndexedContest,
  indexContest,
  joinContests,
} from '../../intake/matching/catalogue-index.ts';
import type { Match } from '../../intake/matching/grade.ts';
import {
  type ElectionMatch,
  type ElectionText,
  matchElection,
} from '../../intake/matching/match-election.ts';
import {
  type EndorserEntry,
  type EndorserIndex,
  indexEndorsers,
  matchEndorser,
} from '../../intake/matching/match-endorser.ts';
import type { FindAlias } from '../../intake/matching/match-row.ts';
import { createContestFinder } from '../../intake/matching/row-contests.ts';
import type { Alias } from '../../schemas/alias-files.ts';
import { createLruCache } from '../../service/lru-cache.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readPages } from '../../service/read-pages.ts';
import { loadAliases } from '../../store/intake/aliases.ts';
import { loadContests, loadElections, loadEndorsers } from '../../store/intake/catalogue.ts';

/** The most elections, endorsers and decisions that are held in memory, and choices of elections at a time. */
const MAX_ELECTIONS = 20_000;
const MAX_ENDORSERS = 200_000;
const MAX_ALIASES = 200_000;
const MAX_CHOICES = 200_000;
/** The most names of endorsers and of elections whose matches are remembered. */
const MAX_NAMES = 20_000;
const ALIAS_PAGE = 10_000;

/** An election prepared for matching, and the search of its contests. */
interface LoadedElection {
  index: ElectionIndex;
  find: ReturnType<typeof createContestFinder>;
}

/** The parts of the catalogue and the decisions that rows are matched with. */
export interface Sources {
  endorsers: EndorserIndex;
  matchEndorser(text: string): Match<EndorserEntry>;
  matchElection(text: ElectionText): ElectionMatch;
  findAlias: FindAlias;
  /** Makes a decision count for the rows that follow, or none about its name. */
  learn(alias: Alias): void;
  unlearn(alias: Alias): void;
  /** Loads an election's contests; elections in use stay in memory. */
  loadElection(election: ElectionEntry): Promise<LoadedElection>;
  /** Finds a contest by its key. */
  findContest(key: string): Promise<IndexedContest | null>;
}

function refuseMany(count: number, most: number, records: string): void {
  if (count <= most) return;
  throw new OperatorError(
    `The catalogue has more than ${most.toLocaleString('en-US')} ${records}, which a table cannot be matched with: ` +
      'send the endorsements as NDJSON.',
  );
}

function remember<T extends object>(cache: LRUCache<string, T>, key: string, make: () => T): T {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = make();
  cache.set(key, made);
  return made;
}

const aliasId = (kind: string, scope: string, text: string) => `${kind}\n${scope}\n${text}`;

/** The decisions of the common list and, before these, of the account. */
async function loadDecisions(client: ClientBase, accountId: number | null): Promise<Map<string, string>> {
  const decisions = new Map<string, string>();
  for (const list of accountId === null ? [null] : [null, accountId]) {
    const aliases = readPages((after) => loadAliases(client, list, { after, limit: ALIAS_PAGE }));
    for await (const { kind, scope, text, key } of aliases) {
      decisions.set(aliasId(kind, scope, text), key);
      refuseMany(decisions.size, MAX_ALIASES, 'remembered decisions');
    }
  }
  return decisions;
}

/**
 * @param from.accountId the account whose decisions count, before the common ones; null for these alone
 * @param from.endorsers those that rows can mean; by default all of the catalogue
 * @param from.pause awaited while contests are prepared, so that a process can do its other work
 * @throws OperatorError if the catalogue is too large to match names with
 */
export async function loadSources(
  client: ClientBase,
  {
    accountId,
    endorsers: given,
    pause,
  }: { accountId: number | null; endorsers?: readonly EndorserEntry[]; pause?(): Promise<void> },
): Promise<Sources> {
  const elections = await loadElections(client, MAX_ELECTIONS + 1);
  refuseMany(elections.length, MAX_ELECTIONS, 'elections');
  const entries = given ?? (await loadEndorsers(client, MAX_ENDORSERS + 1));
  refuseMany(entries.length, MAX_ENDORSERS, 'endorsers');
  const endorsers = indexEndorsers(entries);
  const decisions = await loadDecisions(client, accountId);
  const bySlug = new Map(elections.map((election) => [election.slug, election]));
  const endorserMatches = createLruCache<string, Match<EndorserEntry>>(MAX_NAMES);
  const electionMatches = createLruCache<string, ElectionMatch>(MAX_NAMES);
  const loaded = new LRUCache<string, LoadedElection>({ maxSize: MAX_CHOICES });

  async function loadElection(election: ElectionEntry): Promise<LoadedElection> {
    const known = loaded.get(election.slug);
    if (known) return known;
    const indexed: IndexedContest[] = [];
    for (const contest of await loadContests(client, election.slug)) {
      indexed.push(indexContest(contest, election));
      await pause?.();
    }
    const index = joinContests(election, indexed);
    const size = index.contests.reduce((sum, { choices }) => sum + choices.length + 1, 1);
    const made = { index, find: createContestFinder(index) };
    loaded.set(election.slug, made, { size: Math.min(size, MAX_CHOICES) });
    return made;
  }

  return {
    endorsers,
    matchEndorser: (text) =>
      remember(endorserMatches, text, () => matchEndorser(endorsers, text, given !== undefined)),
    matchElection: (text) =>
      remember(electionMatches, JSON.stringify([text.election, text.date, text.state]), () =>
        matchElection(elections, text),
      ),
    findAlias: (kind, scope, text) =>
      text === '' ? null : (decisions.get(aliasId(kind, scope, text)) ?? null),
    learn({ kind, scope, text, key }) {
      decisions.set(aliasId(kind, scope, text), key);
    },
    unlearn({ kind, scope, text }) {
      decisions.delete(aliasId(kind, scope, text));
    },
    loadElection,
    async findContest(key) {
      const election = bySlug.get(key.split('/', 1)[0] ?? '');
      return election ? ((await loadElection(election)).index.byKey.get(key) ?? null) : null;
    },
  };
}
