import { afterAll, beforeAll } from '@jest/globals';
import type { Role } from '../../../schemas/vocabulary.ts';
import { createIo, createRunner } from '../commands/command-io.ts';
import { TestService, type TestServiceOptions } from '../service/service.ts';
import { ConsoleClient } from './console-client.ts';
import { TestProvider } from './oidc-provider.ts';

export const PUBLIC_URL = 'https://ballots.example.org';
const runConsole = createRunner('console');
let count = 0;

/** A service with two gateways, and a provider for signing in to its console. */
export class ConsoleWithProvider {
  readonly provider = new TestProvider(PUBLIC_URL);
  /** Set once the service has started. */
  service!: TestService;

  async start(options: TestServiceOptions): Promise<void> {
    await this.provider.start();
    this.service = await TestService.start({
      gateways: 2,
      ...options,
      gatewayConfig: { publicUrl: PUBLIC_URL, provider: this.provider.settings, ...options.gatewayConfig },
    });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.provider.stop();
  }

  /** Makes an account. @returns its name */
  async makeAccount(name = `account ${++count}`): Promise<string> {
    await this.service.createKey(name, 'internal');
    return name;
  }

  /** Makes a person with a verified address at the provider. @returns their subject, which determines the address */
  makeUser(name: string): string {
    const subject = `${name}${++count}`;
    this.provider.users.set(subject, { email: emailOf(subject), email_verified: true, name });
    return subject;
  }

  /** Runs `console invite`. @returns the path of the link */
  async invite(account: string, email: string, role: Role = 'member'): Promise<string> {
    const io = createIo({ DATABASE_URL: this.service.databaseUrl, PUBLIC_URL });
    await runConsole(['invite', '--account', account, '--email', email, '--role', role], io);
    return (io.printed[0] ?? '').slice(PUBLIC_URL.length);
  }

  /** Adds a new person to an account. @returns their subject, and their signed-in browser */
  async join(
    account: string,
    { name = 'ann', role = 'member' }: { name?: string; role?: Role } = {},
  ): Promise<{ subject: string; client: ConsoleClient }> {
    const subject = this.makeUser(name);
    const link = await this.invite(account, emailOf(subject), role);
    const client = new ConsoleClient(this.service);
    const { status, html } = await this.provider.signIn(client, subject, startOf(link));
    if (status !== 303) throw new Error(`The sign-in was answered with ${status}: ${html}`);
    return { subject, client };
  }
}

/** The address of a person at the provider. */
export const emailOf = (subject: string): string => `${subject}@example.org`;

/** The address at which the sign-in of an invitation starts, from the invitation's link. */
export const startOf = (link: string): string =>
  `/console/sign-in/start?invitation=${link.split('/').at(-1)}`;

/** Gives a test file a console with a provider while its tests run. */
export function useConsoleWithProvider(options: TestServiceOptions = {}): ConsoleWithProvider {
  const console = new ConsoleWithProvider();
  beforeAll(() => console.start(options));
  afterAll(() => console.stop());
  return console;
}
