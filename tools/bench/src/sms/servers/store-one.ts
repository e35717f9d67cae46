import { type Database, sql } from '@gangan/database';
import { newId } from '@gangan/protocol';

export interface DirectMessage {
  readonly id: string;
  readonly organisationId: string;
  readonly recipients: readonly DirectRecipient[];
  readonly content: string;
}

interface DirectRecipient {
  /** Of the delivery. */
  readonly id: string;
  readonly given: string;
  readonly e164: string;
}

/** Per recipient. */
const kobo = 400n;

/** Keeps the sweeper away: a messaging worker serves the same table. */
const dueLater = sql`interval '1 day'`;

/** Debit, ledger, message and deliveries of one request in one statement. `undefined` if the balance is too low. */
export async function storeOne(database: Database, message: DirectMessage): Promise<bigint | undefined> {
  const { id, organisationId, recipients, content } = message;
  const movement = newId();
  const charge = kobo * BigInt(recipients.length);
  const [row] = await database.query<{ balance: bigint }>(sql`
    WITH wallet AS (
      UPDATE ledger_account SET balance = balance - ${charge}::bigint
      WHERE organisation_id = ${organisationId} AND kind = 'wallet' AND balance >= ${charge}::bigint
      RETURNING balance
    ), written AS (
      INSERT INTO ledger_movement (id, organisation_id, kind, subject_id, from_account, to_account, kobo, wallet_after)
      SELECT ${movement}::uuid, ${organisationId}::uuid, 'charge', ${id}::uuid, 'wallet', 'revenue', ${charge}::bigint,
        balance
      FROM wallet
    ), stored AS (
      INSERT INTO message (id, organisation_id, channel, sender, recipients, content, encoding, length, pages,
        charge_kobo, balance_kobo, request_id)
      SELECT ${id}::uuid, ${organisationId}::uuid, 'sms', 'Bench', ${recipients.map(({ given }) => given)}::text[],
        ${content}, 'GSM-7', ${content.length}, 1, ${charge}::bigint, balance, ${id} FROM wallet
    ), queued AS (
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages,
        charge_kobo, next_attempt_at)
      SELECT delivery.id, ${organisationId}::uuid, 'sms', ${id}::uuid, 'sms', e164, given, 1, ${kobo}::bigint,
        now() + ${dueLater}
      FROM wallet, unnest(${recipients.map((recipient) => recipient.id)}::uuid[], ${recipients.map(({ e164 }) => e164)}::text[],
        ${recipients.map(({ given }) => given)}::text[]) AS delivery (id, e164, given)
    )
    SELECT balance FROM wallet`);
  return row?.balance;
}
