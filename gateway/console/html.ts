import { createRequire } from 'node:module';
import { closeIsolates, mayTurn } from './isolation.ts';

/** A part of a page: an element, or several. */
export interface Html {
  readonly type: unknown;
  readonly props: object;
}

/** Any content of a page. Text is escaped; null, undefined and booleans show nothing. */
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

// Required with our own types: preact's types bring a browser's types into every file of the service.
const require = createRequire(import.meta.url);
const htm: { bind(build: Build): Tag } = require('htm');
const { h, createContext }: { h: Build; createContext: <T>(value: T) => Shared<T> } = require('preact');
const { renderToString }: { renderToString: (document: Html) => string } = require('preact-render-to-string');

/** Elements that hold only text, and code, which is shown unchanged and copied. */
const PLAIN = new Set<unknown>(['title', 'option', 'textarea', 'text', 'code', 'script', 'style']);

/** Isolates a text, so that it cannot change the order of the text around it. */
function isolate(child: unknown): unknown {
  if (Array.isArray(child)) return child.map(isolate);
  return typeof child === 'string' && mayTurn(child) ? h('bdi', null, closeIsolates(child)) : child;
}

/**
 * Makes a part of a page, as in html`<p class=${name}>${text}</p>`. Values never become markup: text and attributes are
 * escaped, and text is isolated. A component is a function of its attributes and children: html`<${Table}
 * caption="Keys">...<//>`.
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
