import { type Database, sql } from '@gangan/database';
import type { Receipt } from './charge.contract.js';
import { insufficientBalance, type Order } from './order.js';
import { price } from './tables.js';

/** One charge in one statement. */
export async function chargeOne(database: Database, order: Order): Promise<Receipt> {
  const { id, organisation, recipient, content } = order;
  const [row] = await database.query<{ created: Date; balance: bigint }>(sql`
    WITH debit AS (
      UPDATE bench_wallet SET balance = balance - ${price}::bigint
       WHERE id = ${organisation}::uuid AND balance >= ${price}::bigint
      RETURNING id, balance
    ), message AS (
      INSERT INTO bench_message (id, organisation, recipient, content, balance)
      SELECT ${id}::uuid, debit.id, ${recipient}, ${content}, debit.balance FROM debit
      RETURNING created
    ), ledger AS (
      INSERT INTO bench_ledger (organisation, message, amount)
      SELECT debit.id, ${id}::uuid, ${price}::bigint FROM debit
    )
    SELECT message.created, debit.balance FROM message, debit`);
  if (!row) throw insufficientBalance();
  return { id, created: row.created.toISOString(), balance: row.balance.toString() };
}
