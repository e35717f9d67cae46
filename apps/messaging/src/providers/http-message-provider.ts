import { deliveryReason, type Reason } from '@gangan/contracts';
import {
  type AskOutcome,
  type CallOutcome,
  CostTable,
  type CreditSource,
  type HttpCall,
  type HttpCaller,
  type HttpSettings,
  type StoredProvider,
  warnBelowMicros,
} from '@gangan/providers';
import type { AskResult, MessageProvider, Submission, SubmitResult } from './message-provider.js';

/** Requests in flight per worker, unless the provider says otherwise. */
const defaultRequests = 50;
/** Requests of one call, which are sent at once. */
const maxRequestsPerCall = 10;
/** The requests in flight are divided into at least this many calls, so that no call waits for all of them. */
const minCalls = 5;

/** Of codes that only the settings of a provider have. */
const defaultMessages = {
  failed: 'The provider refused the message',
  transient: 'The provider did not accept the message',
  unknown: 'It is not known whether the provider accepted the message',
} as const;

/** Sends messages in requests as the settings say. */
export class HttpMessageProvider implements MessageProvider {
  readonly name: string;
  readonly channels: MessageProvider['channels'];
  readonly rate?: number;
  readonly window: number;
  readonly batchSize: number;
  readonly waitsIfUnanswered: boolean;
  readonly ask?: NonNullable<MessageProvider['ask']>;
  readonly credit?: CreditSource;
  private readonly requestsPerCall: number;
  private readonly isBatched: boolean;
  private readonly costs: CostTable | undefined;

  constructor(
    { name, channels, rate, window }: Pick<StoredProvider, 'name' | 'channels' | 'rate' | 'window'>,
    {
      unanswered = 'wait',
      ask,
      request,
      cost,
      credit,
    }: Pick<HttpSettings, 'unanswered' | 'ask' | 'request' | 'cost' | 'credit'>,
    private readonly caller: Pick<HttpCaller, 'callAll' | 'ask' | 'credit'>,
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
    this.waitsIfUnanswered = unanswered === 'wait';
    this.costs = cost && new CostTable(cost);
    if (ask) this.ask = (references, signal) => this.askAll(references, signal);
    if (credit)
      this.credit = { warnBelow: warnBelowMicros(credit.warnBelow), ask: () => this.caller.credit() };
  }

  async submit(submissions: readonly Submission[], signal: AbortSignal): Promise<SubmitResult[]> {
    const messages = submissions.map(({ reference, sender, recipient, text, template }) => {
      const message = { reference, sender, recipient, recipient_digits: recipient.slice(1), text };
      return template === undefined ? message : { ...message, template };
    });
    const calls = await this.caller.callAll(messages, this.requestsPerCall, signal);
    const requests = [...new Set(calls.map(({ shown }) => shown))];
    return calls.map((call, index) => {
      const result = this.withCost(this.resultOf(call), call, submissions[index]);
      return this.isBatched ? { ...result, request: requests.indexOf(call.shown) } : result;
    });
  }

  /** The cost in the answer, otherwise that of the table. */
  private withCost(result: SubmitResult, { cost: stated }: HttpCall, own?: Submission): SubmitResult {
    if (result.kind !== 'accepted' || !own) return result;
    const cost = stated ?? this.costs?.costOf(own.recipient, own.pages);
    return cost ? { ...result, cost } : result;
  }

  private async askAll(references: readonly string[], signal: AbortSignal): Promise<AskResult[]> {
    return (await this.caller.ask(references, this.requestsPerCall, signal)).map(askResultOf);
  }

  private resultOf(call: HttpCall): SubmitResult {
    const { outcome, reference, furtherReferences, reason: code = '' } = call;
    switch (outcome) {
      case 'accepted':
        return {
          kind: 'accepted',
          providerReference: reference,
          ...(furtherReferences && { furtherReferences }),
        };
      case 'failed':
      case 'transient':
      case 'unknown':
        return { kind: outcome, reason: reasonOf(outcome, code) };
      case 'refused':
        return { kind: 'transient', reason: reasonOf('failed', code), cause: 'refused' };
      case 'throttled':
        return { kind: 'transient', reason: reasonOf('transient', code), cause: 'throttled' };
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
