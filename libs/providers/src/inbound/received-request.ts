import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface ReceivedRequest {
  readonly method: string;
  /** The URL as the provider called it: public host, path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly contentType?: string | undefined;
  readonly body: Buffer;
  /** The time with which its timestamp is compared; now if absent. */
  readonly arrivedAt?: number;
}

/** Returns the value of a header; empty if it is missing or given twice. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}

export const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);
