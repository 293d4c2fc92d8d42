import { Notice } from './components.ts';
import { html } from './html.ts';
import { Entered, SendAgain } from './kept-form.ts';
import type { ShownPage } from './page.ts';

/**
 * Answers a request beyond the console's limits. It changes nothing, and keeps everything that was entered.
 *
 * @param form the fields of the form; null for a page
 * @param address the path and the query of the request
 */
export function showOverBudget(
  form: URLSearchParams | null,
  address: string,
  waitSeconds: number,
): ShownPage {
  const seconds = waitSeconds === 1 ? 'a second' : `${waitSeconds} seconds`;
  return {
    title: 'Too many requests',
    status: 429,
    body: html`
      <${Notice} kind="bad" answers=${form !== null}>The console has received too many requests of this session or account. ${form && 'Nothing was changed. '}Try again in ${seconds}.<//>
      ${
        form
          ? html`<${Entered} form=${form} /><${SendAgain} form=${form} path=${address}><button>Send the form again</button><//>`
          : html`<p><a class="button" href=${address}>Open the page again</a></p>`
      }`,
  };
}
