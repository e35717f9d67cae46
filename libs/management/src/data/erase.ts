import { type Database, retryTransient, type SqlRunner } from '@gangan/database';
import { answers } from './tables/answers.js';
import { otps, purchases } from './tables/books.js';
import { callbacks } from './tables/callbacks.js';
import { contactRows, contactScrolls, smartlists } from './tables/contacts.js';
import { type PlainTable, plainTables } from './tables/deleted-rows.js';
import { deliveries, messages } from './tables/messages.js';
import { noPatterns } from './search/number-pattern.js';
import type { Scope } from './search/scope.js';
import {
  deleteFinding,
  deleteFindingsOf,
  eraseRequests,
  findFindings,
  requestsWith,
} from './tables/shared.js';
import { type EraseTools, forEachSlice, type Source } from './tables/source.js';

/** No app waits longer for a row of a batch, and no batch for a row of an app. */
const opening = [`SET LOCAL lock_timeout = '2s'`];

/**
 * First what must stay without the number, so that apps write no new callbacks with it; then what is deleted: contacts before
 * the files of exports, because an export that starts meanwhile would copy them.
 */
const always = [
  ...[deliveries, otps, purchases, callbacks],
  ...[contactRows, contactScrolls],
  ...plainWith('deleted'),
  answers,
];
/** They serve the person: a number that has opted out stays suppressed. */
const suppression = plainWith('kept');

function plainWith(treatment: PlainTable['treatment']): Source[] {
  return plainTables.flatMap((plain) => (plain.treatment === treatment ? [plain.source] : []));
}

/** The tables whose rows are erased for a number, or for a whole organisation. */
export const sourcesFor = (isOrganisation: boolean, withOptOuts: boolean): readonly Source[] =>
  isOrganisation
    ? [messages, ...always, smartlists, ...suppression]
    : [...always, ...(withOptOuts ? suppression : [])];

/** Rows by table. */
export type Counts = Map<string, number>;

export interface Target {
  readonly scopes: readonly Scope[];
  readonly sources: readonly Source[];
  /** Whether data that belongs to no organisation is erased too. */
  readonly shared: boolean;
}

export interface EraseObserver {
  readonly onProgress: (table: string, count: number) => void;
  /** Rows of the table that were searched just now. */
  readonly onRead: (table: string, rows: number) => void;
}

export async function countAll(
  database: Database,
  { scopes, sources, shared }: Target,
  tools: EraseTools,
  { onProgress, onRead }: EraseObserver,
): Promise<Counts> {
  const counts: Counts = new Map();
  const add = (table: string, count: number): void => {
    if (count === 0) return;
    counts.set(table, (counts.get(table) ?? 0) + count);
    onProgress(table, counts.get(table) ?? 0);
  };
  for (const scope of scopes)
    for (const source of sources)
      await forEachSlice(
        database,
        source,
        scope,
        (ids) => {
          add(source.table, ids.length);
        },
        (count) => {
          onRead(source.table, count);
        },
      );
  const [scope] = scopes;
  if (shared && scope?.phone != null) {
    add('live_finding', (await database.run(findFindings, scope.phone)).length);
    for await (const found of requestsWith(database, tools.sealer, scope.patterns, tools.onUnreadable))
      add('inbound_request', found.length);
  }
  return counts;
}

/**
 * Erases in batches, each in a transaction of its own. It can be interrupted and repeated: rows that were erased are not
 * found again.
 * @param onFirstChange called in the transaction of the first change
 */
export async function eraseAll(
  database: Database,
  { scopes, sources, shared }: Target,
  tools: EraseTools,
  { onProgress, onRead }: EraseObserver,
  onFirstChange?: (transaction: SqlRunner) => Promise<void>,
): Promise<Counts> {
  const counts: Counts = new Map();
  const change = async (table: string, work: (transaction: SqlRunner) => Promise<number>): Promise<void> => {
    const changed = await retryTransient(() =>
      database.transaction(async (transaction) => {
        const count = await work(transaction);
        if (count > 0 && counts.size === 0) await onFirstChange?.(transaction);
        return count;
      }, opening),
    );
    if (changed === 0) return;
    counts.set(table, (counts.get(table) ?? 0) + changed);
    onProgress(table, counts.get(table) ?? 0);
  };
  for (const scope of scopes) {
    for (const source of sources)
      await forEachSlice(
        database,
        source,
        scope,
        (ids) => change(source.table, (transaction) => source.erase(transaction, scope, ids, tools)),
        (count) => {
          onRead(source.table, count);
        },
      );
    if (scope.phone === null)
      await change('live_finding', (transaction) => transaction.run(deleteFindingsOf, scope.organisationId));
  }
  const [{ phone, patterns } = { phone: null, patterns: noPatterns }] = scopes;
  if (shared && phone !== null) {
    await change('live_finding', (transaction) => transaction.run(deleteFinding, phone));
    for await (const found of requestsWith(database, tools.sealer, patterns, tools.onUnreadable))
      await change('inbound_request', (transaction) => eraseRequests(transaction, tools.sealer, found));
  }
  return counts;
}
