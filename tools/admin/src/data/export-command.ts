import { open, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { Database } from '@gangan/database';
import type { Command } from 'commander';
import { CommandError, describeFailure } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { remarkUnread, scopesOf } from './scopes.js';
import { sections } from './export-rows.js';
import { JsonWriter } from './json-writer.js';
import { noPatterns } from './search/number-pattern.js';
import { masked, type Scope } from './search/scope.js';
import { SearchProgress } from './search/search-progress.js';
import { findFindings, findRegistered, requestsWith } from './tables/shared.js';
import { type EraseTools, forEachSlice } from './tables/source.js';

interface Options {
  readonly phone: string;
  readonly organisation?: string;
  readonly out?: string;
}

export function addExportCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'export',
    'print everything that is stored about a phone number, as JSON',
    ['--phone "0803 123 4567" --out person.json', '--phone +2348031234567 --organisation acme/live'],
    `Without --organisation: in all organisations, with the registries and the requests of providers that contain the number.
Names and texts are printed as they are: keep the file safe, and delete it afterwards. The export is logged.`,
  )
    .requiredOption('--phone <number>', 'the number of the person')
    .option('--organisation <organisation>', 'only what this organisation has stored')
    .option('--out <file>', 'write to a new file that only you can read, instead of the terminal')
    .action(async ({ phone, organisation: given, out }: Options) => {
      const database = await session.database();
      const organisation = given === undefined ? undefined : await session.organisation(given);
      const scopes = await scopesOf(session, database, phone, organisation);
      const name = masked(scopes[0]?.phone ?? '');
      const unreadable = { count: 0 };
      const tools: EraseTools = {
        sealer: await session.sealer(),
        region: session.settings.defaultRegion,
        onUnreadable: () => {
          unreadable.count += 1;
        },
      };
      const file = out === undefined ? undefined : await newFile(out);
      const target = organisation ? `${name} in ${organisation.label}` : name;
      await database.$transaction((models) =>
        session.audit(models, { organisationId: organisation?.id, target }),
      );
      const writer = new JsonWriter(file ?? session.terminal.out);
      const rows = await writeAll(session, database, writer, scopes, !organisation, tools).catch(
        async (cause: unknown) => {
          file?.destroy();
          if (out !== undefined) await rm(out, { force: true });
          throw cause;
        },
      );
      if (unreadable.count > 0)
        session.remark(`${unreadable.count} requests of providers cannot be opened with DATA_MASTER_KEY.`);
      if (!file) return;
      file.end();
      await finished(file);
      session.remark(`${rows} records about ${target} are in ${out ?? ''}.`);
    });
}

/** Refuses a file that exists: it may be readable for others. */
const newFile = async (path: string) => {
  const handle = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be written: ${describeFailure(cause)}`, { cause });
  });
  // Without a listener, a write that fails ends the process. `finished` reports it, unless the command has failed before.
  return handle.createWriteStream().on('error', () => undefined);
};

async function writeAll(
  session: AdminSession,
  database: Database,
  writer: JsonWriter,
  scopes: readonly Scope[],
  shared: boolean,
  tools: EraseTools,
): Promise<number> {
  const [{ phone, patterns } = { phone: null, patterns: noPatterns }] = scopes;
  let rows = 0;
  await writer.open('{');
  await writer.value(phone, 'phone');
  await writer.value(new Date().toISOString(), 'exported_at');
  await writer.open('[', 'organisations');
  const searched = new SearchProgress((line) => {
    session.remark(line);
  });
  for (const scope of scopes) {
    const written = await writeOrganisation(session, database, writer, scope, tools, searched);
    rows += written;
  }
  await writer.close(']');
  if (shared && phone !== null) {
    const findings = await database.run(findFindings, phone);
    const registered = await database.run(findRegistered, phone);
    await writer.value(
      findings.map(({ row }) => row),
      'lookups',
    );
    await writer.value(
      registered.map(({ row }) => row),
      'registries',
    );
    rows += findings.length + registered.length;
    await writer.open('[', 'requests_of_providers');
    const requests = requestsWith(database, tools.sealer, patterns, tools.onUnreadable);
    for await (const found of requests)
      for (const { id, provider, receivedAt } of found) {
        await writer.value({ id, provider, received_at: receivedAt });
        rows += 1;
      }
    await writer.close(']');
    await remarkUnread(session, database);
  }
  await writer.close('}');
  await writer.end();
  return rows;
}

/** Organisations that have stored nothing about the number are left out. */
async function writeOrganisation(
  session: AdminSession,
  database: Database,
  writer: JsonWriter,
  scope: Scope,
  tools: EraseTools,
  searched: SearchProgress,
): Promise<number> {
  const written = { rows: 0 };
  for (const { name, source, read } of sections) {
    const earlier = written.rows;
    const write = async (ids: readonly string[]): Promise<void> => {
      for (const row of await read(database, scope, ids, tools)) {
        if (written.rows === 0) {
          await writer.open('{');
          await writer.value(scope.organisationId, 'organisation');
        }
        if (written.rows === earlier) await writer.open('[', name);
        await writer.value(row);
        written.rows += 1;
      }
      session.remark(`${scope.organisationId} ${name}: ${written.rows - earlier}`);
    };
    await forEachSlice(database, source, scope, write, (count) => {
      searched.add(source.table, count);
    });
    if (written.rows > earlier) await writer.close(']');
  }
  if (written.rows > 0) await writer.close('}');
  return written.rows;
}
