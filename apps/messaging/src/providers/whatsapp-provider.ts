import { createHash } from 'node:crypto';
import { pairLimit } from '@gangan/providers';
import type { Limit, Queues } from '@gangan/queue';
import { type HttpMessageProvider, reasonOf } from './http-message-provider.js';
import type { MessageProvider, Submission, SubmitResult } from './message-provider.js';

/** Of the 80 messages a second that WhatsApp allows a number: a second has no more, even if it begins with a burst. */
const defaultRate = 72;
const burst = 0.1;

/** WhatsApp allows a number one message to the same recipient every six seconds, and more for a short time. */
const pairIntervalMs = 6_000;
const pairs: Limit = { perSecond: 1_000 / pairIntervalMs, burst: 10 };
/** Recipients share buckets, so that their number is limited. At 80 messages a second a bucket gets one in 14 minutes. */
const pairBuckets = 65_536;

/** Messages that wait for the same recipient come back at different times. */
const tooSoon = (nextInMs: number): SubmitResult => ({
  kind: 'transient',
  cause: 'pair',
  reason: reasonOf('transient', pairLimit),
  retryInMs: nextInMs + Math.random() * 2 * pairIntervalMs,
});

/** Sends messages over the Cloud API, and not sooner to one recipient than it allows. */
export class WhatsAppProvider implements MessageProvider {
  readonly name: string;
  readonly channels: MessageProvider['channels'];
  readonly rate: number;
  readonly burst = burst;
  readonly window: number;
  readonly batchSize: number;
  readonly ifUnanswered: NonNullable<MessageProvider['ifUnanswered']>;

  constructor(
    private readonly sender: HttpMessageProvider,
    private readonly limits: Pick<Queues['limits'], 'take'>,
  ) {
    this.name = sender.name;
    this.channels = sender.channels;
    this.rate = sender.rate ?? defaultRate;
    this.window = sender.window;
    this.batchSize = sender.batchSize;
    this.ifUnanswered = sender.ifUnanswered;
  }

  async submit(submissions: readonly Submission[], signal: AbortSignal): Promise<SubmitResult[]> {
    const permits = await Promise.all(
      submissions.map(({ recipient }) => this.limits.take(`pair:${this.name}:${bucketOf(recipient)}`, pairs)),
    );
    const isAllowed = (_: unknown, index: number): boolean => permits[index]?.allowed ?? false;
    const results = await this.sender.submit(submissions.filter(isAllowed), signal);
    const sent = results[Symbol.iterator]();
    return submissions.map((_, index) =>
      isAllowed(_, index)
        ? withPairLimit(sent.next().value ?? { kind: 'unknown' })
        : tooSoon(permits[index]?.nextInMs ?? 0),
    );
  }
}

const withPairLimit = (result: SubmitResult): SubmitResult =>
  result.kind === 'transient' && result.reason.code === pairLimit ? { ...result, cause: 'pair' } : result;

const bucketOf = (recipient: string): number =>
  createHash('sha256').update(recipient).digest().readUInt32BE() % pairBuckets;
