import type { NewCallback } from '@gangan/callbacks';
import { type Channel, type MessageReport, formatTimestamp } from '@gangan/contracts';
import { type DeliveryState, sql } from '@gangan/database';
import { timeOfId } from '@gangan/protocol';

/** A link that was followed, and the message it stands in. */
export interface FollowedLink {
  readonly code: string;
  /** From 0. */
  readonly position: number;
  readonly deliveryId: string;
  readonly channel: Channel;
  readonly recipientGiven: string;
  readonly state: DeliveryState;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
  readonly messageId: string;
  readonly organisationId: string;
  readonly requestId: string;
  readonly externalRef: string | null;
  readonly callbackUrl: string | null;
}

/** Of a `link`, its `delivery` and its `message`. */
export const followedLinkColumns = sql`
  link.code, link.position, link.delivery_id AS "deliveryId", delivery.channel,
  delivery.recipient_given AS "recipientGiven", delivery.state, delivery.error_code AS "errorCode",
  delivery.error_message AS "errorMessage", delivery.created_at AS "createdAt", delivery.updated_at AS "updatedAt",
  message.id AS "messageId", message.organisation_id AS "organisationId", message.request_id AS "requestId",
  message.external_ref AS "externalRef", message.callback_url AS "callbackUrl"`;

/** What the consumer is told of each click, if there is one. */
export function reportsOf(
  links: ReadonlyMap<string, FollowedLink>,
  clicks: readonly { readonly id: string; readonly code: string }[],
): NewCallback[] {
  return clicks.flatMap(({ id, code }) => {
    const link = links.get(code);
    return link && link.callbackUrl !== null ? [reportOf(link, link.callbackUrl, timeOfId(id))] : [];
  });
}

function reportOf(link: FollowedLink, url: string, clickedAt: Date): NewCallback {
  const { messageId: id, organisationId, requestId, errorCode, externalRef } = link;
  const clicked = formatTimestamp(clickedAt);
  const data = {
    id,
    delivery_id: link.deliveryId,
    channel: link.channel,
    recipient: link.recipientGiven,
    status: statusOf(link.state),
    ...(errorCode !== null && { reason: { code: errorCode, message: link.errorMessage ?? '' } }),
    ...(externalRef !== null && { external_ref: externalRef }),
    created_datetime: formatTimestamp(link.createdAt),
    updated_datetime: formatTimestamp(link.updatedAt ?? link.createdAt),
    link: link.position + 1,
    clicked_datetime: clicked,
  } satisfies MessageReport;
  return {
    organisationId,
    resourceId: id,
    requestId,
    url,
    body: { type: 'message.clicked', timestamp: clicked, data },
  };
}

/** Whoever follows a link has got the message, though we may not have heard so yet. */
const statusOf = (state: DeliveryState): MessageReport['status'] =>
  state === 'queued' || state === 'submitting' ? 'sent' : state;
