import {
  countOwnContests,
  listOpenElections,
  listOwnContests,
  type OpenElection,
  type OwnContest,
} from '../../../store/console/own-positions.ts';
import { Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { BallotText } from '../explorer/ballot-text.ts';
import { type Html, html } from '../html.ts';
import { number } from '../number.ts';
import type { Page, PageRequest, ShownPage } from '../page.ts';
import { listEndorsers } from '../publishing/own-position.ts';
import { readRowId } from '../row-id.ts';

const ON_PAGE = 50;
const MAX_PAGES = 1000;
const MAX_ELECTIONS = 500;

const formatPicks = (picks: OwnContest['picks']): string =>
  picks.map(({ label, rank }) => (rank === null ? label : `${rank}. ${label}`)).join('; ');

function ContestRow({ item, endorser }: { item: OwnContest; endorser: string }): Html {
  const address = `/console/endorsements/${item.id}?${new URLSearchParams({ endorser })}`;
  return html`
    <tr>
      <th scope="row"><a href=${address}><${BallotText}>${item.title}<//></a></th>
      <td><${BallotText}>${item.district}<//></td>
      <td>${item.picks.length === 0 ? html`<span class="muted">no position</span>` : html`<${BallotText}>${formatPicks(item.picks)}<//>`}</td>
    </tr>`;
}

function ElectionOption({ item, chosen }: { item: OpenElection; chosen: string }): Html {
  return html`<option value=${item.slug} selected=${item.slug === chosen}>${`${item.date} ${item.state}: ${item.name}`}</option>`;
}

async function showList(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  const { query } = request;
  const { pool, findFirstUpcoming } = context;
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
  const elections = await listOpenElections(pool, {
    from: findFirstUpcoming(),
    slug: wanted,
    limit: MAX_ELECTIONS,
  });
  const election =
    elections.find(({ slug }) => slug === wanted) ??
    elections.find(({ state }) => state === endorser.state) ??
    elections[0];
  if (!election) return { title, body: html`<p>No election is coming up.</p>` };
  const isMissing = query.get('show') === 'missing';
  const contains = (query.get('q') ?? '').trim();
  const page = Math.min(readRowId(query.get('page')) ?? 1, MAX_PAGES);
  const subject = { endorser: endorser.slug, election: election.slug };
  const counts = await countOwnContests(pool, subject);
  const contests = await listOwnContests(pool, {
    ...{ ...subject, isMissing, contains },
    ...{ limit: ON_PAGE + 1, offset: (page - 1) * ON_PAGE },
  });
  const next = new URLSearchParams({
    ...subject,
    show: isMissing ? 'missing' : '',
    q: contains,
    page: `${page + 1}`,
  });
  return {
    title,
    body: html`
      <form class="filters" method="get">
        <label>Endorser <select name="endorser">${endorsers.map(({ slug, name }) => html`<option value=${slug} selected=${slug === endorser.slug}>${name}</option>`)}</select></label>
        <label>Election <select name="election">${elections.map((item) => html`<${ElectionOption} item=${item} chosen=${election.slug} />`)}</select></label>
        <label>Contests <select name="show"><option value="">All</option><option value="missing" selected=${isMissing}>Without a position</option></select></label>
        <label>Contest or place contains <input type="search" name="q" value=${contains} /></label>
        <button>Show</button>
      </form>
      <p><a href="/console/endorsements/uploads">Upload a table</a></p>
      <p>${number.format(counts.all - counts.taken)} of ${number.format(counts.all)} contests are without a position of ${endorser.name}.</p>
      <${Table} caption=${election.name} head=${['Contest', 'Place', 'Position']}>
        ${contests.slice(0, ON_PAGE).map((item) => html`<${ContestRow} item=${item} endorser=${endorser.slug} />`)}
      <//>
      ${contests.length === 0 && html`<p>There is no such contest.</p>`}
      ${contests.length > ON_PAGE && html`<p><a class="button" href=${`?${next}`}>Next contests</a></p>`}`,
  };
}

/** The positions of the account's endorsers, by election. */
export const ownEndorsementPages: readonly Page[] = [
  { method: 'GET', path: '/console/endorsements', role: 'editor', handle: showList },
];
