import type { Reply } from '@gangan/protocol';

/** The data of a BullMQ job. All personal data is in `sealed`, and the seal is bound to everything but `parked`. */
export interface Envelope {
  readonly v: typeof envelopeVersion;
  /** The app that sent the job. */
  readonly sender: string;
  /** The address for replies; absent on events. */
  readonly replyTo?: string;
  readonly requests: readonly WireRequest[];
  /** The parcels of all requests, in order; sealed once per job, because sealing each would cost much more. */
  readonly sealed: string;
  /** The reason for which the job was parked. A worker fails such a job at once, so that it stays in the failed set. */
  readonly parked?: string;
}

export interface WireRequest {
  /** The id of the request, unique for its sender. It leads the reply to the caller. */
  readonly id: string;
  /** The name of the contract. */
  readonly name: string;
  readonly organisation?: string;
  /** When the caller stops waiting, in epoch milliseconds; absent on events. */
  readonly deadline?: number;
}

/** Version 1, of Gangan 0.2, had one key for all senders and lanes. */
export const envelopeVersion = 2;

interface Origin {
  readonly sender: string;
  readonly lane: string;
  readonly replyTo?: string;
}

/** What the seals of a job and of replies are bound to, so that none opens if its readable part or its lane was changed. */
export const jobBound = ({ sender, lane, replyTo }: Origin, requests: readonly WireRequest[]): string =>
  JSON.stringify([
    ['job', sender, lane, replyTo ?? null],
    ...requests.map(({ id, name, organisation, deadline }) => [
      id,
      name,
      organisation ?? null,
      deadline ?? null,
    ]),
  ]);
export const repliesBound = ({ sender, lane, replyTo }: Required<Origin>): string =>
  JSON.stringify(['replies', sender, lane, replyTo]);

/** Reads the data of a job, which may come from an older, a newer or a hostile sender. @throws if it is invalid */
export function readEnvelope(data: unknown): Envelope {
  if (!isRecord(data)) throw new Error('The job is not an envelope');
  if (data['v'] !== envelopeVersion)
    throw new Error(`The job has version ${String(data['v'])}, this worker reads ${envelopeVersion}`);
  if (typeof data['sender'] !== 'string') throw new Error('The job does not name its sender');
  const requests = data['requests'];
  if (!Array.isArray(requests) || requests.length === 0 || !requests.every(isWireRequest)) {
    throw new Error('The job carries no readable requests');
  }
  if (typeof data['sealed'] !== 'string') throw new Error('The job carries nothing sealed');
  if (data['replyTo'] !== undefined && typeof data['replyTo'] !== 'string')
    throw new Error('The job has a bad replyTo');
  return data as unknown as Envelope;
}

/** Reads replies, which may come from an older or a newer sender. @throws if they are invalid */
export function readReplies(data: unknown): [id: string, reply: Reply][] {
  if (!Array.isArray(data) || !data.every(isAddressedReply)) throw new Error('The replies are not readable');
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
  (value['organisation'] === undefined || typeof value['organisation'] === 'string') &&
  (value['deadline'] === undefined || typeof value['deadline'] === 'number');
