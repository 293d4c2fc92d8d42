import type { Route } from '../route.ts';
import { endorsementsRoute } from './endorsements.ts';
import { eventsRoute } from './events.ts';
import { statesRoute } from './states.ts';
import { streamRoute } from './stream.ts';

/** Every endpoint that needs an API key. */
export const routes: readonly Route[] = [statesRoute, endorsementsRoute, eventsRoute, streamRoute];
