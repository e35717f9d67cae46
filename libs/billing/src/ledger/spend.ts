import { type Sql, sql } from '@gangan/database';
import type { Member } from './members.js';
import { givenAmounts, type Ledger, move } from './move.js';
import type { Route, Row } from './movement.js';

/** What became of a member's wish to spend. Members that were not `ok` left no trace. */
export type Spending =
  | {
      readonly ok: true;
      readonly balanceBefore: bigint;
      /** Of the wallet, after this member. */
      readonly balance: bigint;
      /** It was spent before: nothing moved now, and the balances are those of then. */
      readonly repeated: boolean;
    }
  | { readonly ok: false; readonly available: bigint };

const charging: Route = { kind: 'charge', from: 'wallet', to: 'revenue', onceAmong: ['charge'] };
const reserving: Route = { kind: 'reserve', from: 'wallet', to: 'reserved', onceAmong: ['reserve'] };

/**
 * Takes the price of each member from its organisation's wallet, once. A batch that fits is taken whole; otherwise an
 * organisation's members are decided in their order, so that a dear one does not spoil a cheap one behind it.
 *
 * `alongside` makes one statement of the charge and of what is bought: further parts of its WITH clause, which find
 * in `accepted (subject_id, kobo, balance)` the members that were charged just now or cost nothing. They should
 * `ON CONFLICT DO NOTHING`: what costs nothing leaves no entry that would tell of an earlier run.
 *
 *     charge(database, members, sql`stored AS (
 *       INSERT INTO message (id, balance_kobo, …) SELECT asked.id, accepted.balance, …
 *       FROM unnest(…) AS asked (id, …) JOIN accepted ON accepted.subject_id = asked.id ON CONFLICT DO NOTHING)`)
 *
 * Answers in the order of the members. As after `lockWallets`, the rest of a transaction around it waits for no lock
 * longer than 200 ms and avoids full scans.
 */
export const charge = (ledger: Ledger, members: readonly Member[], alongside?: Sql): Promise<Spending[]> =>
  spend(ledger, charging, members, alongside);

/** Sets the price of each member aside until it is posted or voided; otherwise like `charge`. */
export const reserve = (ledger: Ledger, members: readonly Member[], alongside?: Sql): Promise<Spending[]> =>
  spend(ledger, reserving, members, alongside);

async function spend(
  ledger: Ledger,
  route: Route,
  members: readonly Member[],
  alongside: Sql | undefined,
): Promise<Spending[]> {
  const rows = await move(ledger, route, members, givenAmounts, alongside && besideAccepted(alongside));
  return members.map(({ subjectId }) => spendingOf(rows.get(subjectId) as Row));
}

const besideAccepted = (alongside: Sql): Sql => sql`,
  accepted AS (SELECT subject_id, kobo, from_after AS balance FROM moved), ${alongside}`;

function spendingOf({ outcome, kobo, balance }: Row): Spending {
  const left = balance ?? 0n;
  if (outcome === 'short') return { ok: false, available: left };
  return { ok: true, balanceBefore: left + kobo, balance: left, repeated: outcome === 'earlier' };
}
