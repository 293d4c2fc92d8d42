/**
 * The part of this process's environment for the programs of a test: the paths of programs, and Node's folder for
 * compiled code if `npm test` names one.
 */
export const INHERITED_ENV: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
