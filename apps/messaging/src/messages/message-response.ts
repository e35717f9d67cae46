import { toNaira } from '@gangan/billing';
import {
  type ListedSms,
  type TextSize,
  type SmsAttempt,
  type SmsDelivery,
  type Pagination,
  type SmsDetails,
  type SmsMessage,
  type SmsStatus,
  formatTimestamp,
} from '@gangan/contracts';
import type { Channel, DeliveryState } from '@gangan/database';
import { expansionAnswer, type ExpansionRow } from '../audience/expansion-response.js';
import type { Personalisation } from '../text/message-text.js';

/** A message as it is stored. */
export interface MessageRow {
  readonly id: string;
  readonly channel: Channel;
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly content: string;
  readonly templateId: string | null;
  readonly smartlistId: string | null;
  readonly personalisation: readonly Personalisation[] | null;
  readonly externalRef: string | null;
  readonly trackable: boolean;
  readonly callbackUrl: string | null;
  readonly encoding: TextSize['encoding'];
  readonly length: number;
  readonly pages: number;
  readonly kobo: bigint;
  readonly balance: bigint;
  readonly createdAt: Date;
}

/** A message as a list shows it: the first of its recipients, and how many there are. */
export interface ListedRow extends MessageRow {
  readonly recipientCount: number;
}

interface Failure {
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

export interface DeliveryRow extends Failure {
  readonly id: string;
  readonly messageId: string;
  readonly recipientGiven: string;
  readonly state: DeliveryState;
  readonly pages: number;
  readonly kobo: bigint;
  readonly refunded: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export interface AttemptRow extends Failure {
  readonly deliveryId: string;
  readonly attempt: number;
  readonly provider: string;
  readonly outcome: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface StoredDelivery extends DeliveryRow {
  readonly attempts: readonly AttemptRow[];
}

/** That a provider is just being called is nobody's business outside. */
const statusOf = (state: DeliveryState): SmsStatus => (state === 'submitting' ? 'queued' : state);

/** A class only where it is described: answers are plain objects. */
type Plain<T> = { [Field in keyof T]: T[Field] };

export function messageAnswer(
  row: MessageRow,
  method: string,
  resource: string,
  { updatedAt, pagination }: { updatedAt?: Date | undefined; pagination?: Pagination | undefined } = {},
): Plain<SmsMessage> {
  return {
    id: row.id,
    recipients: [...row.recipients],
    ...(row.smartlistId !== null && { smartlist_id: row.smartlistId }),
    sender_id: row.sender,
    is_trackable: row.trackable,
    content: row.content,
    ...(row.externalRef !== null && { external_ref: row.externalRef }),
    ...(row.callbackUrl !== null && { callback: row.callbackUrl }),
    ...(row.templateId !== null && { template_id: row.templateId }),
    personalisation: (row.personalisation ?? []).map((item) => ({ ...item })),
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

export const listedAnswer = (row: ListedRow): ListedSms => ({
  ...messageAnswer(row, 'GET', '/sms'),
  recipient_count: row.recipientCount,
});

/** What became of a message, or of some of its recipients. */
export interface Details {
  readonly deliveries: readonly StoredDelivery[];
  /** Only of a message to a smartlist: where the next page begins, if there is one; and how far its list has come. */
  readonly pagination?: Pagination;
  readonly expansion?: ExpansionRow;
}

export function detailsAnswer(row: MessageRow, { deliveries, pagination, expansion }: Details): SmsDetails {
  const [updatedAt] = deliveries
    .flatMap((delivery) => delivery.updatedAt ?? [])
    .sort((one, other) => other.getTime() - one.getTime());
  return {
    ...messageAnswer(row, 'GET', `/sms/${row.id}`, { updatedAt, pagination }),
    channel: row.channel,
    deliveries: deliveries.map(deliveryAnswer),
    ...(expansion && { expansion: expansionAnswer(expansion, row.kobo) }),
  };
}

const deliveryAnswer = (row: StoredDelivery): SmsDelivery => ({
  id: row.id,
  recipient: row.recipientGiven,
  status: statusOf(row.state),
  ...errorOf(row),
  pages: row.pages,
  charge: toNaira(row.kobo),
  refunded: row.refunded,
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
  attempts: row.attempts.map(attemptAnswer),
});

const attemptAnswer = (row: AttemptRow): SmsAttempt => ({
  attempt: row.attempt,
  provider: row.provider,
  ...(row.outcome !== null && { outcome: row.outcome }),
  ...errorOf(row),
  started_datetime: formatTimestamp(row.startedAt),
  ...(row.endedAt !== null && { ended_datetime: formatTimestamp(row.endedAt) }),
});

const errorOf = ({ errorCode, errorMessage }: Failure) =>
  errorCode === null ? {} : { error: { code: errorCode, message: errorMessage ?? '' } };
