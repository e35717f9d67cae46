import { createHash } from 'node:crypto';
import { deliveryReason, type Reason } from '@gangan/contracts';
import type { AskResult, SubmitResult } from './message-provider.js';

const maxCodeLength = 64;
const maxMessageLength = 500;
const maxReferenceLength = 255;

/** Characters that Postgres or a log does not take: control characters and halves of surrogate pairs. */
const unstorable = /[\p{Cc}\p{Cs}]/gu;

const plainCode = /^[A-Za-z0-9_.:-]{1,32}$/;

export const cleanReason = ({ code, message }: Reason): Reason => ({
  code: code.slice(0, maxCodeLength).replaceAll(unstorable, '') || 'unspecified',
  message: message.slice(0, maxMessageLength).replaceAll(unstorable, ' '),
});

/**
 * A reference that can be stored. A reference that cannot be stored becomes its digest, in results and reports alike, so
 * that they still match, and never match another message. An empty one becomes undefined.
 */
export function cleanReference(reference: string | undefined): string | undefined {
  const given = reference ?? '';
  if (given.length <= maxReferenceLength && given.search(unstorable) === -1) return given || undefined;
  return `sha256:${createHash('sha256').update(given, 'utf16le').digest('hex')}`;
}

/** A result that can be stored. An invalid kind is `unknown`. */
export function cleanResult<T extends SubmitResult | AskResult>(result: T): T | SubmitResult {
  const cleaned = cleanTexts(result);
  return 'request' in result ? { ...cleaned, request: result.request } : cleaned;
}

function cleanTexts<T extends SubmitResult | AskResult>(result: T): T | SubmitResult {
  switch (result.kind) {
    case 'accepted': {
      const further = result.furtherReferences?.flatMap((reference) => cleanReference(reference) ?? []);
      return {
        kind: 'accepted',
        providerReference: cleanReference(result.providerReference),
        ...(further && { furtherReferences: further }),
        ...(result.cost && { cost: result.cost }),
      };
    }
    case 'rejected':
    case 'failed':
      return { kind: result.kind, reason: cleanReason(result.reason) };
    case 'transient':
      return {
        kind: 'transient',
        reason: cleanReason(result.reason),
        ...(result.cause && { cause: result.cause }),
        ...(result.retryInMs !== undefined && { retryInMs: result.retryInMs }),
        ...(result.retryAfterMs !== undefined && { retryAfterMs: result.retryAfterMs }),
      };
    case 'unknown':
      return result.reason ? { kind: 'unknown', reason: cleanReason(result.reason) } : { kind: 'unknown' };
    case 'not_found':
      return result;
    default:
      return { kind: 'unknown' };
  }
}

/** For OTPs: a carrier may repeat the text, and with it the token. Only a code in plain characters is kept. */
export const redactReason = ({ code }: Reason): Reason =>
  deliveryReason(
    plainCode.test(code) ? code : 'unspecified',
    'The message could not be delivered; what providers say about OTPs is not stored',
  );

export const redactResult = <T extends SubmitResult | AskResult>(result: T): T =>
  'reason' in result ? { ...result, reason: redactReason(result.reason) } : result;

/** What may be logged of an error that concerns an OTP. */
export function redactError(error: unknown): { readonly type: string; readonly code?: string } {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error ? String(error.code) : '';
  return { type: error.name, ...(plainCode.test(code) && { code }) };
}
