import type { Context } from 'koa';
import type { Pool } from 'pg';
import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import type { ConsoleBudget } from '../limits/console-budget.ts';
import { shareOfConsole } from '../limits/share.ts';
import { isFileForm, readFileForm, type SentFile } from './file-form.ts';
import { isForm, readForm } from './form.ts';
import { mayUse } from './layout.ts';
import type { Page } from './page.ts';
import { PageError } from './page-error.ts';
import { findCurrentSession, type SessionSources } from './session/current-session.ts';
import { requireFormToken } from './session/forgery.ts';
import { type StrayForm, switchBack } from './session/other-account.ts';

/** A person's request for a page. */
export interface Entry {
  /** The token of the session. */
  token: string;
  session: ConsoleSession;
  /** The fields of the form; empty for GET. */
  form: URLSearchParams;
  /** The file of the form, if the page takes files. */
  file: SentFile | null;
  /** The form, if it was made for an account that the session does not show. The page must not handle it then. */
  stray: StrayForm | null;
  /** 0, or the seconds to wait if too many requests came. The page must not handle the request then. */
  waitSeconds: number;
}

export interface EntryParts extends SessionSources {
  pool: Pool;
  budget: ConsoleBudget;
}

/**
 * The only way to a page. It finds the session, counts the request, reads the form and checks its token and the role.
 * If the person asks for it, it shows the form's account again.
 *
 * @param read the form, if it was read before
 * @returns null if the request has no session, or its session has ended
 * @throws PageError if the person may not use the page, or the form is unreadable or forged
 */
export async function enter(
  ctx: Context,
  page: Page,
  parts: EntryParts,
  read: ReadForm | null = null,
): Promise<Entry | null> {
  const current = await findCurrentSession(ctx, parts);
  if (current === null) return null;
  const { token, session } = current;
  noteAccount(ctx, session);
  const waitSeconds = read === null ? parts.budget.admit(session) : 0;
  if (waitSeconds > 0) {
    const form = ctx.method === 'POST' ? (await readSent(ctx, page, token)).form : new URLSearchParams();
    return { token, session, form, file: null, stray: null, waitSeconds };
  }
  // The person's role in the form's account decides about an owner's form.
  const isSent = isForm(ctx) || (page.takesFile && isFileForm(ctx));
  const early = page.role !== 'operator' && isSent ? await readSent(ctx, page, token, read) : null;
  if (early && early.madeFor !== session.accountId && !page.anyAccount) {
    const stray = { ...early, path: ctx.path, session };
    if (await switchBack(stray, parts.pool)) return enter(ctx, page, parts, early);
    return { token, session, form: early.form, file: null, stray, waitSeconds };
  }
  requireRole(page, session);
  const sent = early ?? (ctx.method === 'POST' ? await readSent(ctx, page, token) : null);
  const { form = new URLSearchParams(), file = null } = sent ?? {};
  return { token, session, form, file, stray: null, waitSeconds };
}

/** The account for the access log, and for the budget of answers and bodies. */
export function noteAccount(ctx: Context, { account, accountId }: ConsoleSession): void {
  ctx.state.account = account;
  ctx.state.consoleShare = shareOfConsole(accountId);
}

/** The fields and the file of a form. */
interface ReadForm {
  form: URLSearchParams;
  file: SentFile | null;
}

/** Reads a form, and the id of the account for which it was made. An error's page shows what it says. */
async function readSent(
  ctx: Context,
  page: Page,
  token: string,
  read: ReadForm | null = null,
): Promise<ReadForm & { madeFor: number }> {
  const sent = read ?? (page.takesFile && isFileForm(ctx) ? await readFileForm(ctx) : null);
  const { form, file } = sent ?? { form: await readForm(ctx), file: null };
  ctx.state.entered = form;
  const madeFor = requireFormToken(form, token);
  return { form, file, madeFor };
}

function requireRole(page: Page, { role }: ConsoleSession): void {
  if (mayUse(role, page.role)) return;
  if (page.role === 'operator') throw new PageError(404, 'There is nothing at this address.');
  const able = page.role === 'editor' ? 'editors and owners' : 'owners';
  throw new PageError(403, `Only ${able} of the account can do this. Ask an owner.`);
}
