import { formatRow, TABLE_START } from '../../../intake/tables/cells.ts';
import { CONTEST_KINDS, LEVELS } from '../../../schemas/vocabulary.ts';
import {
  countOwnContests,
  listOwnContests,
  listOwnEndorsements,
  measureOwnEndorsements,
  type OwnContest,
  type OwnEndorsement,
} from '../../../store/console/own-positions.ts';
import { Select, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { InBoth, Spanish } from '../explorer/ballot-text.ts';
import { HistoryLink } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { definePage, type PageRequest, type ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { electionOption, listElections, listEndorsers } from '../publishing/own-position.ts';
import { readRowId } from '../row-id.ts';

const ON_PAGE = 50;
const MAX_PAGES = 1000;

const formatPicks = (picks: OwnContest['picks']): string =>
  picks.map(({ label, rank }) => (rank === null ? label : `${rank}. ${label}`)).join('; ');

function ContestRow({ item, endorser }: { item: OwnContest; endorser: string }): Html {
  const address = `/console/endorsements/${item.id}?${new URLSearchParams({ endorser })}`;
  return html`
    <tr>
      <th scope="row"><a href=${address}>${item.title}</a>${item.title_es && html`<div><${Spanish}>${item.title_es}<//></div>`}</th>
      <td><${InBoth} text=${item.district} spanish=${item.district_es} /></td>
      <td>${item.picks.length === 0 ? html`<span class="muted">no position</span>` : formatPicks(item.picks)}</td>
      <td><${HistoryLink} endorser=${endorser} contest=${item.id} of=${`${item.title}, ${item.district}`} /></td>
    </tr>`;
}

const SHOWN = {
  '': { label: 'All', isTaken: null },
  missing: { label: 'Without a position', isTaken: false },
  taken: { label: 'With a position', isTaken: true },
} as const;

interface ContestFilter {
  show: keyof typeof SHOWN;
  /** Empty for all, like the others. */
  level: string;
  kind: string;
  q: string;
}

/** The filter in an address. Values that the page does not offer count as missing. */
function readFilter(query: URLSearchParams): ContestFilter {
  const oneOf = (name: string, values: readonly string[]) =>
    values.find((value) => value === query.get(name)) ?? '';
  return {
    show: oneOf('show', Object.keys(SHOWN)) as ContestFilter['show'],
    level: oneOf('level', LEVELS),
    kind: oneOf('kind', CONTEST_KINDS),
    q: (query.get('q') ?? '').replaceAll('\0', '').trim(),
  };
}

async function showList(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const { query } = request;
  const { pool } = context;
  const title = 'Our endorsements';
  const endorsers = await listEndorsers(request, context);
  const endorser = endorsers.find(({ slug }) => slug === query.get('endorser')) ?? endorsers[0];
  if (!endorser) {
    return {
      title,
      body: html`<p>This account may not publish for any endorser yet. Ask an operator of the service to allow it.</p>`,
    };
  }
  const wanted = query.get('election');
  const elections = await listElections(pool, context, wanted);
  const election =
    elections.find(({ slug }) => slug === wanted) ??
    elections.find(({ state }) => state === endorser.state) ??
    elections[0];
  if (!election) return { title, body: html`<p>No election is coming up.</p>` };
  const filter = readFilter(query);
  const page = Math.min(readRowId(query.get('page')) ?? 1, MAX_PAGES);
  const subject = { endorser: endorser.slug, election: election.slug };
  const counts = await countOwnContests(pool, subject);
  const { show, level, kind, q: contains } = filter;
  const contests = await listOwnContests(pool, {
    ...{ ...subject, isTaken: SHOWN[show].isTaken, level, kind, contains },
    ...{ limit: ON_PAGE + 1, offset: (page - 1) * ON_PAGE },
  });
  const next = new URLSearchParams({ ...subject, ...filter, page: `${page + 1}` });
  return {
    title,
    body: html`
      <form class="filters" method="get">
        <${Select} label="Endorser" name="endorser" options=${endorsers.map(({ slug, name }) => [slug, name])} chosen=${endorser.slug} />
        <${Select} label="Election" name="election" options=${elections.map(electionOption)} chosen=${election.slug} />
        <${Select} label="Contests" name="show" options=${Object.entries(SHOWN).map(([value, { label }]) => [value, label])} chosen=${show} />
        <${Select} label="Level" name="level" options=${LEVELS.map((value) => [value, value])} chosen=${level} none="All" />
        <${Select} label="Kind" name="kind" options=${CONTEST_KINDS.map((value) => [value, value])} chosen=${kind} none="All" />
        <label>Contest or place contains <input type="search" name="q" value=${contains} /></label>
        <button>Show</button>
      </form>
      <p><a href="/console/endorsements/uploads">Upload a table</a></p>
      <p>${number.format(counts.all - counts.taken)} of ${number.format(counts.all)} contests are without a position of ${endorser.name}.</p>
      <p><a href=${`/console/endorsements.csv?${new URLSearchParams(subject)}`}>These endorsements as CSV</a> · <a href="/console/endorsements.csv">All endorsements of the account as CSV</a></p>
      <${Table} caption=${election.name} head=${['Contest', 'Place', 'Position', 'History']} empty="There is no such contest.">
        ${contests.slice(0, ON_PAGE).map((item) => html`<${ContestRow} item=${item} endorser=${endorser.slug} />`)}
      <//>
      ${contests.length > ON_PAGE && html`<p><a class="button" href=${`?${next}`}>Next contests</a></p>`}`,
  };
}

const FILE_PAGE = 500;
/** The largest file, in characters. */
const MAX_FILE = 16_000_000;
/** The columns, by names that `submit` knows. */
const COLUMNS = {
  endorser: 'endorser',
  election: 'election',
  contest: 'contest',
  choice: 'choice',
  rank: 'rank',
  statement: 'statement',
  statement_es: 'statement es',
  source: 'source url',
  published_on: 'published on',
} as const satisfies Partial<Record<keyof OwnEndorsement, string>>;
const FIELDS = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** A table of endorsements, as `submit` reads it. @throws PageError 413 if it is too large */
async function writeTable({ query, session }: PageRequest, { pool }: ConsoleContext): Promise<string> {
  const chosen = (name: string) => query.get(name)?.replaceAll('\0', '') || null;
  const part = { endorser: chosen('endorser'), election: chosen('election') };
  const requireSize = (size: number) => {
    if (size <= MAX_FILE) return;
    throw new PageError(413, 'The table is larger than 16 MB: export one election at a time.');
  };
  // Reading so much takes many times as long.
  requireSize(await measureOwnEndorsements(pool, session.accountId, part));
  const pieces = [TABLE_START + formatRow(Object.values(COLUMNS))];
  let size = 0;
  for (let after = 0; ; ) {
    const rows = await listOwnEndorsements(pool, session.accountId, { ...part, after, limit: FILE_PAGE });
    const piece = rows.map((row) => formatRow(FIELDS.map((field) => String(row[field] ?? '')))).join('');
    pieces.push(piece);
    size += piece.length;
    requireSize(size);
    const last = rows.at(-1);
    if (!last || rows.length < FILE_PAGE) return pieces.join('');
    after = last.id;
  }
}

/** The positions of the account's endorsers, by election, and as a table. */
export const ownEndorsementPages = [
  definePage('/console/endorsements', 'editor', showList),
  definePage('/console/endorsements.csv', 'editor', async (request, context) => {
    return { table: await writeTable(request, context), name: 'endorsements.csv' };
  }),
];
