import { afterAll, beforeAll } from '@jest/globals';
import { createFolder } from './folder.ts';

/** Gives a test file an empty folder while its tests run. @returns the path of a file in it, or of the folder itself */
export function useFolder(): (name?: string) => string {
  let folder: Awaited<ReturnType<typeof createFolder>>;
  beforeAll(async () => {
    folder = await createFolder({});
  });
  afterAll(() => folder.remove());
  return (name = '') => folder.file(name);
}
