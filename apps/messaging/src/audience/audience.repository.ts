import { charge, growthIdOf } from '@gangan/billing';
import { hasEndpoints, recordCallbacks } from '@gangan/callbacks';
import { deliveryEvents, type MessageCategory } from '@gangan/contracts';
import {
  type Channel,
  command,
  Database,
  type MessageExpansion,
  type OrganisationMode,
  sql,
  statement,
  type Statements,
  t,
} from '@gangan/database';
import { type Lease, LeaseHolder, LeaseLostError } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { contentShape } from '../text/message-text.js';
import { contentColumns, StoredTexts, storedTextShape } from '../text/stored-texts.js';
import { retryWhileWalletLocked } from '../transactions.js';
import { endExpansion, type ExpansionOf, lockUnfinished, moneyColumns, moneyShape } from './end-expansion.js';
import { expansionFailedCallback, findFailed } from './expansion-failed-callback.js';
import {
  claimHeld,
  type ClaimedExpansion,
  claimNext,
  expansionLease,
  leaseMs,
  takeOverExpansions,
} from './expansion-lease.js';
import type { RowResults } from './row-deliveries.js';
import type { ChargedRows } from './row-prices.js';
import { type ExpandedMessage, storeDeliveries } from './store-deliveries.js';

export type ShownExpansion = Omit<MessageExpansion, 'nextAttemptAt' | 'chargedPrices'>;

/** The next rows of the smartlist, and what they result in. */
export interface ExpansionPage extends RowResults {
  readonly rows: number;
  readonly lastRowId: string;
  readonly message: ExpandedMessage;
}

const findProgress = statement(
  {
    /** Empty if the list has not been opened yet. */
    list: t.text,
    phoneColumn: t.nullable(t.text),
    lastRowId: t.nullable(t.uuid),
    rows: t.int,
    charged: t.nullable(t.json<ChargedRows>()),
    smartlistId: t.nullable(t.uuid),
    isScheduled: t.bool,
    channel: t.enumOf<Channel>('channel'),
    trackable: t.bool,
    sender: t.text,
    category: t.textOf<MessageCategory>(),
    mode: t.enumOf<OrganisationMode>('organisation_mode'),
    hasTemplate: t.bool,
    requestId: t.text,
    callbackUrl: t.nullable(t.text),
    externalRef: t.nullable(t.text),
    /** Whether an endpoint receives events of the deliveries. */
    hasEndpoints: t.bool,
    ...contentShape,
    ...storedTextShape,
  },
  (claimed: ClaimedExpansion) => sql`
    SELECT expansion.list, expansion.phone_column AS "phoneColumn", expansion.last_row_id AS "lastRowId", expansion.rows,
      expansion.charged, message.*
    FROM (SELECT list, phone_column, last_row_id, rows, CASE WHEN charged_rows IS NOT NULL AND charged_prices IS NOT NULL
        THEN jsonb_build_object('rows', charged_rows, 'prices', charged_prices) END AS charged
      FROM message_expansion WHERE ${expansionLease.stillHeld(claimed)}) AS expansion
    CROSS JOIN LATERAL (
      SELECT smartlist_id AS "smartlistId", coalesce(send_at > created_at, false) AS "isScheduled", channel, trackable, sender, coalesce(category, 'transactional') AS category, template_id IS NOT NULL AS "hasTemplate",
        (SELECT mode FROM organisation WHERE organisation.id = message.organisation_id) AS mode,
        request_id AS "requestId", callback_url AS "callbackUrl", external_ref AS "externalRef",
        ${hasEndpoints(sql`message.organisation_id`, deliveryEvents)} AS "hasEndpoints", ${contentColumns}
      FROM message WHERE id = ${claimed.messageId} LIMIT 1) AS message`,
  { samples: [[{ messageId: '', organisationId: '', attempt: 1, stalls: 1 }]] },
);

const lockMoney = statement(
  moneyShape,
  (claimed: ClaimedExpansion) => sql`
    SELECT ${moneyColumns} FROM message_expansion AS expansion JOIN message ON message.id = expansion.message_id
    WHERE ${expansionLease.stillHeld(claimed)} FOR NO KEY UPDATE OF expansion`,
  { samples: [[{ messageId: '', organisationId: '', attempt: 1, stalls: 1 }]] },
);

type Progress = Omit<ExpansionPage, 'deliveries' | 'rejected' | 'message'> &
  Pick<MessageExpansion, 'recipients' | 'unaffordable' | 'optedOut' | 'chargeKobo'>;

const storeProgress = command(
  (messageId: string, lease: Lease, page: Progress) => sql`
    UPDATE message_expansion SET last_row_id = ${page.lastRowId}::uuid, rows = rows + ${page.rows}::int,
      recipients = recipients + ${page.recipients}::int, duplicates = duplicates + ${page.duplicates}::int,
      without_number = without_number + ${page.withoutNumber}::int, unsendable = unsendable + ${page.unsendable}::int,
      unaffordable = unaffordable + ${page.unaffordable}::int,
      opted_out = opted_out + ${page.optedOut}::int, charge_kobo = charge_kobo + ${page.chargeKobo}::bigint,
      ${expansionLease.assign(lease)}, stalls = 0
    WHERE message_id = ${messageId}`,
);

const storeOpened = command(
  (messageId: string, lease: Lease, list: string, growthKobo: bigint) => sql`
    UPDATE message_expansion SET list = ${list}, growth_kobo = ${growthKobo}::bigint, ${expansionLease.assign(lease)}, stalls = 0
    WHERE message_id = ${messageId}`,
);

@Injectable()
export class AudienceRepository {
  private readonly lease: Lease;

  constructor(
    private readonly database: Database,
    private readonly texts: StoredTexts,
    holder: LeaseHolder,
  ) {
    this.lease = holder.lease(leaseMs);
    holder.onTakeover('message_expansion', (transaction, dead) =>
      transaction.run(takeOverExpansions, { holder: dead, leaseMs }),
    );
  }

  /** The caller has checked that the message belongs to its organisation. */
  async find(messageId: string): Promise<ShownExpansion | undefined> {
    // The due time of a held expansion is `infinity`, which is not a Date.
    const query = { where: { messageId }, omit: { nextAttemptAt: true, chargedPrices: true } } as const;
    return (await this.database.messageExpansion.findUnique(query)) ?? undefined;
  }

  /** Expansions of suspended organisations are held. */
  async claimNext(): Promise<ClaimedExpansion | undefined> {
    const [claimed] = await this.database.run(claimNext, this.lease);
    return claimed;
  }

  /** Claims an expansion of a suspended organisation that has been due for `overdueMs`. */
  async claimHeld(overdueMs: number): Promise<ClaimedExpansion | undefined> {
    const [claimed] = await this.database.run(claimHeld, overdueMs, this.lease);
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
    return this.database.transaction(async (transaction) => {
      const { charged, spent } = await confirmLease(transaction, claimed);
      const { deliveries, rejected, message, ...results } = page;
      const available = charged - spent;
      const {
        ids,
        rejected: rejectedNow,
        duplicates,
        ...stored
      } = await storeDeliveries(transaction, this.texts, {
        ...{ claimed, deliveries, rejected, message, available },
      });
      await transaction.run(storeProgress, claimed.messageId, this.lease, {
        ...results,
        ...stored,
        recipients: ids.length + rejectedNow,
        duplicates: results.duplicates + duplicates,
      });
      return ids;
    });
  }

  /**
   * Stores the list as it was opened at the time of a scheduled message, and charges what it has grown by since the message
   * was charged. If the balance or a limit does not allow that, only what was charged before is sent.
   * @param kobo what the list costs now
   * @throws LeaseLostError
   */
  open(claimed: ClaimedExpansion, list: string, kobo: bigint): Promise<void> {
    const { messageId, organisationId } = claimed;
    return retryWhileWalletLocked(() =>
      this.database.transaction(async (transaction) => {
        const { charged } = await confirmLease(transaction, claimed);
        const growth = kobo > charged ? kobo - charged : 0n;
        const item = { subjectId: growthIdOf(messageId), organisationId, kobo: growth };
        const [result] = growth > 0n ? await charge(transaction, 'message', [item]) : [];
        if (result?.ok && result.repeated)
          throw new Error(`The growth of message ${messageId} has already been charged`);
        await transaction.run(storeOpened, messageId, this.lease, list, result?.ok ? growth : 0n);
      }),
    );
  }

  /** Ends the expansion and refunds the rest of the charge together. @throws LeaseLostError */
  finish(claimed: ClaimedExpansion): Promise<void> {
    return retryWhileWalletLocked(() =>
      this.database.transaction(async (transaction) => {
        const money = await confirmLease(transaction, claimed);
        await endExpansion(transaction, claimed, { ...money, state: 'done', reason: null });
      }),
    );
  }

  /** As `finish`, with a callback. @param reason a sentence for people @throws LeaseLostError */
  fail(claimed: ClaimedExpansion, reason: string): Promise<void> {
    return retryWhileWalletLocked(() =>
      this.database.transaction(async (transaction) => {
        const money = await confirmLease(transaction, claimed);
        await endExpansion(transaction, claimed, { ...money, state: 'failed', reason });
        const [message] = await transaction.run(findFailed, claimed.messageId);
        if (!message || (message.callbackUrl === null && !message.hasEndpoints)) return;
        await recordCallbacks(transaction, [expansionFailedCallback(message)]);
      }),
    );
  }

  /** Ends the expansion of a canceled message, if it has not ended, and refunds the rest of the charge together. */
  cancel(expansion: ExpansionOf): Promise<void> {
    return retryWhileWalletLocked(() =>
      this.database.transaction(async (transaction) => {
        const [money] = await transaction.run(lockUnfinished, expansion.messageId);
        if (money) await endExpansion(transaction, expansion, { ...money, state: 'canceled', reason: null });
      }),
    );
  }
}

async function confirmLease(transaction: Statements, claimed: ClaimedExpansion) {
  const [money] = await transaction.run(lockMoney, claimed);
  if (!money) throw new LeaseLostError();
  return money;
}
