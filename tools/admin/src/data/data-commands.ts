import { open, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import {
  type DataTarget,
  type EraseTools,
  logExport,
  personalData,
  requestsWith,
  type Scope,
  sharedData,
} from '@gangan/management';
import type { Command } from 'commander';
import { CommandError, describeFailure } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addEraseCommand } from './erase-command.js';
import { type GivenTarget, remarkUnread, targetOf } from './given-target.js';
import { JsonWriter } from './json-writer.js';
import { SearchProgress } from './search-progress.js';

export function addCommands(group: Command, session: AdminSession): void {
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
    .action(async ({ out, ...given }: GivenTarget & { readonly out?: string }) => {
      const target = await targetOf(session, given);
      let unreadable = 0;
      const tools: EraseTools = {
        sealer: await session.sealer(),
        region: session.settings.defaultRegion,
        onUnreadable: () => {
          unreadable += 1;
        },
      };
      const file = out === undefined ? undefined : await newFile(out);
      const writer = new JsonWriter(file ?? session.terminal.out);
      const rows = await writeAll(session, writer, target, tools).catch(async (cause: unknown) => {
        file?.destroy();
        if (out !== undefined) await rm(out, { force: true });
        throw cause;
      });
      if (unreadable > 0)
        session.remark(`${unreadable} requests of providers cannot be opened with DATA_MASTER_KEY.`);
      if (!file) return;
      file.end();
      await finished(file);
      session.remark(`${rows} records about ${target.name} are in ${out ?? ''}.`);
    });
  addEraseCommand(group, session);
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
  writer: JsonWriter,
  target: DataTarget,
  tools: EraseTools,
): Promise<number> {
  await logExport(await session.access(), target);
  const { phone, organisation, scopes } = target;
  const database = await session.database();
  let rows = 0;
  await writer.open('{');
  await writer.value(phone?.e164, 'phone');
  await writer.value(new Date().toISOString(), 'exported_at');
  await writer.open('[', 'organisations');
  const searched = new SearchProgress((line) => {
    session.remark(line);
  });
  for (const scope of scopes) rows += await writeOrganisation(session, writer, scope, tools, searched);
  await writer.close(']');
  if (phone && !organisation) {
    const { lookups, registries } = await sharedData(database, phone.e164);
    await writer.value(lookups, 'lookups');
    await writer.value(registries, 'registries');
    rows += lookups.length + registries.length;
    await writer.open('[', 'requests_of_providers');
    for await (const found of requestsWith(database, phone, tools))
      for (const { id, provider, received_at } of found) {
        await writer.value({ id, provider, received_at });
        rows += 1;
      }
    await writer.close(']');
    await remarkUnread(session);
  }
  await writer.close('}');
  await writer.end();
  return rows;
}

/** Organisations that have stored nothing about the number are left out. */
async function writeOrganisation(
  session: AdminSession,
  writer: JsonWriter,
  scope: Scope,
  tools: EraseTools,
  { add }: SearchProgress,
): Promise<number> {
  let [total, opened, count] = [0, '', 0];
  for await (const { section, rows } of personalData(await session.database(), scope, tools, add)) {
    if (total === 0) {
      await writer.open('{');
      await writer.value(scope.organisationId, 'organisation');
    }
    if (section !== opened) {
      if (total > 0) await writer.close(']');
      await writer.open('[', section);
      [opened, count] = [section, 0];
    }
    for (const row of rows) await writer.value(row);
    total += rows.length;
    count += rows.length;
    session.remark(`${scope.organisationId} ${section}: ${count}`);
  }
  if (total > 0) {
    await writer.close(']');
    await writer.close('}');
  }
  return total;
}
