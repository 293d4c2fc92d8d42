import { countUsableKeys } from '../../../store/accounts/listed-keys.ts';
import { CopyText } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { mayUse } from '../layout.ts';
import { definePage, type PageRequest, type ShownPage } from '../page.ts';
import { FIRST_REQUESTS, type FirstRequest, KEY_PLACE, type Snippet, snippetsOf } from './first-requests.ts';

/** Says whether the account has a key for the programs, and how to get one. */
async function renderKeyStep({ session }: PageRequest, { pool }: ConsoleContext): Promise<Html> {
  const usable = await countUsableKeys(pool, session.accountId);
  if (usable > 0) {
    return html`<p class="notice good">The account has ${usable === 1 ? 'a usable key' : `${usable} usable keys`}. A key is shown only when it is made; <a href="/console/keys">API keys</a> lists them.</p>`;
  }
  const advice = mayUse(session.role, 'owner')
    ? html`<a href="/console/keys">Make one under API keys</a>.`
    : 'Ask an owner of the account to make one.';
  return html`<p class="notice bad">The account has no usable key, so programs are refused. ${advice} The buttons on this page work without a key.</p>`;
}

/** A program to copy, folded away unless it is a command. @param props.name joins programs of which one is open */
export function ShownSnippet(props: { snippet: Snippet; name: string; of?: string }): Html {
  const { language, run, text } = props.snippet;
  const label = `${props.of ?? 'The first request'} with ${language}`;
  return html`
    <details name=${props.name} open=${run === null}>
      <summary aria-label=${label}>${language}</summary>
      ${run && html`<p class="muted">Run it with <code>${run.command}</code>. It needs ${run.needs}.</p>`}
      <${CopyText} label=${label} text=${text} />
    </details>`;
}

function Section({ item, publicUrl }: { item: FirstRequest; publicUrl: string }): Html {
  const { id, title, explanation, path, isStream } = item;
  return html`
    <section aria-labelledby=${id} data-request=${path} data-kind=${isStream ? 'stream' : 'answer'}>
      <h2 id=${id}>${title}</h2>
      <p>${explanation} <code>GET ${path}</code></p>
      <p>
        <a href=${`/console/api${path}`} data-plain>Open it in the browser</a>
        <button type="button" data-run hidden aria-label=${`Run: ${title}`}>Run</button>
        ${isStream && html` <button type="button" class="plain" data-stop hidden>Stop</button>`}
        <span role="status" class="muted" data-status></span>
      </p>
      <pre data-answer hidden tabindex="0" aria-label=${`Answer: ${title}`}></pre>
      ${snippetsOf(item, publicUrl).map((snippet) => html`<${ShownSnippet} snippet=${snippet} name=${id} of=${title} />`)}
    </section>`;
}

async function showStart(request: PageRequest, context: ConsoleContext): Promise<ShownPage> {
  return {
    title: 'First request',
    script: 'start',
    body: html`
      ${await renderKeyStep(request, context)}
      <p>Run three requests here, then from your own program: put your key in place of <code>${KEY_PLACE}</code>. Keep it out of code that you publish.</p>
      ${FIRST_REQUESTS.map((item) => html`<${Section} item=${item} publicUrl=${request.publicUrl} />`)}
      <h2>Next</h2>
      <p><a href="/console/live">Watch the stream with a filter of your own</a>, and keep the filter as a <a href="/console/subscriptions">subscription</a>.
        The <a href="/docs">reference</a> describes every endpoint, and the <a href="/docs/guides">guides</a> show the way.</p>`,
  };
}

/** A newcomer's first requests. */
export const startPages = [
  definePage('/console', 'member', async () => ({ redirect: '/console/start' })),
  definePage('/console/start', 'member', showStart),
];
