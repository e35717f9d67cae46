import type { Database } from '@gangan/database';
import type { Command } from 'commander';
import type { AuditEntry } from '@gangan/management';
import { CommandError } from '../session/errors.js';
import type { Organisation } from '@gangan/management';
import { StoredJson } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { findSmartlists } from './tables/contacts.js';
import { type Counts, countAll, eraseAll, type EraseObserver, sourcesFor, type Target } from './erase.js';
import { remarkUnread, scopesOf } from './scopes.js';
import { noPatterns } from './search/number-pattern.js';
import { masked } from './search/scope.js';
import { SearchProgress } from './search/search-progress.js';
import type { EraseTools, Unreadable } from './tables/source.js';
import { assertFinal } from './unfinished.js';

interface Options {
  readonly phone?: string;
  readonly organisation?: string;
  readonly withOptOuts?: true;
  readonly deleteUnreadable?: true;
  readonly dryRun?: true;
}

const notes = `A number: its contents are deleted, and it is replaced by "erased" in messages, OTPs and purchases, which stay for the books.
Without --organisation this is done in all organisations. Opt-outs stay, so that the number gets no promotional messages.
An organisation: the same for all its numbers, and its API keys are revoked. It must be suspended first.
Nothing is erased while a message, an OTP or a purchase is not final. Callbacks that still wait are not sent.
Safe to interrupt and to repeat: it continues. docs/operate/personal-data.md lists what stays.`;

const unreadableText = `DATA_MASTER_KEY does not open the text of a message to several recipients: add the key that sealed it. If that key is lost, --delete-unreadable deletes the text for all of them. What was erased before stays erased; run the command again.`;

export function addEraseCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'erase',
    'erase the personal data of a phone number, or of all numbers of a suspended organisation',
    [
      '--phone "0803 123 4567" --dry-run',
      '--phone +2348031234567 --organisation acme/live',
      '--organisation acme/live',
    ],
    notes,
  )
    .option('--phone <number>', 'the number of the person')
    .option(
      '--organisation <organisation>',
      'only in this organisation; without --phone, all its personal data',
    )
    .option('--with-opt-outs', 'delete the opt-outs of the number too')
    .option(
      '--delete-unreadable',
      'delete texts to several recipients that DATA_MASTER_KEY does not open, for all of them',
    )
    .option('--dry-run', 'count the rows by table, and change nothing')
    .action(async (options: Options) => {
      const database = await session.database();
      const organisation =
        options.organisation === undefined ? undefined : await session.organisation(options.organisation);
      const { target, name } = await targetOf(session, database, options, organisation);
      const remark = (line: string): void => {
        session.remark(line);
      };
      await assertFinal(database, target.scopes, remark);
      const unreadable = new Map<Unreadable, number>();
      const tools: EraseTools = {
        sealer: await session.sealer(),
        region: session.settings.defaultRegion,
        onUnreadable: (what) => {
          if (what === 'texts of messages' && !options.deleteUnreadable)
            throw new CommandError(unreadableText);
          unreadable.set(what, (unreadable.get(what) ?? 0) + 1);
        },
      };
      const searched = new SearchProgress(remark);
      const observer: EraseObserver = {
        onProgress: (table, count) => {
          session.remark(`${table}: ${count}`);
        },
        onRead: (table, rows) => {
          searched.add(table, rows);
        },
      };
      const { length } = target.scopes;
      session.remark(`Searching ${length} ${length === 1 ? 'organisation' : 'organisations'} for ${name} …`);
      const found = await countAll(database, target, tools, observer);
      await remarkLeft(session, database, target);
      const closed = unreadable.get('requests of providers') ?? 0;
      if (closed > 0)
        session.remark(
          `${closed} requests of providers cannot be opened with DATA_MASTER_KEY; they are deleted when they are old.`,
        );
      if (options.dryRun) {
        session.list(rowsOf(found), `Nothing is stored about ${name}.`);
        return;
      }
      if (found.size === 0 && options.phone !== undefined) {
        session.done(`Nothing is stored about ${name}.`, { erased: [] });
        return;
      }
      const total = [...found.values()].reduce((sum, count) => sum + count, 0);
      await session.confirm(`Erase ${name} in ${total} rows? This cannot be undone.`);
      const entry: AuditEntry = {
        organisationId: organisation?.id,
        target: name,
        after: {
          rows: new StoredJson(Object.fromEntries(found)),
          with_opt_outs: options.phone === undefined || (options.withOptOuts ?? false),
        },
      };
      if (organisation && options.phone === undefined)
        await revokeKeys(session, database, organisation, entry);
      const erasedRows = await eraseAll(
        database,
        target,
        tools,
        observer,
        options.phone === undefined ? undefined : (transaction) => session.audit(transaction, entry),
      );
      session.list(rowsOf(erasedRows), 'Nothing was erased.');
      const deletedTexts = unreadable.get('texts of messages') ?? 0;
      if (deletedTexts > 0)
        session.remark(
          `${deletedTexts === 1 ? '1 text of a message' : `${deletedTexts} texts of messages`} to several recipients could not be opened with DATA_MASTER_KEY: deleted.`,
        );
      await assertFinal(database, target.scopes, remark).catch((cause: unknown) => {
        throw new CommandError('New work arrived meanwhile: run the command again when it is final.', {
          cause,
        });
      });
    });
}

/** What is erased, and what operators call it. The audit log gets the name. */
async function targetOf(
  session: AdminSession,
  database: Database,
  options: Options,
  organisation: Organisation | undefined,
): Promise<{ target: Target; name: string }> {
  const { phone: given } = options;
  if (given === undefined && !organisation) throw new CommandError('Give --phone, --organisation or both.');
  const isOrganisation = given === undefined;
  const sources = sourcesFor(isOrganisation, options.withOptOuts ?? false);
  if (isOrganisation && organisation) {
    await assertSuspended(database, organisation);
    const scopes = [{ organisationId: organisation.id, phone: null, patterns: noPatterns }];
    return { target: { scopes, sources, shared: false }, name: organisation.label };
  }
  const scopes = await scopesOf(session, database, given ?? '', organisation);
  const where = organisation ? ` in ${organisation.label}` : '';
  return {
    target: { scopes, sources, shared: !organisation },
    name: `${masked(scopes[0]?.phone ?? '')}${where}`,
  };
}

async function assertSuspended(database: Database, { id, label }: Organisation): Promise<void> {
  const { status, account } = await database.organisation.findUniqueOrThrow({
    where: { id },
    include: { account: true },
  });
  if (status === 'suspended' || account.status === 'suspended') return;
  throw new CommandError(
    `${label} is active: suspend it first with \`pnpm admin organisations suspend ${label}\`.`,
  );
}

async function revokeKeys(
  session: AdminSession,
  database: Database,
  { id }: Organisation,
  entry: AuditEntry,
): Promise<void> {
  const now = new Date();
  await database.$transaction(async (models) => {
    await models.apiKey.updateMany({
      where: { organisationId: id, OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] },
      data: { revokedAt: now },
    });
    await session.audit(models, entry);
  });
}

/** Names what is not erased: smartlists are settings of the organisation. */
async function remarkLeft(
  session: AdminSession,
  database: Database,
  { scopes, shared }: Target,
): Promise<void> {
  if (shared) await remarkUnread(session, database);
  for (const scope of scopes) {
    if (scope.phone === null) continue;
    for (const { name } of await database.run(findSmartlists, scope))
      session.remark(
        `The smartlist "${name}" of ${scope.organisationId} has the number in its filters: it stays.`,
      );
  }
}

const rowsOf = (counts: Counts) => [...counts].map(([table, rows]) => ({ table, rows }));
