import { expect } from '@jest/globals';

/**
 * A program that uses every method of the TypeScript client. It prints the answers, or passes them to `report`. Without
 * an environment, it reads its settings from `environment`.
 */
export const EVERY_METHOD = `
import { BallotEndorsements } from 'ballot-endorsements';

const { BASE_URL, API_KEY } = globalThis.process?.env ?? globalThis.environment;
const client = new BallotEndorsements({ baseUrl: BASE_URL, apiKey: API_KEY });
const all = async (list, count = Infinity) => {
  const items = [];
  for await (const item of list) if (items.push(item) >= count) break;
  return items;
};
const contests = await all(client.contests());
const endorsements = await all(client.endorsements());
const saved = await client.createSubscription({ name: 'mine', filter: { states: ['CA'] } });
const mirror = client.mirror();
let hook;
await mirror.sync();
const results = {
  states: (await client.listStates()).length,
  elections: [(await client.listElections()).data.length, (await all(client.elections())).length],
  categories: (await client.listEndorserCategories()).length,
  endorsers: [(await client.listEndorsers()).data.length, (await all(client.endorsers())).length],
  endorser: (await client.getEndorser('coast-gazette')).slug,
  contests: [(await client.listContests({ limit: 1 })).data.length, contests.length],
  exportedContests: (await all(client.exportContests())).length,
  contest: (await client.getContest(contests[0].id)).id === contests[0].id,
  endorsements: [(await client.listEndorsements()).data.length, endorsements.length],
  exportedEndorsements: (await all(client.exportEndorsements())).length,
  endorsement: (await client.getEndorsement(endorsements[0].id)).id === endorsements[0].id,
  officeholders: await client.listOfficeholders().catch(({ code }) => code),
  officeholder: await client.getOfficeholder('00000000-0000-4000-8000-000000000000', {}, { maxRetries: 0 }).catch(({ code }) => code),
  coverage: (await client.getCoverage({ upcoming: false })).length,
  recommendations: (await client.getRecommendations({ state: ['OR', 'CA'] })).endorsers,
  digest: (await client.getDigest()).count,
  subscriptions: (await client.listSubscriptions()).length,
  subscription: (await client.getSubscription(saved.id)).name,
  replaced: (await client.replaceSubscription(saved.id, { name: 'ours' })).name,
  polled: (await client.pollEvents({ from: 'earliest' })).data.length,
  events: (await all(client.events({ from: 'earliest', follow: false }))).length,
  stream: (await all(client.stream({ from: 'earliest', subscription: 'ours' }), 2)).length,
  deleted: (await client.deleteSubscription(saved.id)) === undefined,
  published: await client.publish([{ endorser: 'coast-gazette', contest: 'none/none', choice: 'none' }]).catch(({ code }) => code),
  submission: await client.submission(999_999, { wait: 1 }).catch(({ code }) => code),
  webhook: (hook = await client.createWebhook({ name: 'hook', url: 'https://hooks.example.org/' })).secret.slice(0, 6),
  webhooks: [(await client.listWebhooks()).length, (await client.getWebhook(hook.id)).state],
  webhookReplaced: (await client.replaceWebhook(hook.id, { name: 'other', url: hook.url })).name,
  webhookRotated: (await client.rotateWebhookSecret(hook.id)).secret !== hook.secret,
  webhookTested: await client.testWebhook(999_999).catch(({ code }) => code),
  webhookResumed: (await client.resumeWebhook(hook.id, { from: 'latest' })).state,
  webhookDeleted: (await client.deleteWebhook(hook.id)) === undefined,
  mirrored: (await all(mirror.records())).length,
  verified: (await mirror.verify()).ok,
};
(globalThis.report ?? console.log)(JSON.stringify(results));
`;

/** The results for a service with two endorsements and no officeholders. */
export const EVERY_RESULT = {
  states: 56,
  categories: expect.any(Number),
  endorser: 'coast-gazette',
  contest: true,
  exportedEndorsements: 2,
  endorsement: true,
  officeholders: 'not_available',
  officeholder: 'not_available',
  coverage: 56,
  recommendations: 'all',
  digest: 2,
  subscriptions: 1,
  subscription: 'mine',
  replaced: 'ours',
  endorsements: [2, 2],
  polled: 2,
  events: 2,
  stream: 2,
  deleted: true,
  published: 'endorser_not_allowed',
  submission: 'not_found',
  webhook: 'whsec_',
  webhooks: [1, 'active'],
  webhookReplaced: 'other',
  webhookRotated: true,
  webhookTested: 'not_found',
  webhookResumed: 'active',
  webhookDeleted: true,
  mirrored: 2,
  verified: true,
};
