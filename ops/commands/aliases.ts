import type { ClientBase } from 'pg';
import { readNdjson } from '../../administration/catalogue/ndjson.ts';
import { createRefusalList } from '../../administration/catalogue/refusal-list.ts';
import { type Alias, parseAlias } from '../../schemas/alias-files.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readPages } from '../../service/read-pages.ts';
import { deleteAliases, loadAliases, type StoredAlias, saveAliases } from '../../store/intake/aliases.ts';
import { readBytes } from '../catalog/count-bytes.ts';
import { formatRefusals } from '../catalog/format-refusals.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { inDatabaseOf } from '../database.ts';
import { requireFile } from '../find-path.ts';
import { findNamedAccount } from '../named-account.ts';
import { parseRowId } from '../row-id.ts';
import { count, formatDay, formatTable } from '../table.ts';

const MAX_LINE_BYTES = 10_000;
/** The decisions that are in memory at a time. */
const PAGE = 1_000;
const MAX_IDS = 1_000;

const EXAMPLES = `
Examples:
  npm run ops -- aliases list
  npm run ops -- aliases export --account acme > aliases.ndjson
  npm run ops -- aliases import aliases.ndjson
  npm run ops -- aliases forget 12 13`;

interface Flags {
  account?: string;
}

/** `aliases list`, `aliases export`, `aliases import FILE`, `aliases forget ID...`, each with `[--account NAME]`. */
export const define: DefineCommand = (aliases, io) => {
  const add = (name: string, description: string) =>
    aliases
      .command(name)
      .description(description)
      .option('--account <name>', 'the list of an account; the common one by default')
      .addHelpText('after', EXAMPLES);
  add('list', 'list what people have decided that names in tables mean').action((flags: Flags) =>
    list(io, flags),
  );
  add('export', 'write the decisions on standard output, as NDJSON').action((flags: Flags) =>
    exportAll(io, flags),
  );
  add('import', 'add decisions from a file of "aliases export"; they replace others about the same names')
    .argument('<file>', 'the file')
    .action((file: string, flags: Flags) => importFile(io, file, flags));
  add('forget', 'forget decisions, so that their names need another')
    .argument('<ids...>', 'ids that "aliases list" shows')
    .action((ids: string[], flags: Flags) => forget(io, ids, flags));
};

/** @throws OperatorError if there is no such account, or the database cannot be used */
async function withList<T>(
  io: CommandIo,
  { account }: Flags,
  work: (client: ClientBase, accountId: number | null) => Promise<T>,
): Promise<T> {
  return inDatabaseOf(io, async (client) => work(client, await findNamedAccount(client, account)));
}

const readList = (client: ClientBase, accountId: number | null): AsyncGenerator<StoredAlias> =>
  readPages((after) => loadAliases(client, accountId, { after, limit: PAGE }));

async function list(io: CommandIo, flags: Flags): Promise<void> {
  await withList(io, flags, async (client, accountId) => {
    const head = ['ID', 'KIND', 'WITHIN', 'TEXT', 'MEANS', 'DECIDED'];
    for (const line of formatTable(head, [])) io.out(line);
    for await (const { id, kind, scope, text, key, decided_at: at } of readList(client, accountId)) {
      const [, line = ''] = formatTable(head, [[id, kind, scope || null, text, key, formatDay(at)]]);
      io.out(line);
    }
  });
}

async function exportAll(io: CommandIo, flags: Flags): Promise<void> {
  await withList(io, flags, async (client, accountId) => {
    for await (const { kind, scope, text, key } of readList(client, accountId)) {
      io.out(JSON.stringify({ kind, scope, text, key }));
    }
  });
}

/** Adds all decisions of a file, or none. */
async function importFile(io: CommandIo, file: string, flags: Flags): Promise<void> {
  await requireFile(file);
  const refusals = createRefusalList();
  await withList(io, flags, async (client, accountId) => {
    let added = 0;
    let read = 0;
    let batch: Alias[] = [];
    const save = async () => {
      if (batch.length > 0) added += await saveAliases(client, accountId, batch);
      batch = [];
    };
    for await (const item of readNdjson(file, readBytes(file), MAX_LINE_BYTES)) {
      const { line } = item;
      if ('fault' in item) {
        refusals.add({ file, line, field: null, message: item.fault, name: null });
        continue;
      }
      const parsed = parseAlias(item.value);
      if (parsed.ok) batch.push(parsed.value);
      else for (const problem of parsed.problems) refusals.add({ file, line, ...problem, name: null });
      read += 1;
      if (batch.length >= PAGE) await save();
    }
    await save();
    for (const line of formatRefusals(refusals)) io.err(line);
    if (refusals.total > 0) throw new OperatorError('Nothing was imported: correct these lines first.');
    io.out(`${count(added)} of ${count(read)} decisions are new or changed.`);
  });
}

async function forget(io: CommandIo, given: string[], flags: Flags): Promise<void> {
  if (given.length > MAX_IDS) throw new OperatorError(`At most ${count(MAX_IDS)} ids can be given at once.`);
  const ids = [...new Set(given.map((text) => parseRowId(text, 'aliases list')))];
  await withList(io, flags, async (client, accountId) => {
    const found = new Set(await deleteAliases(client, accountId, ids));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) {
      throw new OperatorError(`The list has no decision ${missing.join(', ')}: nothing was forgotten.`);
    }
    io.out(`${count(found.size)} decisions are forgotten.`);
  });
}
