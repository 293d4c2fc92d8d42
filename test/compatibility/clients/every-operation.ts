/**
 * Calls every operation with a client whose types are generated from the description, and prints the names of
 * operations with a correct answer. Arguments: the address of the service, a key, an endorser's slug and an
 * officeholder's id.
 */
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type Event = components['schemas']['Event'];

const [baseUrl = '', key = '', slug = '', person = ''] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: `Bearer ${key}` },
  querySerializer: { array: { style: 'form', explode: false } },
});
const called: string[] = [];

/** Notes an operation, and returns its data. The type of an error has every code of every status. */
function need<Data>(
  name: string,
  { data, error }: { data?: Data; error?: components['schemas']['ErrorResponse'] },
): Data {
  if (data === undefined) throw new Error(`${name}: ${error?.error.code} ${error?.error.message}`);
  called.push(name);
  return data;
}

/** A change in words; the compiler knows the fields of each type. */
function tell(event: Event): string {
  switch (event.type) {
    case 'endorsement.created':
      return `${event.endorser.name} endorses ${event.choice.label}`;
    case 'endorsement.updated':
      return `${event.endorser.name} says: ${event.endorsement.statement ?? 'nothing'}`;
    case 'endorsement.deleted':
      return `${event.endorser.name} withdraws`;
  }
}

const states = need('listStates', await client.GET('/v1/states'));
if (!states.data.some(({ code }) => code === 'ME')) throw new Error('Maine is missing.');
const elections = need(
  'listElections',
  await client.GET('/v1/elections', {
    params: { query: { states: ['ME', 'OR'], types: ['general'], limit: 5 } },
  }),
);
const [election] = elections.data;
if (election?.details.ranked_choice !== true) throw new Error('The election is missing.');
need('listEndorserCategories', await client.GET('/v1/endorser-categories'));
const endorsers = need(
  'listEndorsers',
  await client.GET('/v1/endorsers', { params: { query: { limit: 1 } } }),
);
const next: string | null = endorsers.next_cursor;
if (next === null) throw new Error('There is no second page.');
need('listEndorsers', await client.GET('/v1/endorsers', { params: { query: { limit: 1, cursor: next } } }));
need('getEndorser', await client.GET('/v1/endorsers/{slug}', { params: { path: { slug } } }));
need(
  'listContests',
  await client.GET('/v1/contests', {
    params: { query: { levels: ['city', 'school'], contest_kinds: ['candidate'] } },
  }),
);
const endorsements = need('listEndorsements', await client.GET('/v1/endorsements'));
const [listed] = endorsements.data;
if (!listed) throw new Error('There is no endorsement.');
const party: string | null = listed.choice.party;
if (party === undefined) throw new Error('A choice has no party, not even null.');
const { data: endorsement } = need(
  'getEndorsement',
  await client.GET('/v1/endorsements/{id}', { params: { path: { id: listed.id } } }),
);
const contest = need(
  'getContest',
  await client.GET('/v1/contests/{id}', { params: { path: { id: endorsement.contest.id } } }),
);
const ranks: (number | null)[] = contest.data.endorsements.flatMap(({ picks }) =>
  picks.map(({ rank }) => rank),
);
if (!ranks.includes(1)) throw new Error('Nobody has a first choice.');
const digest = need(
  'getDigest',
  await client.GET('/v1/digest', { params: { query: { endorsers: [slug] } } }),
);
if (digest.data.buckets.length !== 1) throw new Error('The digest has no bucket.');
need('getCoverage', await client.GET('/v1/coverage', { params: { query: { upcoming: false } } }));
need(
  'listOfficeholders',
  await client.GET('/v1/officeholders', { params: { query: { levels: ['state'] } } }),
);
const officeholder = need(
  'getOfficeholder',
  await client.GET('/v1/officeholders/{id}', { params: { path: { id: person } } }),
);
const started: string | null | undefined = officeholder.data.seats[0]?.term.start;
if (started === undefined) throw new Error('A seat has no start, not even null.');
const recommendations = need(
  'getRecommendations',
  await client.GET('/v1/recommendations', {
    params: { query: { election: [election.slug], endorsers: [slug] } },
  }),
);
const { endorsers: counted, elections: recommended } = recommendations.data;
if (counted === 'all' || !('endorsers' in counted)) throw new Error('The filter is missing.');
if (!recommended[0]?.contests.some(({ recommendation }) => recommendation.agreement === 'unanimous'))
  throw new Error('One endorser disagrees with itself.');

const events = need(
  'listEvents',
  await client.GET('/v1/events', { params: { query: { from: 'earliest' } } }),
);
if (!events.data.map(tell).every((told) => told.includes(' endorses ')))
  throw new Error('Not every event is described.');

const stream = await client.GET('/v1/stream', { params: { query: { from: 'earliest' } }, parseAs: 'stream' });
const body = need('streamEvents', stream) as ReadableStream<Uint8Array>;
let text = '';
for await (const bytes of body) {
  text += new TextDecoder().decode(bytes);
  if (text.includes('\nevent: endorsement\n') && text.endsWith('\n\n')) break;
}
const frame = text.slice(text.indexOf('\nevent: endorsement\n'));
const event = JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '') as Event;
if (tell(event) !== tell(events.data[0] as Event)) throw new Error('The stream begins with another event.');

const created = need(
  'createSubscription',
  await client.POST('/v1/subscriptions', { body: { name: 'Generated', filter: { states: ['ME'] } } }),
);
const path = { id: created.data.id };
need('getSubscription', await client.GET('/v1/subscriptions/{id}', { params: { path } }));
need(
  'replaceSubscription',
  await client.PUT('/v1/subscriptions/{id}', { params: { path }, body: { name: 'Generated again' } }),
);
need('listSubscriptions', await client.GET('/v1/subscriptions'));
const deleted = await client.DELETE('/v1/subscriptions/{id}', { params: { path } });
if (deleted.response.status === 204) called.push('deleteSubscription');
const gone = await client.GET('/v1/subscriptions/{id}', { params: { path } });
if (gone.error?.error.code !== 'subscription_not_found') throw new Error('The subscription is still there.');

const published = need(
  'createSubmissions',
  await client.POST('/v1/submissions', {
    body: { submissions: [{ endorser: slug, contest: `${election.slug}/nowhere`, choice: 'nobody' }] },
  }),
);
const outcome = need(
  'getSubmissions',
  await client.GET('/v1/submissions/{id}', {
    params: { path: { id: published.data.id }, query: { wait: 25 } },
  }),
);
if (outcome.data.submissions[0]?.reason?.code !== 'unknown_contest') throw new Error('It is not rejected.');

const url = 'https://hooks.example.org/';
const hook = need('createWebhook', await client.POST('/v1/webhooks', { body: { name: 'Generated', url } }));
if (!hook.data.secret.startsWith('whsec_')) throw new Error('The webhook has no secret.');
const named = { params: { path: { id: hook.data.id } } };
need('getWebhook', await client.GET('/v1/webhooks/{id}', named));
need('listWebhooks', await client.GET('/v1/webhooks'));
need('replaceWebhook', await client.PUT('/v1/webhooks/{id}', { ...named, body: { name: 'Again', url } }));
need('rotateWebhookSecret', await client.POST('/v1/webhooks/{id}/secret', named));
need('resumeWebhook', await client.POST('/v1/webhooks/{id}/resume', { ...named, body: { from: 'latest' } }));
const tested = await client.POST('/v1/webhooks/{id}/test', { params: { path: { id: 999_999 } } });
if (tested.error?.error.code === 'not_found') called.push('testWebhook');
const dropped = await client.DELETE('/v1/webhooks/{id}', named);
if (dropped.response.status === 204) called.push('deleteWebhook');

process.stdout.write(JSON.stringify([...new Set(called)]));
