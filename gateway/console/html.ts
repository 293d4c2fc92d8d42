import { createRequire } from 'node:module';
import { closeIsolates, mayTurn } from './isolation.ts';
import { awaitTurn, beginTurn, isTurnOver } from './render-turns.ts';

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
const {
  renderToString,
  renderToStringAsync,
}: {
  renderToString: (document: Html) => string;
  renderToStringAsync: (document: Html) => Promise<string>;
} = require('preact-render-to-string');

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

const DOCTYPE = '<!doctype html>\n';

/** Renders a whole document from its head and body. */
export function renderDocument(document: Content): string {
  return `${DOCTYPE}${renderToString(html`<html lang="en">${document}</html>`)}`;
}

/** Renders a document that can have long lists, `InTurns`. Other requests have their turns meanwhile (INV-15). */
export async function renderLongDocument(document: Content): Promise<string> {
  beginTurn();
  return `${DOCTYPE}${await renderToStringAsync(html`<html lang="en">${document}</html>`)}`;
}

/** The items that are rendered without a look at the time. */
const PIECE = 10;

interface ListProps<Item> {
  items: readonly Item[];
  each: (item: Item) => Content;
}

/** A piece of a long list. The renderer waits for a promise that a component throws, and then begins it again. */
function PieceInTurn<Item>({ items, each }: ListProps<Item>): Content {
  if (isTurnOver()) throw awaitTurn();
  return items.map(each);
}

// Not of `PieceInTurn` itself: a component that throws has the component around it begun again.
const Piece = <Item>(props: ListProps<Item>): Html => html`<${PieceInTurn} ...${props} />`;

/** A list that can be long, on a page for a signed-in person. `each` is called while the page is rendered. */
export function InTurns<Item>({ items, each }: ListProps<Item>): Html[] {
  return Array.from({ length: Math.ceil(items.length / PIECE) }, (_, piece) => {
    const own = items.slice(piece * PIECE, (piece + 1) * PIECE);
    return html`<${Piece} items=${own} each=${each} />`;
  });
}
