/** @platformatic/kafka, loaded without compiling its checks. The order of the imports matters. */
import { endLaziness } from './lazy-checks.ts';

// biome-ignore lint/style/noRestrictedImports: the other files import it from here.
export * from '@platformatic/kafka';

endLaziness();
