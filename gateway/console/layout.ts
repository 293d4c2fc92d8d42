import { ROLES, type Role } from '../../schemas/vocabulary.ts';
import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import { assetUrl } from './assets.ts';
import { Notice } from './components.ts';
import { type Content, createShared, type Html, html, renderDocument, renderLongDocument } from './html.ts';
import { isolateName } from './isolation.ts';
import type { MenuEntry, ShownPage } from './page.ts';
import { CSRF_FIELD } from './session/forgery.ts';

/** The styles of every page; a browser fetches them once. */
const STYLES = ['console', 'filters', 'explorer', 'live', 'usage'];

/** The scripts of every page. */
const EVERYWHERE = ['send-once', 'local-time'];

/** Whether `role` is at least `needed`. */
export const mayUse = (role: Role, needed: Role): boolean => ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** A signed-in person, as every page shows them. */
export interface Visitor {
  session: ConsoleSession;
  csrf: string;
  /** The path of the page. */
  path: string;
  menu: readonly MenuEntry[];
}

function Frame({ title, script, children }: { title: string; script?: string; children?: Content }): Html {
  return html`
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${isolateName(title)} · Ballot endorsements</title>
      <link rel="icon" href=${assetUrl('icon.svg')} type="image/svg+xml" />
      ${STYLES.map((name) => html`<link rel="stylesheet" href=${assetUrl(`${name}.css`)} />`)}
      ${EVERYWHERE.map((name) => html`<script type="module" src=${assetUrl(`${name}.js`)}></script>`)}
      ${script && html`<script type="module" src=${assetUrl(`${script}.js`)}></script>`}
    </head>
    <body>${children}</body>`;
}

function MenuLink({ entry, path }: { entry: MenuEntry; path: string }): Html {
  const isHere = path === entry.path || path.startsWith(`${entry.path}/`);
  return html`<li><a href=${entry.path} aria-current=${isHere ? 'page' : null}>${entry.label}</a></li>`;
}

function Menu({ visitor: { session, path, menu } }: { visitor: Visitor }): Html {
  const allowed = menu.filter(({ role }) => mayUse(session.role, role));
  const forOperators = allowed.filter(({ role }) => role === 'operator');
  const links = (entries: readonly MenuEntry[]) =>
    html`<ul>${entries.map((entry) => html`<${MenuLink} entry=${entry} path=${path} />`)}</ul>`;
  return html`
    <nav aria-label="Console">
      ${links(allowed.filter((entry) => !forOperators.includes(entry)))}
      ${forOperators.length > 0 && html`<h2>Operators</h2>${links(forOperators)}`}
    </nav>`;
}

/** The token of a page's forms. */
const FormToken = createShared('');

/** A form of the signed-in person. Its token proves that a page of the session made it. */
export function Form(props: {
  action: string;
  class?: string;
  /** Its name for screen readers, if the page has several like it. */
  label?: string;
  /** Whether it sends a file. */
  hasFile?: boolean;
  children?: Content;
}): Html {
  return html`
    <form method="post" action=${props.action} class=${props.class} aria-label=${props.label} enctype=${props.hasFile ? 'multipart/form-data' : null}>
      <${FormToken.Consumer}>${(token: string) => html`<input type="hidden" name=${CSRF_FIELD} value=${token} />`}<//>
      ${props.children}
    </form>`;
}

function Header({ visitor: { session } }: { visitor: Visitor }): Html {
  return html`
    <header>
      <a class="brand" href="/console">Ballot endorsements</a>
      <div class="who">
        <a href="/console/account">${session.account}</a>
        <span class="muted">${session.person} · ${session.role}</span>
        <${Form} action="/console/sign-out"><button class="plain">Sign out</button><//>
      </div>
    </header>`;
}

/** Whether an operator sees an account's own page. */
const isOfOperators = ({ session, path }: Visitor) =>
  session.role === 'operator' && !path.startsWith('/console/operator');

/** Renders a page for a signed-in person. */
export function renderPage(
  { title, titleLang, problem, body, script }: ShownPage,
  visitor: Visitor,
): Promise<string> {
  return renderLongDocument(html`
    <${Frame} title=${title} script=${script}>
      <${FormToken.Provider} value=${visitor.csrf}>
        <a class="skip" href="#content">Skip to content</a>
        <${Header} visitor=${visitor} />
        <div class="columns">
          <${Menu} visitor=${visitor} />
          <main id="content">
            ${isOfOperators(visitor) && html`<p class="muted">You are looking at ${visitor.session.account}. <a href="/console/operator/accounts">All accounts</a></p>`}
            ${visitor.session.suspended && html`<p class="notice bad">This account is suspended. Its API keys are refused.</p>`}
            <h1 lang=${titleLang}>${title}</h1>
            ${[problem ?? []].flat().map((each) => html`<${Notice} kind="bad" answers>${each}<//>`)}
            ${body}
          </main>
        </div>
      <//>
    <//>`);
}

/** Renders a page for a person who is not signed in. */
export function renderPublicPage({ title, body }: ShownPage): string {
  return renderDocument(html`
    <${Frame} title=${title}>
      <header><span class="brand">Ballot endorsements</span></header>
      <main id="content" class="narrow"><h1>${title}</h1>${body}</main>
    <//>`);
}
