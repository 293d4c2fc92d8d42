import type { Endpoint, Route } from '../../../gateway/http/route.ts';
import { createDemo } from '../../../ops/demo/generate.ts';
import type { Submission } from '../../../schemas/submission.ts';
import { parseSubmission } from '../../../schemas/submission-files.ts';
import type { CatalogueLine } from '../ballots/catalogue.ts';

/**
 * A part of the demo ballot, and a request for each operation with an answer in it. Voters rank the choices of the
 * contest, and the ids exist in every demo.
 */

const ELECTION = 'me-2026-11-03-general';
const CONTEST = `${ELECTION}/fennelwold-mayor`;
const demo = createDemo({
  contests: 2500,
  endorsers: 400,
  endorsements: 30_000,
  seed: 1,
  today: '2026-10-01',
});

/** The demo's categories and endorsers, and one of its elections. */
export function exampleCatalogue(): CatalogueLine[] {
  const lines: CatalogueLine[] = [];
  for (const record of demo.categories()) lines.push(['endorser-categories', record]);
  for (const record of demo.endorsers()) lines.push(['endorsers', record]);
  for (const record of demo.elections()) if (record.slug === ELECTION) lines.push(['elections', record]);
  for (const record of demo.contests()) if (record.election === ELECTION) lines.push(['contests', record]);
  return lines;
}

/** The four longest positions of the demo's endorsers in the contest. */
export function exampleSubmissions(): Submission[] {
  const found = [...demo.submissions()].flatMap((record) => {
    const parsed = record.contest === CONTEST ? parseSubmission(record) : null;
    return parsed?.ok ? [parsed.value] : [];
  });
  return found.sort((a, b) => b.picks.length - a.picks.length).slice(0, 4);
}

/** The endorser for which the example publishes. */
export const examplePublisher = (): string => exampleSubmissions()[1]?.endorser ?? '';

/** A position of that endorser in the contest, in the form of a file. */
function examplePosition() {
  const endorser = examplePublisher();
  const [choice = ''] = exampleSubmissions().flatMap(({ picks }) => picks.map((pick) => pick.choice));
  const statement = 'A plan for every street of the town.';
  const pick = { choice, rank: 1, statement, source_url: 'https://endorser.example/fennelwold' };
  return { action: 'position', endorser, contest: CONTEST, picks: [pick] };
}

/** The parts of an example request beyond its operation. */
export interface ExampleRequest {
  /** Values of path and query parameters. */
  parameters?: Readonly<Record<string, string | number | number[]>>;
  body?: unknown;
}

/** A list that is easy to look through. */
const SHORT = { parameters: { limit: 3 } };

const NEWSPAPERS = {
  name: 'Newspapers of the coast',
  filter: { categories: ['newspaper'], states: ['CA', 'OR'] },
};

/**
 * A request for each operation.
 *
 * @param ids ids of a contest, an endorsement, an officeholder, a subscription, submissions and a webhook, and the slug of an
 *   endorser
 */
export const exampleRequests = (ids: {
  contest: number;
  endorsement: number;
  endorser: string;
  officeholder: string;
  subscription: number;
  submissions: number;
  webhook: number;
  /** The address of a receiver of webhooks. */
  receiver: string;
}): Readonly<Record<string, ExampleRequest>> => ({
  listStates: {},
  listElections: SHORT,
  listEndorserCategories: {},
  listEndorsers: SHORT,
  getEndorser: { parameters: { slug: ids.endorser } },
  listContests: SHORT,
  getContest: { parameters: { id: ids.contest } },
  listEndorsements: SHORT,
  getEndorsement: { parameters: { id: ids.endorsement } },
  getDigest: {},
  getCoverage: {},
  listOfficeholders: SHORT,
  getOfficeholder: { parameters: { id: ids.officeholder } },
  getRecommendations: { parameters: { contest: [ids.contest] } },
  listEvents: { parameters: { from: 'earliest', limit: 3 } },
  streamEvents: {},
  listSubscriptions: {},
  createSubscription: { body: NEWSPAPERS },
  getSubscription: { parameters: { id: ids.subscription } },
  replaceSubscription: {
    parameters: { id: ids.subscription },
    body: { ...NEWSPAPERS, name: 'Coast papers' },
  },
  deleteSubscription: { parameters: { id: ids.subscription } },
  createSubmissions: { body: { submissions: [examplePosition()] } },
  getSubmissions: { parameters: { id: ids.submissions, wait: 25 } },
  listWebhooks: {},
  createWebhook: { body: { ...NEWSPAPERS, url: ids.receiver } },
  getWebhook: { parameters: { id: ids.webhook } },
  replaceWebhook: {
    parameters: { id: ids.webhook },
    body: { ...NEWSPAPERS, name: 'Coast papers', url: ids.receiver },
  },
  deleteWebhook: { parameters: { id: ids.webhook } },
  rotateWebhookSecret: { parameters: { id: ids.webhook } },
  testWebhook: { parameters: { id: ids.webhook } },
  resumeWebhook: { parameters: { id: ids.webhook }, body: { from: 'position' } },
});

/** The address of a request: its path, and its query. */
export function addressOf(
  { path, query }: Pick<Route | Endpoint, 'path' | 'query'>,
  { parameters = {} }: ExampleRequest,
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(parameters[name]));
  const chosen = Object.entries(parameters).filter(([name]) => name in query);
  const search = new URLSearchParams(chosen.map(([name, value]): [string, string] => [name, String(value)]));
  return `${filled}${search.size > 0 ? `?${search}` : ''}`;
}
