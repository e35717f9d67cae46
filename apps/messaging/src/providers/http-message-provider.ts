import { deliveryReason, type Reason, systemClock } from '@gangan/contracts';
import {
  type AskOutcome,
  type CallOutcome,
  type Cost,
  CostTable,
  type CountPages,
  type CreditSource,
  type HttpCall,
  type HttpCaller,
  type HttpSettings,
  oncePerText,
  pageCounter,
  pollDefaults,
  type StoredProvider,
  warnBelowMicros,
} from '@gangan/providers';
import type { AskResult, MessageProvider, PollSource, Submission, SubmitResult } from './message-provider.js';

/** Requests in flight per worker, unless the provider says otherwise. */
const defaultRequests = 50;
/** Requests of one call, which are sent at once. */
const maxRequestsPerCall = 10;
/** The requests in flight are divided into at least this many calls, so that no call waits for all of them. */
const minCalls = 5;

/** The messages of codes that only the settings of a provider have. */
const defaultMessages = {
  failed: 'The provider refused the message',
  transient: 'The provider did not accept the message',
  unknown: 'It is not known whether the provider accepted the message',
} as const;

const quietHours = deliveryReason('quiet_hours');

/** Sends messages in requests as the settings say. */
export class HttpMessageProvider implements MessageProvider {
  readonly name: string;
  readonly channels: MessageProvider['channels'];
  readonly rate?: number;
  readonly window: number;
  readonly batchSize: number;
  readonly ifUnanswered: NonNullable<MessageProvider['ifUnanswered']>;
  readonly ask?: NonNullable<MessageProvider['ask']>;
  readonly credit?: CreditSource;
  readonly countPages: CountPages | undefined;
  readonly poll?: PollSource;
  private readonly requestsPerCall: number;
  private readonly isBatched: boolean;
  private readonly costs: CostTable | undefined;
  private readonly freeUntilDelivered: Cost | undefined;

  constructor(
    { name, channels, rate, window }: Pick<StoredProvider, 'name' | 'channels' | 'rate' | 'window'>,
    {
      unanswered = 'wait',
      ask,
      request,
      cost,
      pageRules,
      credit,
      poll,
    }: Pick<HttpSettings, 'unanswered' | 'ask' | 'request' | 'cost' | 'pageRules' | 'credit' | 'poll'>,
    private readonly caller: Pick<HttpCaller, 'callAll' | 'ask' | 'credit' | 'poll'>,
  ) {
    const requests = window ?? defaultRequests;
    this.name = name;
    this.channels = channels;
    if (rate !== null) this.rate = rate;
    this.requestsPerCall = Math.max(1, Math.min(Math.floor(requests / minCalls), maxRequestsPerCall));
    this.isBatched = request.batch !== undefined;
    this.batchSize = Math.max(this.requestsPerCall, request.batch?.size ?? 1);
    // All calls together have no more than these requests.
    this.window = Math.floor(requests / this.requestsPerCall);
    this.ifUnanswered = unanswered;
    this.costs = cost && new CostTable(cost);
    this.freeUntilDelivered = cost?.onlyDelivered ? { micros: 0n, currency: cost.currency } : undefined;
    this.countPages = pageCounter(pageRules);
    if (ask) this.ask = (references, signal) => this.askAll(references, signal);
    if (credit)
      this.credit = { warnBelow: warnBelowMicros(credit.warnBelow), ask: () => this.caller.credit() };
    if (poll) {
      const { afterSeconds, perSecond } = { ...pollDefaults, ...poll };
      const ask: PollSource['ask'] = (references, signal) =>
        this.caller.poll(references, maxRequestsPerCall, signal);
      this.poll = { afterMs: afterSeconds * 1_000, perSecond, ask };
    }
  }

  async submit(submissions: readonly Submission[], signal: AbortSignal): Promise<SubmitResult[]> {
    const messages = submissions.map(({ reference, sender, recipient, text, template }) => {
      const message = { reference, sender, recipient, recipient_digits: recipient.slice(1), text };
      return template === undefined ? message : { ...message, template };
    });
    const calls = await this.caller.callAll(messages, this.requestsPerCall, signal);
    const requests = [...new Set(calls.map(({ shown }) => shown))];
    const count = this.countPages && oncePerText(this.countPages);
    return calls.map((call, index) => {
      const result = this.withCost(this.resultOf(call), call, submissions[index], count);
      return this.isBatched ? { ...result, request: requests.indexOf(call.shown) } : result;
    });
  }

  /** Adds the cost that the answer states, or else the one from the price table of the provider. */
  private withCost(
    result: SubmitResult,
    { cost: stated }: HttpCall,
    own: Submission | undefined,
    countPages: CountPages = (_, pages) => pages,
  ): SubmitResult {
    if (result.kind !== 'accepted' || !own) return result;
    const cost =
      stated ?? this.freeUntilDelivered ?? this.costs?.costOf(own.recipient, countPages(own.text, own.pages));
    return cost ? { ...result, cost } : result;
  }

  private async askAll(references: readonly string[], signal: AbortSignal): Promise<AskResult[]> {
    return (await this.caller.ask(references, this.requestsPerCall, signal)).map(askResultOf);
  }

  private resultOf(call: HttpCall): SubmitResult {
    const { outcome, reference, furtherReferences, retryAfterMs, reason: code = '', quietUntil: end } = call;
    const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
    switch (outcome) {
      case 'accepted':
        return {
          kind: 'accepted',
          providerReference: reference,
          ...(furtherReferences && { furtherReferences }),
        };
      case 'failed':
      case 'unknown':
        return { kind: outcome, reason: reasonOf(outcome, code) };
      case 'transient':
        return { kind: outcome, reason: reasonOf(outcome, code), ...wait };
      case 'refused':
        return { kind: 'transient', reason: reasonOf('failed', code), cause: 'refused' };
      case 'quiet': {
        const retryInMs = Math.max(0, (end?.getTime() ?? 0) - systemClock.now().getTime());
        return { kind: 'transient', reason: quietHours, cause: 'quiet', retryInMs };
      }
      case 'throttled':
        return { kind: 'transient', reason: reasonOf('transient', code), cause: 'throttled', ...wait };
      case 'account':
        // Customers need not know about our account.
        return { kind: 'transient', cause: 'account', reason: reasonOf('transient', 'provider_unavailable') };
    }
  }
}

function askResultOf({ outcome, reference, reason: code = '' }: CallOutcome<AskOutcome>): AskResult {
  switch (outcome) {
    case 'accepted':
      return { kind: 'accepted', providerReference: reference };
    case 'failed':
    case 'transient':
    case 'unknown':
      return { kind: outcome, reason: reasonOf(outcome, code) };
    case 'not_found':
      return { kind: 'not_found' };
  }
}

export const reasonOf = (kind: keyof typeof defaultMessages, code: string): Reason =>
  deliveryReason(code, defaultMessages[kind]);
