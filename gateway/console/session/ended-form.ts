import type { Context } from 'koa';
import type { ConsoleSession } from '../../../store/access/console-sessions.ts';
import { Notice } from '../components.ts';
import { isFileForm } from '../file-form.ts';
import { readForm } from '../form.ts';
import { html } from '../html.ts';
import { Entered, KeptFields, SendAgain } from '../kept-form.ts';
import { renderPublicPage } from '../layout.ts';
import type { ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { CSRF_FIELD, formTokenOf } from './forgery.ts';
import { HOME, safeReturnAddress } from './return-address.ts';

/** Takes the form of an ended session again, once the person has signed in. It changes nothing. */
export const ENDED_FORM = '/console/ended-form';
/** The parameter with the address to which the form was sent. */
const TARGET = 'of';

/** Says that a form was not carried out because the session has ended, and keeps what was entered. */
export async function showEndedForm(ctx: Context): Promise<void> {
  const isFile = isFileForm(ctx);
  const form = isFile ? new URLSearchParams() : await readForm(ctx);
  // Only the account of the form is of use, and not the token of a session that has ended.
  form.set(CSRF_FIELD, String(Number.parseInt(form.get(CSRF_FIELD) ?? '', 10) || ''));
  const from = URL.parse(ctx.get('Referer'));
  const returnTo = safeReturnAddress(from && from.pathname + from.search);
  const target = ctx.path === ENDED_FORM ? ctx.querystring : new URLSearchParams({ [TARGET]: ctx.url });
  ctx.status = 401;
  ctx.body = renderPublicPage({
    title: 'Your session has ended',
    body: html`
      <p class="notice bad" role="alert">The form was not carried out. Nothing was changed.</p>
      <p><a class="button" href=${`/console/sign-in?return_to=${encodeURIComponent(returnTo)}`} target="_blank" rel="noopener">Sign in in another tab</a></p>
      ${
        isFile
          ? html`<p>Choose the file again then. A browser does not keep it.</p>`
          : html`
        <p>Then come back to this tab. It keeps what you have entered.</p>
        <form method="post" action=${`${ENDED_FORM}?${target}`}><${KeptFields} form=${form} /><button>I am signed in again: continue</button></form>
        <${Entered} form=${form} />`
      }`,
  });
}

/**
 * Shows the form of an ended session to a new one, with a button that sends it.
 *
 * @param token the token of the session
 * @throws PageError 400 if it is not the form of an ended session
 */
export function showFormAgain(
  { query, form, token }: { query: URLSearchParams; form: URLSearchParams; token: string },
  { accountId, account }: ConsoleSession,
): ShownPage {
  const path = safeReturnAddress(query.get(TARGET));
  if (path === HOME) throw new PageError(400, 'The address of the form is missing.');
  // It stays a form of the account for which it was made, whatever account the new session shows.
  const madeFor = Number.parseInt(form.get(CSRF_FIELD) ?? '', 10) || accountId;
  const again = new URLSearchParams(form);
  again.set(CSRF_FIELD, formTokenOf(token, madeFor));
  return {
    title: 'Send the form?',
    body: html`
      <${Notice} kind="good" answers>You are signed in, and the console shows the account ${account}. The form is not sent yet.<//>
      <${Entered} form=${form} />
      <${SendAgain} form=${again} path=${path}><button>Send the form</button><//>`,
  };
}
