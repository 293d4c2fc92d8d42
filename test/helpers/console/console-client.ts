import { createConsoleLink, type LinkOptions } from '../../../ops/commands/console.ts';
import type { TestService } from '../service/service.ts';

/** A page that a browser receives. */
export interface ReceivedPage {
  status: number;
  headers: Headers;
  html: string;
  /** The address of a redirect; empty without one. */
  location: string;
}

/** The state that a page has shown, which its form sends back. */
export const readSeen = ({ html }: ReceivedPage): string =>
  /name="seen" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** A browser without scripts, with its own cookies, on the console of a service. */
export class ConsoleClient {
  readonly #service: TestService;
  readonly #cookies = new Map<string, string>();
  /** The gateway that receives its requests. */
  gateway = 0;
  /** Headers of its requests. */
  headers: Record<string, string> = {};

  constructor(service: TestService) {
    this.#service = service;
  }

  /** A client that a link has signed in. */
  static async signIn(service: TestService, options: Partial<LinkOptions> = {}): Promise<ConsoleClient> {
    const client = new ConsoleClient(service);
    const { status, html } = await client.send('POST', await makeLink(service, options));
    if (status !== 303) throw new Error(`The link was answered with ${status}: ${html}`);
    return client;
  }

  /** Opens a page without following redirects. */
  get(path: string): Promise<ReceivedPage> {
    return this.send('GET', path);
  }

  /**
   * Sends a form with the session's form token, as its page would, unless `fields` has another.
   *
   * @param fields a list is sent as several fields of its name
   */
  async post(
    path: string,
    fields: Readonly<Record<string, string | readonly string[]>> = {},
  ): Promise<ReceivedPage> {
    const form = new URLSearchParams(fields.csrf === undefined ? { csrf: await this.formToken() } : {});
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) form.append(name, value);
    }
    return this.send('POST', path, form);
  }

  /** Sends a form with a file, as its page would. */
  async postFile(
    path: string,
    fields: Readonly<Record<string, string>>,
    file: { name: string; text: string | Uint8Array<ArrayBuffer> },
  ): Promise<ReceivedPage> {
    const form = new FormData();
    form.append('csrf', fields.csrf ?? (await this.formToken()));
    for (const [name, value] of Object.entries(fields)) if (name !== 'csrf') form.append(name, value);
    form.append('file', new Blob([file.text]), file.name);
    return this.send('POST', path, form);
  }

  /** The token in the forms of this session. */
  async formToken(): Promise<string> {
    const { html } = await this.get('/console/account');
    return /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
  }

  /** The value of a cookie; empty if the browser has none of this name. */
  cookie(name: string): string {
    return this.#cookies.get(name) ?? '';
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async send(method: string, path: string, body?: URLSearchParams | FormData): Promise<ReceivedPage> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.#service.url(path, this.gateway), {
      method,
      redirect: 'manual',
      headers: { 'Accept-Encoding': 'identity', ...(cookie && { Cookie: cookie }), ...this.headers },
      ...(body && { body }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: response.headers.get('Location') ?? '',
    };
  }
}

/** The path of a link that signs in once. */
export async function makeLink(
  { databaseUrl }: TestService,
  { account = 'test', role = 'owner', person = 'ann' }: Partial<LinkOptions> = {},
): Promise<string> {
  return createConsoleLink({ databaseUrl, publicUrl: '' }, { account, role, person });
}
