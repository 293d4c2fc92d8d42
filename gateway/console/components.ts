import { type Content, type Html, html } from './html.ts';

/** A message above a page: about something that was done, or a problem with what was sent. */
export function Notice({ kind, children }: { kind: 'good' | 'bad'; children?: Content }): Html {
  return html`<p class=${`notice ${kind}`} role=${kind === 'bad' ? 'alert' : 'status'}>${children}</p>`;
}

/** A moment, to the minute in UTC; a dash for none. */
export function Moment({ at }: { at: Date | null }): Html {
  if (at === null) return html`<span class="muted">–</span>`;
  const iso = at.toISOString();
  return html`<time datetime=${iso} title=${iso}>${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** Text to copy, with a button that copies it where scripts run. */
export function CopyText({ text, label }: { text: string; label: string }): Html {
  return html`
    <div class="copy">
      <pre tabindex="0" aria-label=${label}><code>${text}</code></pre>
      <button type="button" class="plain" data-copy hidden>Copy</button>
    </div>`;
}

/** A table that scrolls sideways where the page is narrow. `filled` marks the rows that a script fills. */
export function Table(props: {
  caption: string;
  head: readonly string[];
  filled?: boolean;
  children?: Content;
}): Html {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${props.caption}>
      <table>
        <caption>${props.caption}</caption>
        <thead><tr>${props.head.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
        <tbody data-rows=${props.filled ? '' : null}>${props.children}</tbody>
      </table>
    </div>`;
}
