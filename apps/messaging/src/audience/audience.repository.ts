import { refund } from '@gangan/billing';
import {
  type Channel,
  command,
  Database,
  type MessageExpansion,
  type RowOf,
  sql,
  statement,
  type Statements,
  t,
  unnest,
} from '@gangan/database';
import { dueAfter, leaseGraceMs, LeaseLostError, LeaseTable, leaseUntil } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { contentColumns, contentShape } from '../text/message-text.js';
import { StoredTexts, storedTextShape } from '../text/stored-texts.js';
import { retryWhileWalletLocked, transactionByIndex } from '../transactions.js';
import type { ListedDelivery, RowResults } from './row-deliveries.js';

/** An expansion that this worker holds until its lease ends. */
export type ClaimedExpansion = RowOf<typeof claimNext>;

/** The next rows of the smartlist, and what they result in. */
export interface ExpansionPage extends RowResults {
  readonly rows: number;
  readonly lastRowId: string;
}

/** Longer than reading and storing a page takes. */
const leaseMs = 30_000;

const expansionLease = new LeaseTable({
  table: 'message_expansion',
  claim: { messageId: 'message_id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
  held: sql`state = 'expanding'`,
});

const claimShape = { messageId: t.uuid, organisationId: t.uuid, attempt: t.int, stalls: t.int };

const claimOptions = {
  limit: 1,
  leaseMs,
  where: sql`state = 'expanding'`,
  set: sql`stalls = stalls + 1`,
  returning: sql`message_id AS "messageId", organisation_id AS "organisationId", attempt, stalls`,
};

const claimNext = statement(claimShape, () => expansionLease.claimActive(claimOptions));

const claimHeld = statement(claimShape, (overdueMs: number) =>
  expansionLease.claimSuspended({ ...claimOptions, overdueMs }),
);

const findProgress = statement(
  {
    list: t.text,
    lastRowId: t.nullable(t.uuid),
    channel: t.enumOf<Channel>('channel'),
    trackable: t.bool,
    requestId: t.text,
    ...contentShape,
    ...storedTextShape,
  },
  (claimed: ClaimedExpansion) => sql`
    SELECT expansion.list, expansion.last_row_id AS "lastRowId", message.*
    FROM (SELECT list, last_row_id FROM message_expansion WHERE ${expansionLease.stillHeld(claimed)}) AS expansion
    CROSS JOIN LATERAL (
      SELECT channel, trackable, request_id AS "requestId", ${contentColumns}
      FROM message WHERE id = ${claimed.messageId} LIMIT 1) AS message`,
  { samples: [[{ messageId: '', organisationId: '', attempt: 1, stalls: 1 }]] },
);

const lockMoney = statement(
  { spent: t.bigint, charged: t.bigint },
  (claimed: ClaimedExpansion) => sql`
    SELECT expansion.charge_kobo AS spent, message.charge_kobo AS charged
    FROM message_expansion AS expansion JOIN message ON message.id = expansion.message_id
    WHERE ${expansionLease.stillHeld(claimed)} FOR NO KEY UPDATE OF expansion`,
  { samples: [[{ messageId: '', organisationId: '', attempt: 1, stalls: 1 }]] },
);

const findStored = statement(
  { id: t.uuid },
  (ids: readonly string[]) => sql`
    SELECT found.id FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT id FROM delivery WHERE id = named.id LIMIT 1) AS found`,
);

/** A delivery as it is stored, with its values as text or sealed. */
type StoredDelivery = Omit<ListedDelivery, 'substitutions' | 'links'> &
  ReturnType<StoredTexts['sealSubstitutions']>;

type StoredLink = ReturnType<StoredTexts['sealUrl']> & {
  readonly code: string;
  readonly deliveryId: string;
  readonly position: number;
};

const storeDeliveries = command(
  ({ messageId, organisationId }: ClaimedExpansion, deliveries: readonly StoredDelivery[]) => sql`
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, substitutions,
      sealed_body, pages, charge_kobo, next_attempt_at)
    SELECT delivery.id, ${organisationId}::uuid, 'sms', message.id, message.channel, delivery.recipient,
      delivery.recipient_given, delivery.substitutions, delivery.sealed_body, delivery.pages, delivery.kobo, ${dueAfter(leaseGraceMs)}
    FROM (SELECT id, channel FROM message WHERE id = ${messageId}) AS message
    CROSS JOIN ${unnest('delivery', deliveries, {
      uuid: ['id'],
      text: ['recipient', 'recipientGiven'],
      jsonb: ['substitutions'],
      bytea: ['sealedBody'],
      int: ['pages'],
      bigint: ['kobo'],
    })}`,
);

const storeLinks = command(
  (links: readonly StoredLink[]) => sql`
    INSERT INTO tracked_link (code, delivery_id, position, url, sealed_url)
    SELECT code, delivery_id, position, url, sealed_url FROM ${unnest('link', links, {
      text: ['code', 'url'],
      bytea: ['sealedUrl'],
      uuid: ['deliveryId'],
      int: ['position'],
    })}`,
);

type Progress = Omit<ExpansionPage, 'deliveries'> &
  Pick<MessageExpansion, 'recipients' | 'unaffordable' | 'chargeKobo'>;

const storeProgress = command(
  (messageId: string, page: Progress) => sql`
    UPDATE message_expansion SET last_row_id = ${page.lastRowId}::uuid, rows = rows + ${page.rows}::int,
      recipients = recipients + ${page.recipients}::int, duplicates = duplicates + ${page.duplicates}::int,
      without_number = without_number + ${page.withoutNumber}::int, unsendable = unsendable + ${page.unsendable}::int,
      unaffordable = unaffordable + ${page.unaffordable}::int, charge_kobo = charge_kobo + ${page.chargeKobo}::bigint,
      next_attempt_at = ${leaseUntil(leaseMs)}, stalls = 0
    WHERE message_id = ${messageId}`,
);

const storeEnd = command(
  (messageId: string, state: 'done' | 'failed') => sql`
    UPDATE message_expansion SET state = ${state}::expansion_state, list = '', next_attempt_at = NULL, ended_at = now()
    WHERE message_id = ${messageId}`,
);

@Injectable()
export class AudienceRepository {
  constructor(
    private readonly database: Database,
    private readonly texts: StoredTexts,
  ) {}

  /** The caller has checked the organisation. */
  async find(messageId: string): Promise<MessageExpansion | undefined> {
    return (await this.database.messageExpansion.findUnique({ where: { messageId } })) ?? undefined;
  }

  /** Expansions of suspended organisations are held. */
  async claimNext(): Promise<ClaimedExpansion | undefined> {
    const [claimed] = await this.database.run(claimNext);
    return claimed;
  }

  /** Claims an expansion of a suspended organisation that has been due for so long. */
  async claimHeld(overdueMs: number): Promise<ClaimedExpansion | undefined> {
    const [claimed] = await this.database.run(claimHeld, overdueMs);
    return claimed;
  }

  async release(claimed: ClaimedExpansion, delayMs = 0): Promise<void> {
    await expansionLease.release(this.database, claimed, delayMs);
  }

  /** @throws LeaseLostError */
  async findProgress(claimed: ClaimedExpansion) {
    const [progress] = await this.database.run(findProgress, claimed);
    if (!progress) throw new LeaseLostError();
    const { messageId: id, organisationId } = claimed;
    return this.texts.openMessage(progress, { id, organisationId });
  }

  /** Stores the deliveries of a page and the progress together. @returns the delivery ids @throws LeaseLostError */
  advance(claimed: ClaimedExpansion, page: ExpansionPage): Promise<string[]> {
    return transactionByIndex(this.database, async (transaction) => {
      const { charged, spent } = await confirmLease(transaction, claimed);
      const stored = await transaction.run(
        findStored,
        page.deliveries.map(({ id }) => id),
      );
      const known = new Set(stored.map(({ id }) => id));
      const fresh = page.deliveries.filter(({ id }) => !known.has(id));
      const { paid, kobo } = takeAffordable(fresh, charged - spent);
      const { deliveries, links } = this.storedRows(claimed, paid);
      if (deliveries.length > 0) await transaction.run(storeDeliveries, claimed, deliveries);
      if (links.length > 0) await transaction.run(storeLinks, links);
      await transaction.run(storeProgress, claimed.messageId, {
        ...{ ...page, chargeKobo: kobo, recipients: paid.length, unaffordable: fresh.length - paid.length },
        duplicates: page.duplicates + known.size,
      });
      return paid.map(({ id }) => id);
    });
  }

  private storedRows({ organisationId }: ClaimedExpansion, paid: readonly ListedDelivery[]) {
    const deliveries = paid.map(({ substitutions, ...delivery }) => ({
      ...delivery,
      ...this.texts.sealSubstitutions({ id: delivery.id, organisationId }, substitutions),
    }));
    const links = paid.flatMap(({ id: deliveryId, links: own }) =>
      own.map((link, position) => ({
        ...{ code: link.code, deliveryId, position },
        ...this.texts.sealUrl(organisationId, link),
      })),
    );
    return { deliveries, links };
  }

  /** Ends the expansion and refunds the rest of the charge together. @throws LeaseLostError */
  finish(claimed: ClaimedExpansion, state: 'done' | 'failed'): Promise<void> {
    const { messageId, organisationId } = claimed;
    return retryWhileWalletLocked(() =>
      this.database.transaction(async (transaction) => {
        const { charged, spent } = await confirmLease(transaction, claimed);
        await transaction.run(storeEnd, messageId, state);
        const rest = { subjectId: messageId, chargeId: messageId, organisationId, kobo: charged - spent };
        const [receipt] = await refund(transaction, [rest]);
        if (receipt?.moved !== true)
          throw new Error(`The rest of message ${messageId} has been refunded before`);
      }),
    );
  }
}

async function confirmLease(transaction: Statements, claimed: ClaimedExpansion) {
  const [money] = await transaction.run(lockMoney, claimed);
  if (!money) throw new LeaseLostError();
  return money;
}

/** A list can cost more than its estimate if it changes while it is read: only what was charged is sent. */
function takeAffordable(deliveries: readonly ListedDelivery[], available: bigint) {
  let kobo = 0n;
  const paid = deliveries.filter((delivery) => {
    const isAffordable = kobo + delivery.kobo <= available;
    if (isAffordable) kobo += delivery.kobo;
    return isAffordable;
  });
  return { paid, kobo };
}
