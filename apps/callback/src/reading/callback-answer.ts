import {
  type CallbackAttempt,
  type CallbackDetails,
  type CallbackStatus,
  type CallbackSummary,
  type CallbackType,
  formatTimestamp,
} from '@gangan/contracts';

/** A callback as it is stored. */
export interface CallbackRow {
  readonly id: string;
  readonly type: CallbackType;
  readonly resourceId: string;
  readonly url: string;
  readonly state: CallbackStatus;
  readonly attempt: number;
  readonly createdAt: Date;
  /** `null` while an attempt is under way, and at the end. */
  readonly nextAttemptAt: Date | null;
  readonly endedAt: Date | null;
}

export interface AttemptRow {
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  /** Its beginning. */
  readonly answer: Buffer | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export interface WholeCallback extends CallbackRow {
  readonly requestId: string;
  readonly body: string;
  readonly attempts: readonly AttemptRow[];
}

export const summaryOf = (row: CallbackRow) =>
  ({
    id: row.id,
    type: row.type,
    resource_id: row.resourceId,
    url: row.url,
    status: row.state,
    attempt_count: row.attempt,
    created_datetime: formatTimestamp(row.createdAt),
    ...(row.nextAttemptAt && { next_attempt_datetime: formatTimestamp(row.nextAttemptAt) }),
    ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
  }) satisfies CallbackSummary;

export const detailsOf = (row: WholeCallback): CallbackDetails => ({
  ...summaryOf(row),
  request_id: row.requestId,
  body: row.body,
  attempts: row.attempts.map(attemptOf),
});

const attemptOf = (row: AttemptRow): CallbackAttempt => ({
  attempt: row.attempt,
  ...(row.status !== null && { status: row.status }),
  ...(row.error !== null && { error: row.error }),
  ...(row.answer?.length && { answer: textOf(row.answer) }),
  started_datetime: formatTimestamp(row.startedAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** As a stream, so that a character that was cut in two at the end is left out. What is no text becomes U+FFFD. */
const textOf = (bytes: Buffer): string => new TextDecoder().decode(bytes, { stream: true });
