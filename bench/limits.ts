/*
 * Measures the cost of keys and limits, counting included. It runs on an existing store: DATABASE_URL, or a running
 * service's DATA_DIR.
 */
import { compareAccess } from './access-comparison.ts';

await compareAccess('open', 'keys and limits');
process.exit(0);
