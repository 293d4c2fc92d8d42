import { createRequire } from 'node:module';

/** A part of a page: an element, or several. */
export interface Html {
  readonly type: unknown;
  readonly props: object;
}

/** Anything that can stand in a page. Text is escaped; null, undefined and booleans leave nothing. */
export type Content = Html | string | number | boolean | null | undefined | readonly Content[];

type Tag = (markup: TemplateStringsArray, ...values: readonly unknown[]) => Html;

// Required with types of our own, since the types of preact bring those of a browser into every file of the service.
const require = createRequire(import.meta.url);
const htm: { html: Tag } = require('htm/preact');
const { renderToString }: { renderToString: (document: Html) => string } = require('preact-render-to-string');

/**
 * Makes a part of a page, as in html`<p class=${name}>${text}</p>`. No value can become markup: text and attributes are
 * escaped. A component is a function of its attributes and children: html`<${Table} caption="Keys">...<//>`.
 */
export const { html } = htm;

/** Renders a whole document from its head and body. */
export function renderDocument(document: Content): string {
  return `<!doctype html>\n${renderToString(html`<html lang="en">${document}</html>`)}`;
}
