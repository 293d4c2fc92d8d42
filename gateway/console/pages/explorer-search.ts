import type { Static } from 'typebox';
import type { endorser } from '../../../schemas/http/endorsers.ts';
import type { officeholder } from '../../../schemas/http/officeholders.ts';
import { type FoundOnBallots, MAX_SEARCHED_CONTESTS, searchBallots } from '../../../store/console/search.ts';
import { ApiError } from '../../http/api-error.ts';
import { Day } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { BallotText, ExplorerLink } from '../explorer/ballot-text.ts';
import { SEARCH, showExplorer } from '../explorer/frame.ts';
import { type Answer, ask, type List } from '../explorer/question.ts';
import { type Content, type Html, html } from '../html.ts';
import { number } from '../number.ts';
import { definePage, type PageRequest } from '../page.ts';

/** The most records of each kind on the page. */
const LIMIT = 10;
const MAX_TEXT = 100;

/** Asks a list of the API for names; nothing from a list that is not loaded. */
async function askNames<Item>(
  request: PageRequest,
  context: ConsoleContext,
  { path, text }: { path: string; text: string },
): Promise<Answer<List<Item>>> {
  const query = new URLSearchParams({ q: text, limit: String(LIMIT) });
  try {
    return await ask<List<Item>>(request, context, { path, query });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_available') {
      return { body: { data: [], next_cursor: null }, problem: null };
    }
    throw error;
  }
}

interface Group {
  title: string;
  items: readonly Content[];
  /** The address of all of them, if there are more. */
  more?: string | null;
}

function Groups({ groups }: { groups: readonly Group[] }): Html[] {
  return groups
    .filter(({ items }) => items.length > 0)
    .map(
      ({ title, items, more }) => html`
      <h2>${title}</h2>
      <ul>${items.slice(0, LIMIT).map((item) => html`<li>${item}</li>`)}</ul>
      ${more ? html`<p><${ExplorerLink} href=${more}>All ${title.toLowerCase()} that fit<//></p>` : items.length > LIMIT && html`<p class="muted">There are more: add a word.</p>`}`,
    );
}

const contestLink = (id: number, text: string): Html =>
  html`<${ExplorerLink} href=${`/console/explorer/contests/${id}`}><${BallotText}>${text}<//><//>`;

function groupBallots({ elections, contests, choices }: FoundOnBallots): Group[] {
  return [
    {
      title: 'Contests',
      items: contests.map(
        ({ id, title, district, date, state }) =>
          html`${contestLink(id, title)} <small class="muted"><${BallotText}>${district}<//>, ${state}, <${Day}>${date}<//></small>`,
      ),
    },
    {
      title: 'Candidates and choices',
      items: choices.map(
        ({ id, label, title, district, date, state }) =>
          html`${contestLink(id, label)} <small class="muted"><${BallotText}>${title}<//>, <${BallotText}>${district}<//>, ${state}, <${Day}>${date}<//></small>`,
      ),
    },
    {
      title: 'Elections',
      items: elections.map(
        ({ slug, name, date, state }) =>
          html`<${ExplorerLink} href=${`/console/explorer/elections/${encodeURIComponent(slug)}`}><${BallotText}>${name}<//><//> <small class="muted">${state}, <${Day}>${date}<//></small>`,
      ),
    },
  ];
}

function groupNames(
  endorsers: List<Static<typeof endorser>> | null,
  officeholders: List<Static<typeof officeholder>> | null,
  text: string,
): Group[] {
  const q = new URLSearchParams({ q: text });
  return [
    {
      title: 'Endorsers',
      items: (endorsers?.data ?? []).map(
        ({ slug, name, category, state }) =>
          html`<${ExplorerLink} href=${`/console/explorer/endorsers/${encodeURIComponent(slug)}`}>${name}<//> <small class="muted">${category.name}, ${state}</small>`,
      ),
      more: endorsers?.next_cursor ? `/console/explorer/endorsers?${q}` : null,
    },
    {
      title: 'Officeholders',
      items: (officeholders?.data ?? []).map(
        ({ name, state, offices }) =>
          html`<${ExplorerLink} href=${`/console/explorer/officeholders?${new URLSearchParams({ q: name })}`}>${name}<//> <small class="muted">${[offices[0]?.office_title, state].filter(Boolean).join(', ')}</small>`,
      ),
      more: officeholders?.next_cursor ? `/console/explorer/officeholders?${q}` : null,
    },
  ];
}

/** One search over contests, choices, elections, endorsers and officeholders. */
export const explorerSearchPages = [
  definePage(SEARCH, 'member', async (request, context) => {
    const text = request.query.get('q')?.trim().slice(0, MAX_TEXT) ?? '';
    const page = { title: 'Search', tab: null, question: null };
    if (text === '') {
      return showExplorer(request, { ...page, problem: null, body: html`<p>Search for a name above.</p>` });
    }
    const lang = request.query.get('lang') === 'es' ? 'es' : 'en';
    const endorsers = await askNames<Static<typeof endorser>>(request, context, {
      path: '/v1/endorsers',
      text,
    });
    if (endorsers.problem !== null) {
      return showExplorer(request, { ...page, problem: endorsers.problem, body: null });
    }
    const officeholders = await askNames<Static<typeof officeholder>>(request, context, {
      path: '/v1/officeholders',
      text,
    });
    const from = context.findFirstUpcoming();
    // One more than is shown, to say that there are more.
    const found = await searchBallots(context.pool, { text, lang, from, limit: LIMIT + 1 });
    const groups = [...groupBallots(found), ...groupNames(endorsers.body, officeholders.body, text)];
    const isEmpty = groups.every(({ items }) => items.length === 0);
    return showExplorer(request, {
      ...page,
      problem: null,
      body: html`
        ${isEmpty && html`<p role="status">Nothing has this in its name.</p>`}
        <${Groups} groups=${groups} />
        ${found.isPart && html`<p class="muted">Contests and choices are those of the nearest ${number.format(MAX_SEARCHED_CONTESTS)} contests, upcoming ones first.</p>`}`,
    });
  }),
];
