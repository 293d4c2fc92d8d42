import type { Language } from '../../../schemas/vocabulary.ts';
import { type Content, createShared, type Html, html } from '../html.ts';

const BallotLanguage = createShared<Language>('en');

/** Sets the language of the API's texts within. */
export function InLanguage({ lang, children }: { lang: Language; children?: Content }): Html {
  return html`<${BallotLanguage.Provider} value=${lang}>${children}<//>`;
}

/**
 * A text that the API translates. It is marked with its language if that differs from the page's, so that it is read
 * out well.
 */
export function BallotText({ children }: { children?: Content }): Html {
  return html`<${BallotLanguage.Consumer}>${(lang: Language) => (lang === 'en' ? children : html`<span lang=${lang}>${children}</span>`)}<//>`;
}

/** A link to a page of the explorer, which keeps the language of this one. */
export function ExplorerLink({ href, children, ...rest }: { href: string; children?: Content }): Html {
  return html`<${BallotLanguage.Consumer}>${(lang: Language) => html`<a href=${inLanguage(href, lang)} ...${rest}>${children}</a>`}<//>`;
}

/** The address of a page of the explorer in a language. */
function inLanguage(href: string, lang: Language): string {
  if (lang === 'en') return href;
  return `${href}${href.includes('?') ? '&' : '?'}lang=${lang}`;
}

/** The Spanish text that stands beside an English one. */
export const Spanish = ({ children }: { children?: Content }): Html =>
  html`<span class="muted">Spanish: <span lang="es">${children}</span></span>`;

/** A text of the ballot with its Spanish one beside it, if there is another. */
export function InBoth({ text, spanish }: { text: string; spanish: string | null }): Html {
  return html`<span>${text}${spanish !== null && spanish !== text && html` (<${Spanish}>${spanish}<//>)`}</span>`;
}
