import { recordCallbacks } from '@gangan/callbacks';
import type { MessageCategory, Reason } from '@gangan/contracts';
import { type Channel, command, sql, statement, type Statements, t, unnest } from '@gangan/database';
import { dueAfter, leaseGraceMs } from '@gangan/leases';
import { messageCallback } from '../outcome/message-callback.js';
import { unaffordable } from '../outcome/reasons.js';
import type { StoredTexts } from '../text/stored-texts.js';
import type { ClaimedExpansion } from './expansion-lease.js';
import type { ListedDelivery } from './row-deliveries.js';

const findStored = statement(
  { id: t.uuid },
  (ids: readonly string[]) => sql`
    SELECT found.id FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT id FROM delivery WHERE id = named.id LIMIT 1) AS found`,
);

const findOptedOut = statement(
  { recipient: t.text },
  (organisationId: string, channel: Channel, recipients: readonly string[]) => sql`
    SELECT named.recipient FROM unnest(${recipients}::text[]) AS named (recipient) CROSS JOIN LATERAL (
      SELECT FROM opt_out WHERE organisation_id = ${organisationId} AND phone = named.recipient
        AND channel = ${channel}::channel LIMIT 1) AS found`,
);

/** A delivery as it is stored, with its values as text or sealed. */
type StoredDelivery = Omit<ListedDelivery, 'substitutions' | 'links'> &
  ReturnType<StoredTexts['sealSubstitutions']>;

type StoredLink = ReturnType<StoredTexts['sealUrl']> & {
  readonly code: string;
  readonly deliveryId: string;
  readonly position: number;
};

const insertDeliveries = command(
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

const insertRejected = statement(
  { createdAt: t.timestamp },
  (
    { messageId, organisationId }: ClaimedExpansion,
    channel: Channel,
    { code, message }: Reason,
    rejected: readonly Pick<ListedDelivery, 'id' | 'recipient' | 'recipientGiven' | 'pages'>[],
  ) => sql`
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages, charge_kobo,
      state, error_code, error_message, updated_at)
    SELECT id, ${organisationId}::uuid, 'sms', ${messageId}::uuid, ${channel}::channel, recipient, recipient_given, pages, 0,
      'rejected', ${code}, ${message}, now()
    FROM ${unnest('rejection', rejected, { uuid: ['id'], text: ['recipient', 'recipientGiven'], int: ['pages'] })}
    RETURNING created_at AS "createdAt"`,
);

const insertLinks = command(
  (links: readonly StoredLink[]) => sql`
    INSERT INTO tracked_link (code, delivery_id, position, url, sealed_url)
    SELECT code, delivery_id, position, url, sealed_url FROM ${unnest('link', links, {
      text: ['code', 'url'],
      bytea: ['sealedUrl'],
      uuid: ['deliveryId'],
      int: ['position'],
    })}`,
);

/** The message whose deliveries are stored. */
export interface ExpandedMessage {
  readonly channel: Channel;
  readonly category: MessageCategory;
  readonly requestId: string;
  readonly callbackUrl: string | null;
  readonly externalRef: string | null;
  readonly hasEndpoints: boolean;
  readonly isScheduled: boolean;
}

interface DeliveriesOfPage {
  readonly claimed: ClaimedExpansion;
  readonly message: ExpandedMessage;
  readonly deliveries: readonly ListedDelivery[];
  /** The deliveries that are not sent and cost nothing, with the reason. */
  readonly rejected: ReadonlyMap<ListedDelivery, Reason>;
  /** What is left of the charge, in kobo. */
  readonly available: bigint;
}

/**
 * Stores the deliveries that no earlier page has stored and that the charge pays for. If the message is scheduled,
 * those that the charge does not pay for are stored as rejected.
 */
export async function storeDeliveries(
  transaction: Statements,
  texts: StoredTexts,
  { claimed, message, deliveries, rejected, available }: DeliveriesOfPage,
) {
  const { organisationId } = claimed;
  const ids = deliveries.map(({ id }) => id);
  const stored = new Set((await transaction.run(findStored, ids)).map(({ id }) => id));
  const unstored = deliveries.filter(({ id }) => !stored.has(id));
  const optedOut = new Set<string>();
  if (message.category === 'promotional' && unstored.length > 0) {
    const recipients = unstored.map(({ recipient }) => recipient);
    const found = await transaction.run(findOptedOut, organisationId, message.channel, recipients);
    for (const { recipient } of found) optedOut.add(recipient);
  }
  const wanted = unstored.filter(({ recipient }) => !optedOut.has(recipient));
  for (const reason of new Set(rejected.values()))
    await storeRejected(
      transaction,
      claimed,
      message,
      reason,
      wanted.filter((delivery) => rejected.get(delivery) === reason),
    );
  const fresh = wanted.filter((delivery) => !rejected.has(delivery));
  const { paid, chargeKobo } = takeAffordable(fresh, available);
  const rows = paid.map(({ substitutions, ...delivery }) => ({
    ...delivery,
    ...texts.sealSubstitutions({ id: delivery.id, organisationId }, substitutions),
  }));
  const links = paid.flatMap(({ id: deliveryId, links: own }) =>
    own.map((link, position) => ({
      code: link.code,
      deliveryId,
      position,
      ...texts.sealUrl(organisationId, link),
    })),
  );
  if (rows.length > 0) await transaction.run(insertDeliveries, claimed, rows);
  if (links.length > 0) await transaction.run(insertLinks, links);
  const paidIds = new Set(paid.map(({ id }) => id));
  const unpaid = fresh.filter(({ id }) => !paidIds.has(id));
  if (message.isScheduled) await storeRejected(transaction, claimed, message, unaffordable, unpaid);
  return {
    ids: paid.map(({ id }) => id),
    chargeKobo,
    unaffordable: unpaid.length,
    optedOut: optedOut.size,
    rejected: wanted.length - fresh.length,
    duplicates: stored.size,
  };
}

/** Stores deliveries as rejected, with their callbacks. */
async function storeRejected(
  transaction: Statements,
  claimed: ClaimedExpansion,
  message: ExpandedMessage,
  reason: Reason,
  rejected: readonly ListedDelivery[],
): Promise<void> {
  if (rejected.length === 0) return;
  const { messageId: id, organisationId } = claimed;
  const [{ createdAt } = { createdAt: new Date() }] = await transaction.run(
    insertRejected,
    claimed,
    message.channel,
    reason,
    rejected,
  );
  if (message.callbackUrl === null && !message.hasEndpoints) return;
  const { code: errorCode, message: errorMessage } = reason;
  const times = { createdAt, updatedAt: createdAt };
  const stored = { channel: message.channel, state: 'rejected', errorCode, errorMessage, ...times } as const;
  const callbacks = rejected.map((delivery) =>
    messageCallback('message.rejected', { ...delivery, ...stored }, { ...message, id, organisationId }),
  );
  await recordCallbacks(transaction, callbacks);
}

/** A list can cost more than its estimate if it changes while it is read: only what was charged is sent. */
function takeAffordable(deliveries: readonly ListedDelivery[], available: bigint) {
  let chargeKobo = 0n;
  const paid = deliveries.filter(({ kobo }) => {
    const isAffordable = chargeKobo + kobo <= available;
    if (isAffordable) chargeKobo += kobo;
    return isAffordable;
  });
  return { paid, chargeKobo };
}
