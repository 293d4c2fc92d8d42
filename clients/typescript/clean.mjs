/** Removes the last build, so that the package has no stale files. */
import { rm } from 'node:fs/promises';

await rm(new URL('dist', import.meta.url), { recursive: true, force: true });
