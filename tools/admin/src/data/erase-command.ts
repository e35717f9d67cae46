import {
  type Counts,
  countPersonalData,
  type DataTarget,
  type EraseObserver,
  erasePersonalData,
  type EraseTarget,
  type EraseTools,
  smartlistsWith,
} from '@gangan/management';
import type { Command } from 'commander';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { type GivenTarget, remarkUnread, targetOf } from './given-target.js';
import { SearchProgress } from './search-progress.js';
import { assertFinal } from './unfinished.js';

interface Options extends GivenTarget {
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
      const withOptOuts = options.withOptOuts ?? false;
      const target: EraseTarget = { ...(await targetOf(session, options)), withOptOuts };
      const { name, phone, scopes } = target;
      await assertFinal(session, scopes);
      const unreadable = { 'requests of providers': 0, 'texts of messages': 0 };
      const tools: EraseTools = {
        sealer: await session.sealer(),
        region: session.settings.defaultRegion,
        onUnreadable: (what) => {
          if (what === 'texts of messages' && !options.deleteUnreadable)
            throw new CommandError(unreadableText);
          unreadable[what] += 1;
        },
      };
      const searched = new SearchProgress((line) => {
        session.remark(line);
      });
      const observer: EraseObserver = {
        onProgress: (table, count) => {
          session.remark(`${table}: ${count}`);
        },
        onRead: searched.add,
      };
      const { length } = scopes;
      session.remark(`Searching ${length} ${length === 1 ? 'organisation' : 'organisations'} for ${name} …`);
      const found = await countPersonalData(database, target, tools, observer);
      await remarkLeft(session, target);
      const closed = unreadable['requests of providers'];
      if (closed > 0)
        session.remark(
          `${closed} requests of providers cannot be opened with DATA_MASTER_KEY; they are deleted when they are old.`,
        );
      if (options.dryRun) {
        session.list(rowsOf(found), `Nothing is stored about ${name}.`);
        return;
      }
      if (found.size === 0 && phone) {
        session.done(`Nothing is stored about ${name}.`, { erased: [] });
        return;
      }
      const total = [...found.values()].reduce((sum, count) => sum + count, 0);
      await session.confirm(`Erase ${name} in ${total} rows? This cannot be undone.`);
      const erased = await erasePersonalData(await session.access(), target, found, tools, observer);
      session.list(rowsOf(erased), 'Nothing was erased.');
      const texts = unreadable['texts of messages'];
      if (texts > 0)
        session.remark(
          `${texts === 1 ? '1 text of a message' : `${texts} texts of messages`} to several recipients could not be opened with DATA_MASTER_KEY: deleted.`,
        );
      await assertFinal(session, scopes).catch((cause: unknown) => {
        throw new CommandError('New work arrived meanwhile: run the command again when it is final.', {
          cause,
        });
      });
    });
}

/** Names what is not erased. */
async function remarkLeft(session: AdminSession, target: DataTarget): Promise<void> {
  if (!target.organisation) await remarkUnread(session);
  for (const { organisationId, name } of await smartlistsWith(await session.database(), target))
    session.remark(`The smartlist "${name}" of ${organisationId} has the number in its filters: it stays.`);
}

const rowsOf = (counts: Counts) => [...counts].map(([table, rows]) => ({ table, rows }));
