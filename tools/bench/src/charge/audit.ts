import type pg from 'pg';
import { openingBalance, price } from './tables.js';

export interface ResponseCounts {
  /** Requests with a successful response. */
  readonly succeeded: number;
  /** Requests with another response or none: their work may have been done. */
  readonly uncertain: number;
}

/** Every charge is one message, one ledger entry and one balance of its wallet, which no other charge has. */
const findings = `
  WITH message AS (
    SELECT organisation, count(*) AS sent, count(DISTINCT balance) AS steps, min(balance) AS lowest
      FROM bench_message GROUP BY organisation
  ), ledger AS (
    SELECT organisation, count(*) AS entries, sum(amount) AS spent FROM bench_ledger GROUP BY organisation
  )
  SELECT coalesce(sum(sent), 0)::int AS messages,
         coalesce(sum(entries), 0)::int AS entries,
         count(*) FILTER (
           WHERE wallet.balance <> $1 - coalesce(spent, 0)
              OR coalesce(sent, 0) <> coalesce(entries, 0)
              OR spent <> sent * $2
              OR steps <> sent
              OR lowest <> wallet.balance
         )::int AS wrong
    FROM bench_wallet AS wallet
    LEFT JOIN message ON message.organisation = wallet.id
    LEFT JOIN ledger ON ledger.organisation = wallet.id`;

/** @throws if the tables do not match the responses */
export async function audit(client: pg.Client, { succeeded, uncertain }: ResponseCounts): Promise<void> {
  const { rows } = await client.query<{ messages: number; entries: number; wrong: number }>(findings, [
    openingBalance,
    price,
  ]);
  const { messages = 0, entries = 0, wrong = 0 } = rows[0] ?? {};
  const found = `${messages} messages and ${entries} ledger entries for ${succeeded} successes and ${uncertain} uncertain responses`;
  if (wrong > 0) throw new Error(`${wrong} wallets do not add up: ${found}`);
  if (messages < succeeded || messages > succeeded + uncertain)
    throw new Error(`The responses do not match the tables: ${found}`);
}
