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

/** A text of the ballot with its Spanish one beside it, if there is another. */
export function InBoth({ text, spanish }: { text: string; spanish: string | null }): Html {
  return html`<span>${text}${spanish !== null && spanish !== text && html` <span class="muted" lang="es">${spanish}</span>`}</span>`;
}
