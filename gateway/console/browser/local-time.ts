/** Puts the local time beside the times that a page has when it comes. */
import { showLocalTimes } from './show-local-times.ts';

showLocalTimes(document);
