import type { CallOutcome, HttpCaller, HttpSettings, StoredProvider } from '@gangan/providers';
import type { MessageProvider, Reason, Submission, SubmitResult } from './message-provider.js';

/** Requests in flight per worker, unless the provider says otherwise. */
const defaultRequests = 50;
/** Requests of one call, which are sent at once. */
const maxRequestsPerCall = 10;

const messages: Readonly<Record<string, string>> = {
  no_answer: 'The provider did not answer',
  unreadable_answer: 'The answer of the provider could not be read',
  provider_unreachable: 'The provider could not be reached',
  not_submitted: 'The message could not be submitted in time',
  throttled: 'The provider accepts no more messages at the moment',
};

/** Sends each message in a request of its own, as the settings say. */
export class HttpMessageProvider implements MessageProvider {
  readonly name: string;
  readonly channels: MessageProvider['channels'];
  readonly rate?: number;
  readonly window: number;
  readonly batchSize: number;
  readonly waitsIfUnanswered: boolean;

  constructor(
    { name, channels, rate, window }: Pick<StoredProvider, 'name' | 'channels' | 'rate' | 'window'>,
    { unanswered = 'wait' }: Pick<HttpSettings, 'unanswered'>,
    private readonly caller: Pick<HttpCaller, 'call'>,
    /** Called if our account at the provider is at fault. */
    private readonly onAccountFault: (name: string, detail: string) => void,
  ) {
    const requests = window ?? defaultRequests;
    this.name = name;
    this.channels = channels;
    if (rate !== null) this.rate = rate;
    this.batchSize = Math.min(requests, maxRequestsPerCall);
    // One more, which is reserved for OTPs.
    this.window = Math.ceil(requests / this.batchSize) + 1;
    this.waitsIfUnanswered = unanswered === 'wait';
  }

  submit(submissions: readonly Submission[], signal: AbortSignal): Promise<SubmitResult[]> {
    return Promise.all(
      submissions.map(async ({ reference, sender, recipient, text }) => {
        const values = { reference, sender, recipient, recipient_digits: recipient.slice(1), text };
        return this.resultOf(await this.caller.call(values, signal));
      }),
    );
  }

  private resultOf({ outcome, reference, reason: code = '', detail = '' }: CallOutcome): SubmitResult {
    const reason: Reason = { code, message: messages[code] ?? detail };
    switch (outcome) {
      case 'accepted':
        return { kind: 'accepted', providerReference: reference };
      case 'failed':
      case 'transient':
      case 'unknown':
        return { kind: outcome, reason };
      case 'throttled':
        return { kind: 'transient', reason };
      case 'account':
        this.onAccountFault(this.name, detail);
        // Customers need not know about our account.
        return { kind: 'transient', reason: { code, message: 'The provider cannot be used at the moment' } };
    }
  }
}
