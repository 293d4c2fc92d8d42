import type { Context } from 'koa';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { ApiError } from '../http/api-error.ts';
import { isRejectedValue } from '../http/middleware/errors.ts';
import { isFileForm } from './file-form.ts';
import { html } from './html.ts';
import { Entered } from './kept-form.ts';
import { renderPublicPage } from './layout.ts';
import { PageError } from './page-error.ts';

interface Failure {
  status: number;
  message: string;
}

function describeFailure(error: unknown, log: Logger, requestId: string): Failure {
  if (error instanceof PageError || error instanceof ApiError) return error;
  if (isRejectedValue(error)) {
    log.warn({ error, requestId }, 'the database rejects a value');
    return { status: 400, message: 'This page does not accept a value in the address or the form.' };
  }
  const fields = { requestId };
  const kind = reportFailure(log, error, { where: 'console', message: 'a page failed', fields });
  return kind === 'defect'
    ? { status: 500, message: 'The page failed because of a defect of the service.' }
    : { status: 503, message: 'The page is not available, because a server does not answer. Try again.' };
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This does not work',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Not possible here',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something is broken',
  503: 'Not available',
};

/** Runs a request, and shows an error as a page, with what a form of the person says. */
export async function answerErrors(ctx: Context, log: Logger, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { status, message } = describeFailure(error, log, ctx.state.requestId);
    ctx.status = status;
    const { entered } = ctx.state;
    if (error instanceof ApiError) ctx.set(error.headers);
    ctx.body = renderPublicPage({
      title: TITLES[status] ?? 'This does not work',
      body: html`
        <p>${message}</p>
        ${entered && html`<${Entered} form=${entered} />`}
        ${
          isFileForm(ctx)
            ? html`<p><a href=${ctx.path}>Back to the form</a></p>`
            : html`<p><a href="/console">Back to the console</a></p>`
        }
        <p class="muted">Request ${ctx.state.requestId}</p>`,
    });
  }
}
