/** Run by `npm version` before it changes anything: fails if CHANGELOG.md has no section for the new version. */
import { readFileSync } from 'node:fs';

const version = process.env.npm_new_version;
const sections = readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## (\S+)/gm);
if (![...sections].some(([, name]) => name === version)) {
  process.stderr.write(
    `CHANGELOG.md has no section "## ${version}": add it, commit it, and run this again.\n`,
  );
  process.exit(1);
}
