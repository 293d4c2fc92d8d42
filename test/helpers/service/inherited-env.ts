/**
 * The part of this process's environment that the programs of a test get: where programs are, and where Node keeps the code
 * that it has compiled, if `npm test` says so.
 */
export const INHERITED_ENV: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
