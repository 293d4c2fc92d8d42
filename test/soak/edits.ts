import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../ops/demo/random.ts';
import { loadCatalogue } from '../helpers/ballots/catalogue.ts';
import { createEdit } from './ballot.ts';
import type { Cluster } from './cluster.ts';

/** The longest pause between two edits, in milliseconds. */
const MAX_PAUSE_MS = 6000;

/** Edits the catalogue repeatedly, as `catalog import` does. @returns the number of edits */
export async function editAgainAndAgain(
  { databaseUrl }: Cluster,
  random: Random,
  over: AbortSignal,
): Promise<number> {
  for (let edits = 0; ; edits += 1) {
    await sleep(random.below(MAX_PAUSE_MS), undefined, { signal: over }).catch(() => {});
    if (over.aborted) return edits;
    await loadCatalogue(databaseUrl, createEdit(edits, random));
  }
}
