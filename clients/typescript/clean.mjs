/** Removes the last build, so that a package has no file whose source is gone. */
import { rm } from 'node:fs/promises';

await rm(new URL('dist', import.meta.url), { recursive: true, force: true });
