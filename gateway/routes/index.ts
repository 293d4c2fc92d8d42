import { contestRoute, contestsRoute } from './contests.ts';
import { coverageRoute } from './coverage.ts';
import type { RouteDefinition } from './define-route.ts';
import { digestRoute } from './digest.ts';
import { electionsRoute } from './elections.ts';
import { endorsementRoute } from './endorsement.ts';
import { endorsementsRoute } from './endorsements.ts';
import { endorserCategoriesRoute } from './endorser-categories.ts';
import { endorserRoute, endorsersRoute } from './endorsers.ts';
import { eventsRoute } from './events.ts';
import { officeholderRoute, officeholdersRoute } from './officeholders.ts';
import { recommendationsRoute } from './recommendations/route.ts';
import { statesRoute } from './states.ts';
import { streamRoute } from './stream.ts';
import { submissionRoutes } from './submissions.ts';
import { subscriptionRoutes } from './subscriptions.ts';
import { webhookRoutes } from './webhooks/routes.ts';

/** All routes that need an API key. */
export const routes: readonly RouteDefinition[] = [
  statesRoute,
  electionsRoute,
  endorserCategoriesRoute,
  endorsersRoute,
  endorserRoute,
  contestsRoute,
  contestRoute,
  endorsementsRoute,
  endorsementRoute,
  digestRoute,
  coverageRoute,
  officeholdersRoute,
  officeholderRoute,
  recommendationsRoute,
  eventsRoute,
  streamRoute,
  ...subscriptionRoutes,
  ...submissionRoutes,
  ...webhookRoutes,
];
