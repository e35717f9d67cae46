import type { Limit, LimitDecision, Queues } from '@gangan/queue';
import type { IncomingHttpHeaders } from 'node:http';

/** Rate limits count requests, and a large body costs as much time as several requests. */
const bytesPerToken = 64 * 1_024;

/** `Content-Length`, or `maxBytes` if the length is not given. */
export const bytesOfBody = (headers: IncomingHttpHeaders, maxBytes: number): number =>
  headers['transfer-encoding'] === undefined
    ? Math.min(Number(headers['content-length'] ?? 0), maxBytes)
    : maxBytes;

/** A body takes one token per 64 KiB. */
export const tokensOfBody = (headers: IncomingHttpHeaders, maxBytes: number): number =>
  Math.max(1, Math.ceil(bytesOfBody(headers, maxBytes) / bytesPerToken));

/** Reading phone numbers costs as much time as several requests, too. */
const phonesPerToken = 100;

/** Phone numbers take one token per started hundred. */
export const tokensOfPhones = (count: number): number => Math.ceil(count / phonesPerToken);

/** A request that costs more than the bucket holds takes all of it: otherwise it could never succeed. */
export const affordable = (tokens: number, { burst }: Limit): number =>
  Math.min(tokens, Math.max(1, Math.floor(burst)));

/**
 * Takes several tokens, or none: if one of them is refused, the others are given back for the next request.
 * @param before tokens that the same request took earlier; they stay taken, because its body was read
 */
export async function takeTokens(
  limits: Queues['limits'],
  bucket: string,
  limit: Limit,
  count: number,
  before = 0,
): Promise<LimitDecision> {
  const all = await Promise.all(Array.from({ length: count }, () => limits.take(bucket, limit)));
  const [first] = all.toSorted((a, b) => Number(a.allowed) - Number(b.allowed) || a.remaining - b.remaining);
  if (!first) throw new Error('A request takes at least one token');
  if (!first.allowed) limits.giveBack(bucket, limit, all.filter(({ allowed }) => allowed).length);
  const missingMs = ((before + count - 1) / limit.perSecond) * 1_000;
  return { ...first, nextInMs: first.nextInMs + missingMs };
}
