/** What lies in a BullMQ job. Everything that could tell something about a person is inside `sealed`. */
export interface Envelope {
  readonly v: typeof VERSION;
  /** Where answers go; absent on events. */
  readonly replyTo?: string;
  readonly requests: readonly WireRequest[];
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
  readonly sealed: string;
}

/** A member's answer: its id and the sealed reply. */
export type WireReply = readonly [id: string, sealed: string];

export const VERSION = 1;

/** What a request's and a reply's seals are tied to, so that none can be passed off as another, here or elsewhere. */
export const requestBound = (replyTo: string | undefined, id: string, name: string): string =>
  `request ${replyTo ?? 'event'} ${id} ${name}`;
export const replyBound = (replyTo: string, id: string): string => `reply ${replyTo} ${id}`;

/** Reads a job's data, which may come from an older, a newer or a hostile sender. */
export function readEnvelope(data: unknown): Envelope {
  if (!isRecord(data)) throw new Error('The job is not an envelope');
  if (data['v'] !== VERSION)
    throw new Error(`The job has version ${String(data['v'])}, this worker reads ${VERSION}`);
  const requests = data['requests'];
  if (!Array.isArray(requests) || requests.length === 0 || !requests.every(isWireRequest)) {
    throw new Error('The job carries no readable requests');
  }
  if (data['replyTo'] !== undefined && typeof data['replyTo'] !== 'string')
    throw new Error('The job has a bad replyTo');
  return data as unknown as Envelope;
}

/** The readable answers of a payload; none when it is no payload of ours. */
export function readReplies(payload: string): WireReply[] {
  try {
    const replies: unknown = JSON.parse(payload);
    return Array.isArray(replies) ? replies.filter(isWireReply) : [];
  } catch {
    return [];
  }
}

const isWireReply = (value: unknown): value is WireReply =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const isWireRequest = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['id'] === 'string' &&
  typeof value['name'] === 'string' &&
  typeof value['sealed'] === 'string' &&
  (value['deadline'] === undefined || typeof value['deadline'] === 'number');
