import type pg from 'pg';

/** A node of a plan as EXPLAIN shows it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

export interface PartialIndex {
  readonly name: string;
  readonly table: string;
  /** Its first column, unless that is an expression. */
  readonly first: string | null;
  /** The column of the primary key, if it has one column. */
  readonly key: string | null;
}

/** Partial, but most rows of a long history have an entry, so Postgres does not expect them to be small. */
const historyIndexes = new Set([
  'callback_endpoint_id_idx',
  'delivery_failed_idx',
  'delivery_message_state_idx',
  'delivery_otp_id_idx',
  'delivery_recipient_idx',
  'inbound_request_ended_idx',
]);

/** These indexes may be read as a whole: they have few entries even if much waits. */
const smallIndexes = new Set([
  'account_suspended_idx',
  'organisation_suspended_idx',
  // Attempts in flight, which the workers limit.
  'callback_leased_idx',
  // Each organisation may have few unfinished imports and exports.
  'contact_export_due_idx',
  'contact_export_running_key',
  'contact_import_due_idx',
  'contact_import_running_key',
  'contact_import_unfinished_idx',
]);

/** Whether it has only open rows: those that a worker still has to handle, such as `WHERE state = 'pending'`. */
export const hasOpenRows = ({ name }: PartialIndex): boolean => !historyIndexes.has(name);

export async function findPartialIndexes(client: pg.Client): Promise<PartialIndex[]> {
  const { rows } = await client.query<PartialIndex>(`
    SELECT indexrelid::regclass::text AS name, indrelid::regclass::text AS table,
      (SELECT attname::text FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0]) AS first,
      (SELECT attname::text FROM pg_index AS own JOIN pg_attribute ON attrelid = own.indrelid AND attnum = own.indkey[0]
       WHERE own.indrelid = partial.indrelid AND own.indisprimary AND own.indnkeyatts = 1) AS key
    FROM pg_index AS partial WHERE indpred IS NOT NULL`);
  return rows;
}

/**
 * How the statement could read all open rows of a table, although it wants few. After a long history Postgres expects that
 * about one row is open. It then takes the smallest index whose predicate the statement names, and reads it as a whole,
 * even to find a row by its primary key. The plan is kept when the number of open rows grows.
 *
 * Which index is the smallest depends on the data. So the statement is planned with each index of open rows as the only
 * index of its table, and with nested loops disabled where possible: if Postgres does not read the index as a whole then,
 * it does not in production. A condition on a later column of the index counts as enough.
 */
export async function openRowReads(
  client: pg.Client,
  { name, table, first, key }: PartialIndex,
  text: string,
): Promise<string[]> {
  if (!new RegExp(`\\b${table}\\b`).test(text)) return [];
  await client.query(
    'BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_nestloop = off',
  );
  try {
    // An INSERT may need the unique indexes for ON CONFLICT.
    await client.query(
      `UPDATE pg_index SET indisvalid = false
       WHERE indrelid = $1::regclass AND indexrelid <> $2::regclass AND NOT (indisunique AND $3)`,
      [table, name, new RegExp(`INSERT INTO ${table}\\b`).test(text)],
    );
    const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
      `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
    );
    const scans = rows.flatMap((row) => scansOf(name, row['QUERY PLAN'][0].Plan));
    const faults = scans.flatMap(({ node, readsFirstOnly }) => {
      const { 'Index Cond': condition = '', Filter: filter = '' } = node;
      if (key !== null && key !== first && new RegExp(`\\b${key} = `).test(condition + filter))
        return [`${name} may be searched for a row by ${key}: compare the state as text`];
      const isBounded = condition !== '' || (readsFirstOnly && filter === '');
      return isBounded || smallIndexes.has(name) ? [] : [`${name} may be read as a whole`];
    });
    return [...new Set(faults)];
  } finally {
    await client.query('ROLLBACK');
  }
}

interface IndexScan {
  readonly node: PlanNode;
  /** Whether the scan stops after the first rows in the order of the index. */
  readonly readsFirstOnly: boolean;
}

function scansOf(index: string, node: PlanNode, readsFirstOnly = false): IndexScan[] {
  const type = node['Node Type'];
  const limits = type === 'Limit' || (type === 'Result' && readsFirstOnly);
  const below = (node.Plans ?? []).flatMap((child) => scansOf(index, child, limits));
  return node['Index Name'] === index ? [{ node, readsFirstOnly }, ...below] : below;
}
