import { type Database, sql } from '@gangan/database';
import type { Receipt } from './charge.contract.js';
import { insufficientBalance, type Order } from './order.js';
import { price } from './tables.js';

interface Row {
  readonly id: string;
  readonly created: Date;
  readonly balance: bigint;
}

/**
 * Many charges in one statement. Results are in the order of the charges.
 *
 * Wallets are locked first, in the order of their ids, so that two batches never deadlock; their balances are read under
 * that lock. A charge that was made before (the statement runs again after a lost connection) returns its row. If the
 * earlier run is still in flight, this one fails on the key of the message, and the members run one by one: by then
 * their rows are visible.
 *
 * `LATERAL … LIMIT 1` keeps the lookup by key: the plan is made once per connection, often while the table is still
 * empty, and a plain join would be planned as a scan of the whole table, which grows. `<> ALL` instead of `NOT EXISTS`
 * lets the planner see that nearly all rows are new; otherwise it expects one row and plans nested loops.
 */
export async function chargeMany(database: Database, orders: readonly Order[]): Promise<(Receipt | Error)[]> {
  const rows = await database.query<Row>(sql`
    WITH asked AS MATERIALIZED (
      SELECT * FROM unnest(
        ${orders.map(({ id }) => id)}::uuid[],
        ${orders.map(({ organisation }) => organisation)}::uuid[],
        ${orders.map(({ recipient }) => recipient)}::text[],
        ${orders.map(({ content }) => content)}::text[]
      ) WITH ORDINALITY AS asked (id, organisation, recipient, content, position)
    ), known AS MATERIALIZED (
      SELECT found.id, found.created, found.balance
        FROM asked, LATERAL (SELECT id, created, balance FROM bench_message WHERE id = asked.id LIMIT 1) AS found
    ), fresh AS (
      SELECT * FROM asked WHERE id <> ALL (ARRAY(SELECT id FROM known))
    ), wallet AS MATERIALIZED (
      SELECT id, balance FROM bench_wallet
       WHERE id IN (SELECT organisation FROM fresh)
       ORDER BY id FOR UPDATE
    ), running AS (
      SELECT fresh.*, wallet.balance - ${price}::bigint * row_number() OVER (
               PARTITION BY fresh.organisation ORDER BY fresh.position
             ) AS balance
        FROM fresh JOIN wallet ON wallet.id = fresh.organisation
    ), taken AS MATERIALIZED (
      SELECT * FROM running WHERE balance >= 0
    ), debit AS (
      UPDATE bench_wallet SET balance = bench_wallet.balance - spent.amount
        FROM (SELECT organisation, count(*) * ${price}::bigint AS amount FROM taken GROUP BY organisation) AS spent
       WHERE bench_wallet.id = spent.organisation
    ), message AS (
      INSERT INTO bench_message (id, organisation, recipient, content, balance)
      SELECT id, organisation, recipient, content, balance FROM taken
      RETURNING id, created, balance
    ), ledger AS (
      INSERT INTO bench_ledger (organisation, message, amount)
      SELECT organisation, id, ${price}::bigint FROM taken
    )
    SELECT id, created, balance FROM message UNION ALL SELECT id, created, balance FROM known`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return orders.map(({ id }) => {
    const row = byId.get(id);
    if (!row) return insufficientBalance();
    return { id, created: row.created.toISOString(), balance: row.balance.toString() };
  });
}
