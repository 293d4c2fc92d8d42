import { createRequire } from 'node:module';
import { closeIsolates, mayTurn } from './isolation.ts';

/** A part of a page: an element, or several. */
export interface Html {
  readonly type: unknown;
  readonly props: object;
}

/** Anything that can stand in a page. Text is escaped; null, undefined and booleans leave nothing. */
export type Content = Html | string | number | boolean | null | undefined | readonly Content[];

type Tag = (markup: TemplateStringsArray, ...values: readonly unknown[]) => Html;

/** A value for everything within a part of a page. */
interface Shared<T> {
  /** A component that gives its children another `value`. */
  Provider: unknown;
  /** A component whose child is a function from the value to content. */
  Consumer: (props: { children: (value: T) => Content }) => Html;
}

type Build = (type: unknown, props: object | null, ...children: readonly unknown[]) => Html;

// Required with types of our own, since the types of preact bring those of a browser into every file of the service.
const require = createRequire(import.meta.url);
const htm: { bind(build: Build): Tag } = require('htm');
const { h, createContext }: { h: Build; createContext: <T>(value: T) => Shared<T> } = require('preact');
const { renderToString }: { renderToString: (document: Html) => string } = require('preact-render-to-string');

/** Elements that hold text alone, and code, which is shown as it is and copied. */
const PLAIN = new Set<unknown>(['title', 'option', 'textarea', 'text', 'code', 'script', 'style']);

/** Keeps a text, which somebody may have entered, from changing the order in which the text around it is shown. */
function isolate(child: unknown): unknown {
  if (Array.isArray(child)) return child.map(isolate);
  return typeof child === 'string' && mayTurn(child) ? h('bdi', null, closeIsolates(child)) : child;
}

/**
 * Makes a part of a page, as in html`<p class=${name}>${text}</p>`. No value can become markup: text and attributes are
 * escaped, and text stays in its place whichever way it runs. A component is a function of its attributes and children:
 * html`<${Table} caption="Keys">...<//>`.
 */
export const html = htm.bind((type, props, ...children) =>
  h(type, props, ...(PLAIN.has(type) ? children : children.map(isolate))),
);

/** Makes a value that a part of a page can set for everything within it. */
export const createShared = createContext;

/** Renders a whole document from its head and body. */
export function renderDocument(document: Content): string {
  return `<!doctype html>\n${renderToString(html`<html lang="en">${document}</html>`)}`;
}
