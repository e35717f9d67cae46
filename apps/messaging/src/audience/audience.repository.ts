import { refund } from '@gangan/billing';
import type { Channel, Statements } from '@gangan/database';
import { Database, sql } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { byIndex } from '../by-index.js';
import type { MessageBody } from '../text/message-text.js';
import { whenWalletIsFree } from '../transactions.js';
import type { ListedDelivery, Outcome } from './row-deliveries.js';
import type { ExpansionRow } from './expansion-response.js';
import { type Held, renewed, stillHeld } from './leases.repository.js';
import { storeDeliveries } from './store-deliveries.js';

/** What a worker has to know to go on. */
export interface Progress extends MessageBody {
  readonly list: string;
  readonly lastRowId: string | null;
  readonly channel: Channel;
  readonly trackable: boolean;
  readonly requestId: string;
}

/** What was read next, and what it comes to. */
export interface Step extends Outcome {
  readonly rows: number;
  readonly lastRowId: string;
}

interface Money {
  readonly charged: bigint;
  readonly spent: bigint;
}

@Injectable()
export class ExpansionRepository {
  constructor(private readonly database: Database) {}

  /** Whose message it is was asked before. */
  async find(messageId: string): Promise<ExpansionRow | undefined> {
    const [row] = await this.database.query<ExpansionRow>(sql`
      SELECT state, rows, recipients, duplicates, without_number AS "withoutNumber", unsendable, unaffordable,
        charge_kobo AS kobo, ended_at AS "endedAt"
      FROM message_expansion WHERE message_id = ${messageId}`);
    return row;
  }

  /** @throws LeaseLostError */
  async progress(held: Held): Promise<Progress> {
    const [progress] = await this.database.query<Progress>(sql`
      SELECT expansion.list, expansion.last_row_id AS "lastRowId", message.*
      FROM (SELECT list, last_row_id FROM message_expansion WHERE ${stillHeld(held)}) AS expansion
      CROSS JOIN LATERAL (
        SELECT channel, trackable, request_id AS "requestId", content, personalisation,
          template_provider_name AS "templateProviderName", template_language AS "templateLanguage",
          template_variables AS "templateVariables"
        FROM message WHERE id = ${held.messageId} LIMIT 1) AS message`);
    if (!progress) throw new LeaseLostError();
    return progress;
  }

  /** The deliveries of some rows and how far it is, both or neither. Gives those to announce. @throws LeaseLostError */
  advance(held: Held, step: Step): Promise<string[]> {
    return byIndex(this.database, async (transaction) => {
      const { charged, spent } = await lock(transaction, held);
      const known = await knownAmong(transaction, step.deliveries);
      const fresh = step.deliveries.filter(({ id }) => !known.has(id));
      const { paid, kobo } = affordable(fresh, charged - spent);
      await storeDeliveries(transaction, held, paid);
      await transaction.execute(sql`
        UPDATE message_expansion SET last_row_id = ${step.lastRowId}::uuid, rows = rows + ${step.rows}::int,
          recipients = recipients + ${paid.length}::int, duplicates = duplicates + ${step.duplicates + known.size}::int,
          without_number = without_number + ${step.withoutNumber}::int, unsendable = unsendable + ${step.unsendable}::int,
          unaffordable = unaffordable + ${fresh.length - paid.length}::int, charge_kobo = charge_kobo + ${kobo}::bigint,
          ${renewed}
        WHERE message_id = ${held.messageId}`);
      return paid.map(({ id }) => id);
    });
  }

  /** Its end and the money that is left over, both or neither. @throws LeaseLostError */
  finish(held: Held, state: 'done' | 'failed'): Promise<void> {
    const { messageId, organisationId } = held;
    return whenWalletIsFree(() =>
      this.database.transaction(async (transaction) => {
        const { charged, spent } = await lock(transaction, held);
        await transaction.execute(sql`
          UPDATE message_expansion SET state = ${state}::expansion_state, list = '', next_attempt_at = NULL,
            ended_at = now()
          WHERE message_id = ${messageId}`);
        const left = { subjectId: messageId, organisationId, kobo: charged - spent };
        const [receipt] = await refund(transaction, [left]);
        if (receipt?.moved !== true)
          throw new Error(`What message ${messageId} left over was given back before`);
      }),
    );
  }
}

/** From here on nobody else writes, until the transaction ends. */
async function lock(transaction: Statements, held: Held): Promise<Money> {
  const [locked] = await transaction.query<{ spent: bigint }>(sql`
    SELECT charge_kobo AS spent FROM message_expansion WHERE ${stillHeld(held)} FOR NO KEY UPDATE`);
  const [message] = await transaction.query<{ charged: bigint }>(
    sql`SELECT charge_kobo AS charged FROM message WHERE id = ${held.messageId}`,
  );
  if (!locked || !message) throw new LeaseLostError();
  return { ...locked, ...message };
}

/** Those whose number was on an earlier page. */
async function knownAmong(
  transaction: Statements,
  deliveries: readonly ListedDelivery[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.query<{ id: string }>(sql`
    SELECT found.id FROM unnest(${deliveries.map(({ id }) => id)}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT id FROM delivery WHERE id = named.id LIMIT 1) AS found`);
  return new Set(rows.map(({ id }) => id));
}

/** Nobody is sent what was not paid for: a list may come to cost more while it is read. */
function affordable(
  deliveries: readonly ListedDelivery[],
  left: bigint,
): { readonly paid: readonly ListedDelivery[]; readonly kobo: bigint } {
  let kobo = 0n;
  const paid = deliveries.filter((delivery) => {
    const fits = kobo + delivery.kobo <= left;
    if (fits) kobo += delivery.kobo;
    return fits;
  });
  return { paid, kobo };
}
