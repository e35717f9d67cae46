import { toNaira } from '@gangan/billing';
import type * as dto from '@gangan/contracts';
import { deliveryReason, formatTimestamp, shownReason } from '@gangan/contracts';
import type { ShownExpansion } from '../audience/audience.repository.js';
import type { AttemptRow } from './deliveries.repository.js';
import type { ShownDelivery, ShownLink } from './delivery-texts.js';
import type { ListedRow, MessageRow } from './messages.repository.js';

interface DetailsOfMessage {
  readonly updatedAt?: Date | undefined;
  readonly refunded?: bigint | undefined;
  readonly pagination?: dto.Pagination | undefined;
}

/** The DTO classes describe the fields; responses are plain objects. */
type Plain<T> = { [Field in keyof T]: T[Field] };

export function messageResponse(
  row: MessageRow,
  method: string,
  resource: string,
  { updatedAt, refunded, pagination }: DetailsOfMessage = {},
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
      ...(refunded !== undefined && { refunded: toNaira(refunded) }),
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
  /** The refunds of all deliveries, without what the expansion returned. */
  readonly refunded?: bigint | undefined;
  /** Set only for a message to a smartlist. */
  readonly pagination?: dto.Pagination;
  readonly expansion?: ShownExpansion;
  readonly showsProviders: boolean;
}

export function detailsResponse(
  row: MessageRow,
  { deliveries, refunded, pagination, expansion, showsProviders }: Details,
): dto.SmsDetails {
  const [updatedAt] = deliveries
    .flatMap((delivery) => delivery.updatedAt ?? [])
    .sort((one, other) => other.getTime() - one.getTime());
  return {
    ...messageResponse(row, 'GET', `/sms/${row.id}`, {
      updatedAt,
      refunded: refunded === undefined ? undefined : refunded + returnedBy(expansion, row.kobo),
      pagination,
    }),
    channel: row.channel,
    ...(row.category !== null && { category: row.category }),
    deliveries: deliveries.map((delivery) => deliveryResponse(delivery, showsProviders)),
    ...(expansion && { expansion: expansionResponse(expansion, row.kobo) }),
  };
}

const quietHours = { errorCode: 'quiet_hours', errorMessage: null };

/** `submitting` is internal and shown as `queued`. */
const deliveryResponse = (row: ShownDelivery, showsProviders: boolean): dto.SmsDelivery => ({
  id: row.id,
  recipient: row.recipientGiven,
  status: row.state === 'submitting' ? 'queued' : row.state,
  ...reasonOf(row.waitsUntil === null ? row : quietHours),
  ...(row.waitsUntil !== null && { waits_until: formatTimestamp(row.waitsUntil) }),
  ...(row.text !== undefined && { text: row.text }),
  links: row.links.map(linkResponse),
  pages: row.pages,
  charge: toNaira(row.kobo),
  refunded: row.refunded,
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
  attempts: row.attempts.map((attempt) => attemptResponse(attempt, showsProviders)),
});

const linkResponse = (link: ShownLink): dto.SmsLink => ({
  ...(link.url !== undefined && { url: link.url }),
  short_url: link.shortUrl,
  clicks: link.clicks,
  ...(link.clickedAt !== null && { last_clicked_datetime: formatTimestamp(link.clickedAt) }),
});

const attemptResponse = (row: AttemptRow, showsProviders: boolean): dto.SmsAttempt => ({
  attempt: row.attempt,
  ...(showsProviders && { provider: row.provider }),
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

/** What was charged for a smartlist beyond its deliveries: refunded in one sum when the expansion ends. */
const returnedBy = (expansion: ShownExpansion | undefined, charged: bigint): bigint =>
  expansion?.endedAt ? charged + expansion.growthKobo - expansion.chargeKobo : 0n;

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
    returned: toNaira(returnedBy(row, charged)),
    ended_datetime: formatTimestamp(row.endedAt),
  }),
});
