import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import { createIo, createRunner } from '../commands/command-io.ts';
import { readPages } from '../http/paging.ts';
import type { Answer, TestService } from '../service/service.ts';

const runCatalog = createRunner('catalog');
const runRejected = createRunner('rejected');
const runSubmit = createRunner('submit');

const FOLDER = path.resolve(import.meta.dirname, '../../../../shared/data');

/** Whether the folder with real ballot data exists beside the project, which does not include it. */
export const hasRealData = existsSync(path.join(FOLDER, 'endorser-categories.ndjson'));

/** The name of a group of tests on real data, with the reason if it is skipped. */
export function titleOnRealData(title: string): string {
  return hasRealData ? title : `${title} (skipped: there is no folder ../shared/data)`;
}

/** A file or folder of the real data. */
export const realPath = (name: string): string => path.join(FOLDER, name);

const CATALOGUE = ['endorser-categories.ndjson', '2018-primaries', 'sf-2016'];
const ENDORSEMENTS = ['2018-primaries/endorsements.ndjson', 'sf-2016/endorsements.ndjson'];

/** A line of a file of endorsements. */
export interface EndorsementLine {
  endorser: string;
  contest: string;
  choice: string;
  source_url: string | null;
}

/** Every endorsement of both files, in their order. */
export async function readEndorsementLines(): Promise<EndorsementLine[]> {
  const texts = await Promise.all(ENDORSEMENTS.map((name) => readFile(path.join(FOLDER, name), 'utf8')));
  return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));
}

/** Names choices as clients see them: by contest key and choice key, "election contest-title choice-label". */
async function readChoiceNames(): Promise<(line: EndorsementLine) => string> {
  const names = new Map<string, string>();
  for (const folder of ['2018-primaries', 'sf-2016']) {
    const text = await readFile(path.join(FOLDER, folder, 'contests.ndjson'), 'utf8');
    for (const line of text.trim().split('\n')) {
      const { key: contest, election, title, choices } = JSON.parse(line);
      for (const { key, label } of choices) names.set(`${contest} ${key}`, `${election} ${title} ${label}`);
    }
  }
  return ({ contest, choice }) => names.get(`${contest} ${choice}`) ?? `unknown ${contest} ${choice}`;
}

const ioOf = (service: TestService) => createIo(service.env('ops'));

/** Loads the real elections, contests and endorsers with `catalog import`. */
export async function importRealCatalogue(service: TestService): Promise<void> {
  const paths = CATALOGUE.map((name) => path.join(FOLDER, name));
  expect(await runCatalog(['import', ...paths], ioOf(service))).toBe(0);
}

/** Submits both files of endorsements with `submit`. */
export async function submitRealEndorsements(service: TestService): Promise<void> {
  const io = ioOf(service);
  expect(
    await runSubmit(
      ENDORSEMENTS.map((name) => path.join(FOLDER, name)),
      io,
    ),
  ).toBe(0);
  expect(io.printed).toEqual(['4,483 submissions sent']);
}

/** The names in an endorsement of a list, or in an event. */
const namesIn = ({ endorser, choice, election, contest }: Answer['body']) => ({
  endorser: endorser.slug as string,
  choice: `${election.slug} ${contest.title} ${choice.label}`,
});

/**
 * Compares the service with both files. Every endorsement must be readable or rejected for a true reason. The stream
 * must have exactly one creation for each readable one, in the order of each endorser's submissions.
 */
export async function expectRealEndorsements(service: TestService): Promise<void> {
  const lines = await readEndorsementLines();
  // The only data that the interface cannot show: a source other than a URL.
  const isGood = ({ source_url }: EndorsementLine) => source_url === null || /^https?:\/\//i.test(source_url);
  const good = lines.filter(isGood);
  expect([lines.length, good.length]).toEqual([4483, 4469]);
  const events = await service.eventsOnceThereAre(good.length, 120_000);
  expect(events.map(({ type }) => type)).toEqual(good.map(() => 'endorsement.created'));
  expect(new Set(events.map(({ id }) => id)).size).toBe(good.length);
  expect(new Set(events.map(({ endorsement }) => endorsement.id)).size).toBe(good.length);
  const nameOf = await readChoiceNames();
  const streamed = events.map(namesIn);
  for (const slug of new Set(good.map(({ endorser }) => endorser))) {
    const ofEndorser = ({ endorser }: { endorser: string }) => endorser === slug;
    expect(streamed.filter(ofEndorser).map(({ choice }) => choice)).toEqual(
      good.filter(ofEndorser).map(nameOf),
    );
  }
  const texts = (list: { endorser: string; choice: string }[]) =>
    list.map(({ endorser, choice }) => `${endorser} ${choice}`).sort();
  const listed = await readPages(service, '/v1/endorsements', 500);
  expect(texts(listed.map(namesIn))).toEqual(texts(streamed));

  const io = ioOf(service);
  expect(await runRejected(['list', '--all'], io)).toBe(0);
  const rejected = io.printed.map((line) => JSON.parse(line));
  const bad = lines.filter((line) => !isGood(line));
  const name = (line: { endorser: string; contest: string }, choice: string) =>
    `${line.endorser} ${line.contest} ${choice}`;
  expect(rejected.map((line) => name(line, line.picks[0])).sort()).toEqual(
    bad.map((line) => name(line, line.choice)).sort(),
  );
  for (const { code, message } of rejected) {
    expect([code, message]).toEqual([
      'invalid_submission',
      'source_url must be an http or https address of at most 2,000 characters, is "Private e-mail".',
    ]);
  }
}
