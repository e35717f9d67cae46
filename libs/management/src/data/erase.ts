import { type Database, retryTransient, type SqlRunner } from '@gangan/database';
import type { Access } from '../access.js';
import { audit, change } from '../audit.js';
import { type DataTarget, requireSuspended } from './data-target.js';
import { answers } from './tables/answers.js';
import { otps, purchases } from './tables/books.js';
import { contactRows, contactScrolls, findSmartlists, smartlists } from './tables/contacts.js';
import { callbacks, plainTables } from './tables/deleted-rows.js';
import { deliveries, messages } from './tables/messages.js';
import { deleteFinding, deleteFindingsOf, eraseRequests, requestsWith, sharedData } from './tables/shared.js';
import { type EraseTools, slicesOf, type Source } from './tables/source.js';

/** No app waits longer for a row of a batch, and no batch for a row of an app. */
const opening = [`SET LOCAL lock_timeout = '2s'`];

const plainSources = (treatment: 'deleted' | 'kept'): Source[] =>
  plainTables.flatMap((plain) => (plain.treatment === treatment ? [plain.source] : []));

/**
 * First what must stay without the number, so that apps write no new callbacks with it; then what is deleted: contacts before
 * the files of exports, because an export that starts meanwhile would copy them.
 */
const always = [
  ...[deliveries, otps, purchases, callbacks],
  ...[contactRows, contactScrolls],
  ...plainSources('deleted'),
  answers,
];
/** They serve the person: a number that has opted out stays suppressed. */
const suppression = plainSources('kept');

/** The tables whose rows are erased for a number, or for a whole organisation. */
export const sourcesFor = (isOrganisation: boolean, withOptOuts: boolean): readonly Source[] =>
  isOrganisation
    ? [messages, ...always, smartlists, ...suppression]
    : [...always, ...(withOptOuts ? suppression : [])];

export interface EraseTarget extends DataTarget {
  readonly withOptOuts: boolean;
}

/** Rows by table. */
export type Counts = Map<string, number>;

export interface EraseObserver {
  readonly onProgress: (table: string, count: number) => void;
  /** Rows of the table that were searched just now. */
  readonly onRead: (table: string, rows: number) => void;
}

/** Counts the rows to erase, and changes nothing. */
export async function countPersonalData(
  database: Database,
  target: EraseTarget,
  tools: EraseTools,
  observer: EraseObserver,
): Promise<Counts> {
  const counts: Counts = new Map();
  for await (const { table, rows } of batchesOf(database, target, tools, observer))
    add(counts, table, rows, observer);
  return counts;
}

/**
 * Erases in batches, each in a transaction of its own. It can be interrupted and repeated: rows that were erased are not
 * found again. What is not final stays (see `unfinishedWork`). The keys of an organisation are revoked first.
 * @param found what `countPersonalData` has returned, for the audit log
 */
export async function erasePersonalData(
  access: Access,
  target: EraseTarget,
  found: Counts,
  tools: EraseTools,
  observer: EraseObserver,
): Promise<Counts> {
  const { phone, organisation, withOptOuts } = target;
  const after = { rows: Object.fromEntries(found), with_opt_outs: !phone || withOptOuts };
  const entry = { organisationId: organisation?.id, target: target.name, after };
  if (!phone && organisation)
    await change(access, 'data erase', async (models, log) => {
      await requireSuspended(models, organisation);
      const now = new Date();
      const isValid = { OR: [{ revokedAt: null }, { revokedAt: { gt: now } }] };
      const where = { organisationId: organisation.id, ...isValid };
      await models.apiKey.updateMany({ where, data: { revokedAt: now } });
      await log(entry);
    });
  const counts: Counts = new Map();
  for await (const { table, erase } of batchesOf(access.database, target, tools, observer)) {
    const erased = await retryTransient(() =>
      access.database.transaction(async (transaction) => {
        const count = await erase(transaction);
        if (phone && count > 0 && counts.size === 0)
          await audit(transaction, access.principal, 'data erase', entry);
        return count;
      }, opening),
    );
    add(counts, table, erased, observer);
  }
  return counts;
}

function add(counts: Counts, table: string, rows: number, { onProgress }: EraseObserver): void {
  if (rows === 0) return;
  const count = (counts.get(table) ?? 0) + rows;
  counts.set(table, count);
  onProgress(table, count);
}

interface Batch {
  readonly table: string;
  readonly rows: number;
  readonly erase: (transaction: SqlRunner) => Promise<number>;
}

async function* batchesOf(
  database: Database,
  { scopes, phone, organisation, withOptOuts }: EraseTarget,
  tools: EraseTools,
  { onRead }: EraseObserver,
): AsyncGenerator<Batch> {
  for (const scope of scopes) {
    for (const source of sourcesFor(!phone, withOptOuts))
      for await (const ids of slicesOf(database, source, scope, onRead))
        yield {
          table: source.table,
          rows: ids.length,
          erase: (transaction) => source.erase(transaction, scope, ids, tools),
        };
    const { organisationId } = scope;
    if (!phone)
      yield {
        table: 'live_finding',
        rows: await database.liveFinding.count({ where: { organisationId } }),
        erase: (transaction) => transaction.run(deleteFindingsOf, organisationId),
      };
  }
  if (!phone || organisation) return;
  yield {
    table: 'live_finding',
    rows: (await sharedData(database, phone.e164)).lookups.length,
    erase: (transaction) => transaction.run(deleteFinding, phone.e164),
  };
  for await (const found of requestsWith(database, phone, tools))
    yield {
      table: 'inbound_request',
      rows: found.length,
      erase: (transaction) => eraseRequests(transaction, tools.sealer, found),
    };
}

/** The smartlists that have the number in their filters; they are settings of the organisation, and stay. */
export async function smartlistsWith(database: Database, { phone, scopes }: DataTarget) {
  const [scope] = scopes;
  const ids = scopes.map(({ organisationId }) => organisationId);
  return phone && scope ? database.run(findSmartlists, scope, ids) : [];
}
