import { createHash } from 'node:crypto';
import type { Answer, Inquiry, Reason } from './message-provider.js';

const longestCode = 64;
const longestMessage = 500;
const longestReference = 255;

/** Characters that a database, or a log, does not take: control characters and halves of surrogate pairs. */
const unfit = /[\p{Cc}\p{Cs}]/gu;

/** A reason as it can be written down, whatever the provider wrote. */
export const cleanReason = ({ code, message }: Reason): Reason => ({
  code: code.slice(0, longestCode).replaceAll(unfit, '') || 'unspecified',
  message: message.slice(0, longestMessage).replaceAll(unfit, ' '),
});

/**
 * A provider's reference as it can be written down. One that cannot be becomes its digest, in answers and reports
 * alike: so they still meet, and never those of another message. An empty one names nothing.
 */
export function cleanReference(reference: string | undefined): string | undefined {
  const given = reference ?? '';
  if (given.length <= longestReference && given.search(unfit) === -1) return given || undefined;
  return `sha256:${createHash('sha256').update(given, 'utf16le').digest('hex')}`;
}

/** An answer that can be written down. What is none of those agreed upon tells nothing. */
export function cleanAnswer<T extends Answer | Inquiry>(answer: T): T | Answer {
  switch (answer.kind) {
    case 'accepted':
      return { kind: 'accepted', providerReference: cleanReference(answer.providerReference) };
    case 'rejected':
    case 'failed':
    case 'transient':
      return { kind: answer.kind, reason: cleanReason(answer.reason) };
    case 'unknown':
      return answer.reason ? { kind: 'unknown', reason: cleanReason(answer.reason) } : { kind: 'unknown' };
    case 'unheard':
      return answer;
    default:
      return { kind: 'unknown' };
  }
}
