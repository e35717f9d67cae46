import type { Reply } from '@gangan/protocol';

/** What lies in a BullMQ job. Everything that could tell something about a person is inside `sealed`. */
export interface Envelope {
  readonly v: typeof VERSION;
  /** Where answers go; absent on events. */
  readonly replyTo?: string;
  readonly requests: readonly WireRequest[];
  /** The parcels of all requests, in their order: sealing once a job is most of what sealing costs saved. */
  readonly sealed: string;
  /** Why it was put aside; a worker fails such a job at once, so that it stays in the failed set. */
  readonly parked?: string;
}

export interface WireRequest {
  /** Unique to its sender: routes the answer back. */
  readonly id: string;
  /** The contract's name. */
  readonly name: string;
  readonly organisation?: string;
  /** When the caller stops waiting, in epoch milliseconds; absent on events. */
  readonly deadline?: number;
}

export const VERSION = 1;

/** What the seals of a job and of answers are tied to, so that none can be passed off as another, here or elsewhere. */
export const jobBound = (replyTo: string | undefined, requests: readonly WireRequest[]): string =>
  `job ${replyTo ?? 'events'} ${requests.map(({ id, name }) => `${id} ${name}`).join(' ')}`;
export const repliesBound = (replyTo: string): string => `replies ${replyTo}`;

/** Reads a job's data, which may come from an older, a newer or a hostile sender. */
export function readEnvelope(data: unknown): Envelope {
  if (!isRecord(data)) throw new Error('The job is not an envelope');
  if (data['v'] !== VERSION)
    throw new Error(`The job has version ${String(data['v'])}, this worker reads ${VERSION}`);
  const requests = data['requests'];
  if (!Array.isArray(requests) || requests.length === 0 || !requests.every(isWireRequest)) {
    throw new Error('The job carries no readable requests');
  }
  if (typeof data['sealed'] !== 'string') throw new Error('The job carries nothing sealed');
  if (data['replyTo'] !== undefined && typeof data['replyTo'] !== 'string')
    throw new Error('The job has a bad replyTo');
  return data as unknown as Envelope;
}

/** Answers, which may come from an older or a newer sender. */
export function readReplies(data: unknown): [id: string, reply: Reply][] {
  if (!Array.isArray(data) || !data.every(isAddressedReply)) throw new Error('The answers are not readable');
  return data as [string, Reply][];
}

const isAddressedReply = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'string' && isReply(value[1]);

const isReply = (value: unknown): boolean =>
  isRecord(value) && (value['ok'] === true || (value['ok'] === false && isRecord(value['error'])));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isWireRequest = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  typeof value['name'] === 'string' &&
  (value['deadline'] === undefined || typeof value['deadline'] === 'number');
