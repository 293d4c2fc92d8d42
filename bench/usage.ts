/*
 * Measures the cost of counting requests for the usage of accounts. It runs on an existing store: DATABASE_URL, or a
 * running service's DATA_DIR.
 */
import { compareAccess } from './access-comparison.ts';

await compareAccess('uncounted', 'counting');
process.exit(0);
