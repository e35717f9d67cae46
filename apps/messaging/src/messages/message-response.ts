import { toNaira } from '@gangan/billing';
import type * as dto from '@gangan/contracts';
import { deliveryReason, formatTimestamp, shownReason } from '@gangan/contracts';
import type { ShownExpansion } from '../audience/audience.repository.js';
import type { AttemptRow } from './deliveries.repository.js';
import type { ShownDelivery, ShownLink } from './delivery-texts.js';
import type { ListedRow, MessageRow } from './messages.repository.js';

/** The DTO classes describe the fields; responses are plain objects. */
type Plain<T> = { [Field in keyof T]: T[Field] };

export function messageResponse(
  row: MessageRow,
  method: string,
  resource: string,
  { updatedAt, pagination }: { updatedAt?: Date | undefined; pagination?: dto.Pagination | undefined } = {},
): Plain<dto.SmsMessage> {
  return {
    id: row.id,
    status: row.status,
    recipients: [...row.recipients],
    ...(row.smartlistId !== null && { smartlist_id: row.smartlistId }),
    ...(row.replyTo !== null && { reply_to: row.replyTo }),
    sender_id: row.sender,
    is_trackable: row.trackable,
    content: row.content,
    ...(row.externalRef !== null && { external_ref: row.externalRef }),
    ...(row.callbackUrl !== null && { callback: row.callbackUrl }),
    ...(row.templateId !== null && { template_id: row.templateId }),
    personalisation: (row.personalisation ?? []).map(({ to, substitutions }) => ({ to, substitutions })),
    ...(row.sendAt !== null && { send_at: formatTimestamp(row.sendAt) }),
    created_datetime: formatTimestamp(row.createdAt),
    ...(updatedAt && { updated_datetime: formatTimestamp(updatedAt) }),
    meta: {
      method,
      resource,
      estimate: {
        available_balance: toNaira(row.balance),
        charge: toNaira(row.kobo),
        encoding: row.encoding,
        message_length: row.length,
        pages: row.pages,
      },
      ...(pagination && { pagination }),
    },
  };
}

export const listedResponse = (row: ListedRow): dto.ListedSms => ({
  ...messageResponse(row, 'GET', '/sms'),
  recipient_count: row.recipientCount,
  channel: row.channel,
  ...(row.category !== null && { category: row.category }),
});

export interface Details {
  readonly deliveries: readonly ShownDelivery[];
  /** Only of a message to a smartlist. */
  readonly pagination?: dto.Pagination;
  readonly expansion?: ShownExpansion;
}

export function detailsResponse(
  row: MessageRow,
  { deliveries, pagination, expansion }: Details,
): dto.SmsDetails {
  const [updatedAt] = deliveries
    .flatMap((delivery) => delivery.updatedAt ?? [])
    .sort((one, other) => other.getTime() - one.getTime());
  return {
    ...messageResponse(row, 'GET', `/sms/${row.id}`, { updatedAt, pagination }),
    channel: row.channel,
    ...(row.category !== null && { category: row.category }),
    deliveries: deliveries.map(deliveryResponse),
    ...(expansion && { expansion: expansionResponse(expansion, row.kobo) }),
  };
}

/** `submitting` is internal and shown as `queued`. */
const deliveryResponse = (row: ShownDelivery): dto.SmsDelivery => ({
  id: row.id,
  recipient: row.recipientGiven,
  status: row.state === 'submitting' ? 'queued' : row.state,
  ...reasonOf(row),
  ...(row.text !== undefined && { text: row.text }),
  links: row.links.map(linkResponse),
  pages: row.pages,
  charge: toNaira(row.kobo),
  refunded: row.refunded,
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
  attempts: row.attempts.map(attemptResponse),
});

const linkResponse = (link: ShownLink): dto.SmsLink => ({
  ...(link.url !== undefined && { url: link.url }),
  short_url: link.shortUrl,
  clicks: link.clicks,
  ...(link.clickedAt !== null && { last_clicked_datetime: formatTimestamp(link.clickedAt) }),
});

const attemptResponse = (row: AttemptRow): dto.SmsAttempt => ({
  attempt: row.attempt,
  provider: row.provider,
  ...(row.outcome !== null && { outcome: row.outcome }),
  ...reasonOf(row),
  started_datetime: formatTimestamp(row.startedAt),
  ...(row.endedAt !== null && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** `error` is the same under its earlier name. */
function reasonOf({ errorCode: code, errorMessage }: Pick<AttemptRow, 'errorCode' | 'errorMessage'>) {
  const { reason } = shownReason(code, errorMessage, (known) => deliveryReason(known));
  return reason ? { reason, error: reason } : {};
}

const expansionResponse = (row: ShownExpansion, charged: bigint): dto.SmsExpansion => ({
  state: row.state,
  rows: row.rows,
  recipients: row.recipients,
  duplicates: row.duplicates,
  without_number: row.withoutNumber,
  unsendable: row.unsendable,
  unaffordable: row.unaffordable,
  opted_out: row.optedOut,
  charge: toNaira(row.chargeKobo),
  ...(row.growthKobo > 0n && { growth_charge: toNaira(row.growthKobo) }),
  ...(row.errorMessage !== null && { reason: row.errorMessage }),
  ...(row.endedAt && {
    returned: toNaira(charged + row.growthKobo - row.chargeKobo),
    ended_datetime: formatTimestamp(row.endedAt),
  }),
});
