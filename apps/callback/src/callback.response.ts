import {
  type CallbackAttempt,
  type CallbackDetails,
  type CallbackSummary,
  formatTimestamp,
} from '@gangan/contracts';
import type { CallbackAttempt as AttemptRow } from '@gangan/database';
import type { CallbackRow, CallbackWithAttempts } from './callback.repository.js';

const maxAnswerBytes = 1_024;

export const toSummary = (row: CallbackRow) =>
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

export const toDetails = (row: CallbackWithAttempts): CallbackDetails => ({
  ...toSummary(row),
  request_id: row.requestId,
  body: row.body,
  attempts: row.attempts.map(toAttempt),
});

const toAttempt = (row: AttemptRow): CallbackAttempt => ({
  attempt: row.attempt,
  ...(row.status !== null && { status: row.status }),
  ...(row.error !== null && { error: row.error }),
  ...(row.answer?.length && { answer: decodeText(row.answer.subarray(0, maxAnswerBytes)) }),
  started_datetime: formatTimestamp(row.startedAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** Omits a character that is cut at the end. Invalid bytes become U+FFFD. */
const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true });
