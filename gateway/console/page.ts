import type { Language, Role } from '../../schemas/vocabulary.ts';
import type { ConsoleSession } from '../../store/access/console-sessions.ts';
import type { ConsoleContext } from './context.ts';
import type { SentFile } from './file-form.ts';
import type { Content } from './html.ts';

/** A request of a signed-in person. */
export interface PageRequest {
  /** The parameters in the path by name, percent-decoded. */
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** The fields of a form; empty for GET. */
  form: URLSearchParams;
  /** The file of a form, if the page takes files and one was chosen. */
  file: SentFile | null;
  session: ConsoleSession;
  /** The service's address in this person's browser, without a trailing slash: https://ballots.example.org. */
  publicUrl: string;
  /** The id of the request, as in the log and in X-Request-Id. */
  id: string;
  /** Aborts when the connection closes. */
  readonly closed: AbortSignal;
}

/** A page to show. */
export interface ShownPage {
  title: string;
  body: Content;
  /** The language of the title if it differs from the page's. */
  titleLang?: Language | undefined;
  /** Why a form was refused, in sentences above the page. */
  problem?: string | readonly string[] | null | undefined;
  /** By default 200, or 400 with a problem. */
  status?: number | undefined;
  /** A script of gateway/console/browser, by its name without the ending. */
  script?: string;
}

export const statusOf = ({ status, problem }: ShownPage): number => status ?? (problem?.length ? 400 : 200);

/** A refused form: the status of its page, and the reason in a sentence. */
export interface Refusal {
  status: number;
  problem: string;
}

/** A table to download, as CSV, and the name of its file. */
interface TableFile {
  table: string;
  name: string;
}

/** A page's answer: the page itself, a file, or the address to open after a form. */
export type PageReply = ShownPage | TableFile | { redirect: string };

/** A page of the console, or the target of a form. */
export interface Page {
  method: 'GET' | 'POST';
  /** Begins with /console; parameter names stand in braces. */
  path: string;
  /** The least role that may use it. Others get 404 for an operator's page, and 403 for an owner's. */
  role: Role;
  /** Whether its form does the same for every shown account, as operators' forms do. */
  anyAccount?: true;
  /** Whether the browser's Back button shows its answer again, until the person signs out. Never for secrets. */
  comesBack?: true;
  /** Whether its form can have a file. */
  takesFile?: true;
  /** Whether it waits for a receiver of the account, and not for this service. */
  awaitsReceiver?: true;
  /** @throws ApiError, which is shown as a page of its status. */
  handle(request: PageRequest, context: ConsoleContext): Promise<PageReply>;
}

type Handle = Page['handle'];

/** A page to look at. @param role the least role that may use it */
export const definePage = (path: string, role: Role, handle: Handle): Page => ({
  method: 'GET',
  path,
  role,
  handle,
});

/** The target of a form. @param role the least role that may use it */
export const defineForm = (
  path: string,
  role: Role,
  handle: Handle,
  more: Pick<Page, 'anyAccount' | 'comesBack' | 'takesFile' | 'awaitsReceiver'> = {},
): Page => ({ method: 'POST', path, role, handle, ...more });

/** The place of a page in the menu. */
export interface MenuEntry {
  path: string;
  label: string;
  role: Role;
}
