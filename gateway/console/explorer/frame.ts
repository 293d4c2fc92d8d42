import { type Language, STATE_CODES } from '../../../schemas/vocabulary.ts';
import { CopyText, Notice, Select, Table } from '../components.ts';
import { type Content, type Html, html } from '../html.ts';
import type { PageRequest, ShownPage } from '../page.ts';
import { labelState } from '../state-label.ts';
import { ExplorerLink, InLanguage } from './ballot-text.ts';
import { addressOf, type List, type Question } from './question.ts';

const TABS = [
  ['/console/explorer', 'Elections'],
  ['/console/explorer/endorsers', 'Endorsers'],
  ['/console/explorer/guide', 'Voter guide'],
  ['/console/explorer/coverage', 'Coverage'],
  ['/console/explorer/officeholders', 'Officeholders'],
] as const;

/** The page of the search over everything. */
export const SEARCH = '/console/explorer/search';

export interface ExplorerPage {
  title: string;
  /** Whether the API translates the title. */
  isBallotTitle?: boolean;
  /** The page's tab, by its path; null for the search. */
  tab: (typeof TABS)[number][0] | null;
  /** The request behind the page; null if it has several. */
  question: Question | null;
  problem: string | null;
  body: Content;
}

/** The request beside the data: for a client, for curl, and with its answer in JSON. */
function RequestPanel({ question, publicUrl }: { question: Question; publicUrl: string }): Html {
  const address = addressOf(question);
  return html`
    <aside class="request" aria-label="The request of this page">
      <h2>The request</h2>
      <${CopyText} label="Method and address" text=${`GET ${address}`} />
      <details>
        <summary>As curl</summary>
        <${CopyText} label="The request as curl" text=${`curl -H "Authorization: Bearer $KEY" '${publicUrl}${address}'`} />
      </details>
      <p><a href=${`/console/api${address}`}>The answer as JSON</a></p>
      <p class="muted">It counts as a request of your account.</p>
    </aside>`;
}

/** The same page in the other language. A list begins anew, because a cursor belongs to one language. */
function LanguageSwitch({ query, lang }: { query: URLSearchParams; lang: Language }): Html {
  const other = new URLSearchParams(query);
  other.delete('cursor');
  if (lang === 'en') other.set('lang', 'es');
  else other.delete('lang');
  const label = lang === 'en' ? 'Español' : 'English';
  return html`<a href=${`?${other}`} lang=${lang === 'en' ? 'es' : null}>${label}</a>`;
}

/** The search over everything, above every page. */
function SearchBox(props: { text: string | null; isHere: boolean; lang: Language }): Html {
  const { text, isHere, lang } = props;
  return html`
    <form class="filters" role="search" method="get" action=${SEARCH}>
      ${lang !== 'en' && html`<input type="hidden" name="lang" value=${lang} />`}
      <label>Search everything <input type="search" name="q" size="28" value=${isHere ? text : ''} maxlength="100" placeholder="contest, candidate, endorser …" required /></label>
      <button>Search</button>
    </form>`;
}

/** Puts a page of the explorer together. */
export function showExplorer(
  { publicUrl, query }: PageRequest,
  { title, isBallotTitle = false, tab, question, problem, body }: ExplorerPage,
): ShownPage {
  const lang = query.get('lang') === 'es' ? 'es' : 'en';
  return {
    title,
    titleLang: isBallotTitle && lang !== 'en' ? lang : undefined,
    status: problem === null ? 200 : 400,
    script: 'copy',
    body: html`
      <nav class="tabs" aria-label="Explorer">
        <${InLanguage} lang=${lang}>
          <ul>
            ${TABS.map(([path, label]) => html`<li><${ExplorerLink} href=${path} aria-current=${path === tab ? 'true' : null}>${label}<//></li>`)}
            <li><${LanguageSwitch} query=${query} lang=${lang} /></li>
          </ul>
        <//>
      </nav>
      <${SearchBox} text=${query.get('q')} isHere=${tab === null} lang=${lang} />
      <div class=${question && 'explorer'}>
        <div>
          ${problem && html`<${Notice} kind="bad" answers>${problem}<//>`}
          <${InLanguage} lang=${lang}>${body}<//>
        </div>
        ${question && html`<${RequestPanel} question=${question} publicUrl=${publicUrl} />`}
      </div>`,
  };
}

/** A choice of one state, or of all. By default `states` are those of the United States. */
export function StateField(props: {
  name: string;
  value: string | null;
  all?: string;
  states?: readonly string[];
}): Html {
  const { name, value, all, states = STATE_CODES } = props;
  return html`<${Select} label="State" name=${name} options=${states.map((code) => [code, labelState(code)])} chosen=${value} none=${all} />`;
}

/** The language of ballot text. */
export function LanguageField({ value }: { value: string | null }): Html {
  return html`
    <label>Language
      <select name="lang">
        <option value="">English</option>
        <option value="es" lang="es" selected=${value === 'es'}>Español</option>
      </select>
    </label>`;
}

/** A link to the next page of a list, which keeps the filters. */
export function NextPage({ request, cursor }: { request: PageRequest; cursor: string | null }): Html | null {
  if (cursor === null) return null;
  const query = new URLSearchParams(request.query);
  query.set('cursor', cursor);
  return html`<p><a class="button" href=${`?${query}`}>Next page</a></p>`;
}

/** A page of a list as a table, with a link to the next page; nothing without a list. Takes the attributes of `Table`. */
export function ListTable<Item>(props: {
  request: PageRequest;
  list: List<Item> | null;
  row: (props: { item: Item }) => Html;
}): Html | null {
  const { request, list, row, ...table } = props;
  if (list === null) return null;
  return html`
    <${Table} ...${table}>${list.data.map((item) => html`<${row} item=${item} />`)}<//>
    <${NextPage} request=${request} cursor=${list.next_cursor} />`;
}

const SAFE_LINK = /^https?:\/\//i;

/**
 * A link to another site, for addresses from the data. An address that is not a web address stays text.
 *
 * @param of a few words that tell it from links with the same text
 */
export function OutsideLink(props: { href: string | null; text: string; of?: string }): Html | null {
  const { href, text, of } = props;
  if (href === null) return null;
  if (!SAFE_LINK.test(href)) return html`<span>${href}</span>`;
  return html`<a href=${href} rel="noopener noreferrer nofollow" aria-label=${of && `${text}: ${of}`}>${text}</a>`;
}
