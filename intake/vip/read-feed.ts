import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { shorten, showValue } from '../../schemas/problems.ts';
import { decodeXml } from './decode.ts';
import { FeedError } from './feed-error.ts';
import { KEPT, type Texts, type VipObject } from './fields.ts';

/** The most text that a feed's kept objects have, in bytes. The addresses of a feed are not kept. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024;
/** The memory of an object or field besides its text, in bytes, about. */
const FIELD_BYTES = 100;
/** The longest tag, text or comment, in characters. */
const MAX_PIECE = 8 * 1024 * 1024;
/** The deepest nesting; the schema has nine levels. */
const MAX_DEPTH = 32;
/** The most names of objects that are counted separately. */
const MAX_NAMES = 200;

const VERSION = /^(5\.1|5\.2|6\.0)(\.[0-9]+)?$/;

/** The ballot part of a feed in memory. */
export interface Feed {
  /** The version of the schema, such as `5.2`. */
  version: string;
  /** The kept objects by type and id. */
  objects: Map<string, Map<string, VipObject>>;
  /** The number of objects by type, kept or not. */
  counts: Map<string, number>;
}

/**
 * Reads a feed of the Voting Information Project from its XML, in constant memory but for the objects that are kept.
 * Entities are not expanded, and a document type is refused.
 *
 * @param maxKeptBytes the bound of the kept objects
 * @throws FeedError if this is not such a feed, of another version, truncated, or too large
 */
export async function readFeed(
  bytes: AsyncIterable<Uint8Array>,
  maxKeptBytes = MAX_KEPT_BYTES,
): Promise<Feed> {
  const feed: Feed = { version: '', objects: new Map(), counts: new Map() };
  const builder = new FeedBuilder(feed, maxKeptBytes);
  const parser = new SaxesParser({ xmlns: false, position: true });
  let last = 0;
  const moved = () => {
    last = parser.position;
  };
  parser.on('error', (error) => {
    throw new FeedError(explain(error, parser.line));
  });
  parser.on('doctype', () => {
    throw new FeedError(
      'The file has a document type (<!DOCTYPE>), which feeds do not have. Its entities are not expanded.',
    );
  });
  parser.on('opentag', (tag) => {
    moved();
    builder.open(tag, parser.line);
  });
  const takeText = (text: string) => {
    moved();
    builder.text(text);
  };
  parser.on('text', takeText);
  parser.on('cdata', takeText);
  parser.on('closetag', () => {
    moved();
    builder.close();
  });
  parser.on('comment', moved);
  for await (const text of decodeXml(bytes)) {
    parser.write(text);
    if (parser.position - last > MAX_PIECE) {
      throw new FeedError(
        `Line ${parser.line} has a text or tag of more than ${MAX_PIECE.toLocaleString('en-US')} characters.`,
      );
    }
  }
  if (!builder.isComplete) throw new FeedError(builder.describeEnd());
  parser.close();
  return feed;
}

/** Some feeds still repeat a reference, as version 5.0 did, where the schema has a list: BallotSelectionId. */
const fieldNamed = (name: string, fields: object): string =>
  name.endsWith('Id') && Object.hasOwn(fields, `${name}s`) ? `${name}s` : name;

/** The parser's messages begin with line and column. */
function explain(error: Error, line: number): string {
  const fault = shorten(error.message.replace(/^[0-9]+:[0-9]+: /, '').replace(/\.$/, ''), 200);
  if (/undefined entity|entity/i.test(fault)) {
    return `Line ${line} has an entity that XML does not define: only &lt; &gt; &amp; &quot; &apos; are read (${fault}).`;
  }
  return `The file is not well-formed XML, in line ${line}: ${fault}.`;
}

/** Builds the kept objects from the tags and texts of the file. */
class FeedBuilder {
  readonly #feed: Feed;
  readonly #maxBytes: number;
  readonly #path: string[] = [];
  #bytes = 0;
  #object: VipObject | null = null;
  /** The language of the text that is being read. */
  #language = '';
  #text = '';
  isComplete = false;

  constructor(feed: Feed, maxBytes: number) {
    this.#feed = feed;
    this.#maxBytes = maxBytes;
  }

  open({ name, attributes }: SaxesTagPlain, line: number): void {
    const depth = this.#path.push(name);
    if (depth === 1) this.#begin(name, attributes);
    else if (depth === 2) this.#beginObject(name, attributes.id, line);
    else if (depth > MAX_DEPTH)
      throw new FeedError(`Line ${line} is nested more than ${MAX_DEPTH} levels deep.`);
    if (this.#object === null) return;
    this.#text = '';
    if (name === 'Text') this.#language = (attributes.language ?? '').toLowerCase();
  }

  text(text: string): void {
    if (this.#object === null || this.#path.length < 3) return;
    this.#hold(text.length);
    this.#text += text;
  }

  close(): void {
    const name = this.#path.at(-1) ?? '';
    const depth = this.#path.length;
    if (depth === 1) this.isComplete = true;
    else if (depth === 2) this.#endObject();
    else if (this.#object) this.#endField(this.#object, name, this.#text.trim());
    this.#path.pop();
    this.#text = '';
  }

  /** Why the file has no end of a feed. */
  describeEnd(): string {
    if (this.#path.length === 0)
      return 'The file is empty: it must be a feed of the Voting Information Project.';
    return `The file ends within <${shorten(this.#path.at(-1) ?? '')}>, before </VipObject>: it is truncated. Fetch it again.`;
  }

  #begin(name: string, attributes: Record<string, string>): void {
    if (name !== 'VipObject') {
      throw new FeedError(
        `The file is XML that begins with <${shorten(name)}>, not a feed of the Voting Information Project, which begins with <VipObject>.`,
      );
    }
    const version = attributes.schemaVersion?.trim() ?? '';
    if (!VERSION.test(version)) {
      throw new FeedError(
        `The feed has schemaVersion ${version === '' ? 'missing' : showValue(version)}; the versions 5.1, 5.2 and 6.0 are read.`,
      );
    }
    this.#feed.version = version;
  }

  #beginObject(type: string, id: string | undefined, line: number): void {
    const { counts } = this.#feed;
    if (counts.has(type) || counts.size < MAX_NAMES) counts.set(type, (counts.get(type) ?? 0) + 1);
    if (!Object.hasOwn(KEPT, type)) return;
    if (id === undefined || id.trim() === '') throw new FeedError(`Line ${line}: the ${type} has no id.`);
    this.#hold(FIELD_BYTES);
    this.#object = { type, id: id.trim(), line, values: {}, texts: {}, identifiers: [] };
  }

  #endObject(): void {
    const object = this.#object;
    this.#object = null;
    if (!object) return;
    const { objects } = this.#feed;
    const byId = objects.get(object.type) ?? new Map<string, VipObject>();
    objects.set(object.type, byId);
    const first = byId.get(object.id);
    if (first) {
      throw new FeedError(
        `Line ${object.line}: the ${object.type} has the id ${showValue(object.id)} of the one in line ${first.line}, so that references to it are ambiguous.`,
      );
    }
    byId.set(object.id, object);
  }

  #endField(object: VipObject, name: string, text: string): void {
    const fields = KEPT[object.type];
    const field = fieldNamed(this.#path[2] ?? '', fields ?? {});
    const form = fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (form === undefined) return;
    this.#hold(FIELD_BYTES);
    const depth = this.#path.length;
    if (form === 'value' && depth === 3 && text !== '') {
      const before = object.values[field];
      if (before === undefined) object.values[field] = text;
      else if (field.endsWith('Ids')) object.values[field] = `${before} ${text}`;
    }
    if (form === 'texts' && depth === 4 && name === 'Text' && text !== '') this.#addText(object, field, text);
    else if (form === 'term' && depth === 4 && name === 'Type') object.values.TermType ??= text;
    else if (form === 'identifiers' && depth === 5 && name === 'Value') object.identifiers.push(text);
  }

  #addText(object: VipObject, field: string, text: string): void {
    const [language] = this.#language.split('-');
    object.texts[field] ??= {};
    const texts: Texts = object.texts[field];
    if (language === 'en') texts.en ??= text;
    else if (language === 'es') texts.es ??= text;
    else texts.other ??= text;
  }

  #hold(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes) {
      throw new FeedError(
        `The ballots of the feed take more than ${this.#maxBytes.toLocaleString('en-US')} bytes. Split it by county, and import the parts with --keep-missing.`,
      );
    }
  }
}
