import { Marked, Renderer, type Tokens } from 'marked';

/** A guide as a part of a page. */
export interface RenderedGuide {
  /** The text of its first heading. */
  title: string;
  html: string;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (each) => ESCAPES[each] ?? '');

/** The name of a heading in addresses, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Renders Markdown without markup of its own: HTML within it is shown as text. */
class GuideRenderer extends Renderer {
  readonly #addressOf: (target: string) => string | null;
  readonly #anchors = new Map<string, number>();
  title = '';

  constructor(addressOf: (target: string) => string | null) {
    super();
    this.#addressOf = addressOf;
  }

  override heading({ tokens, depth }: Tokens.Heading): string {
    const text = this.parser.parseInline(tokens, this.parser.textRenderer);
    if (this.title === '') this.title = text;
    const anchor = anchorOf(text);
    const earlier = this.#anchors.get(anchor) ?? 0;
    this.#anchors.set(anchor, earlier + 1);
    const id = earlier === 0 ? anchor : `${anchor}-${earlier}`;
    return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const text = this.parser.parseInline(tokens);
    const address = this.#addressOf(href);
    return address === null ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
  }

  override image({ href, text }: Tokens.Image): string {
    const address = this.#addressOf(href);
    return address === null
      ? ''
      : `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}" loading="lazy">`;
  }

  override html({ text }: Tokens.HTML | Tokens.Tag): string {
    return escapeHtml(text);
  }

  override code({ text }: Tokens.Code): string {
    return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
  }

  override table(token: Tokens.Table): string {
    // A heading without a text names nothing.
    const table = super.table(token).replaceAll('<th></th>', '<td></td>');
    return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${table}</div>\n`;
  }
}

/**
 * Renders a guide.
 *
 * @param addressOf the address of a link's or an image's target; null for one without, which becomes text
 */
export function renderGuide(markdown: string, addressOf: (target: string) => string | null): RenderedGuide {
  const renderer = new GuideRenderer(addressOf);
  const html = new Marked().parse(markdown, { renderer, async: false });
  return { title: renderer.title, html };
}
