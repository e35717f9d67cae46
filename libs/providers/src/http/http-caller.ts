import type { DeliveryText } from '@gangan/contracts';
import { groupMessages } from './request/batches.js';
import { type Credit, readCredit } from '../credit/credit-settings.js';
import { type CallLimits, type HttpCall, type HttpCallerOptions, HttpExchange } from './http-exchange.js';
import { type AskOutcome, askRequest, formValues, type HttpSettings } from './http-settings.js';
import { parseJson } from './json-values.js';
import type { MessageValues, PlaceholderValues } from './request/placeholders.js';
import type { RequestSettings } from './request/request-settings.js';
import { readAnswer, readAskAnswer, readItems } from './read-answer.js';
import type { CallOutcome } from './read-part.js';

/** A message, and the template that the provider renders instead of its text. */
export type OutgoingMessage = MessageValues & Pick<DeliveryText, 'template'>;

/** A request for one message, and the values for its own placeholders. */
export interface MessageRequest {
  readonly request: RequestSettings;
  readonly others: PlaceholderValues;
}

export interface MessageCallerOptions extends HttpCallerOptions<HttpSettings> {
  /** Returns undefined if the request is that of the settings. Only without batches. */
  readonly requestFor?: (message: OutgoingMessage) => MessageRequest | undefined;
}

/** Gives messages to one provider as its settings say. Never fails. */
export class HttpCaller {
  private readonly settings: HttpSettings;
  private readonly http: HttpExchange;

  constructor(private readonly options: MessageCallerOptions) {
    this.settings = options.settings;
    this.http = new HttpExchange(options);
  }

  async call(message: OutgoingMessage, signal?: AbortSignal): Promise<HttpCall> {
    const [call] = await this.send([message], this.http.limitsOf(signal));
    return call as HttpCall;
  }

  /** One call per message, in their order. @param maxRequests in flight at a time */
  async callAll(
    messages: readonly OutgoingMessage[],
    maxRequests: number,
    signal?: AbortSignal,
  ): Promise<HttpCall[]> {
    const calls: HttpCall[] = [];
    const limits = this.http.limitsOf(signal);
    const groups = groupMessages(this.settings.request, messages);
    await eachOf(groups, maxRequests, async (group) => {
      const results = await this.send(
        group.flatMap((index) => messages[index] ?? []),
        limits,
      );
      for (const [position, index] of group.entries()) calls[index] = results[position] as HttpCall;
    });
    return calls;
  }

  /** Asks about messages by our references. @param maxRequests in flight at a time */
  async ask(
    references: readonly string[],
    maxRequests: number,
    signal?: AbortSignal,
  ): Promise<CallOutcome<AskOutcome>[]> {
    const { ask, request } = this.settings;
    const outcomes: CallOutcome<AskOutcome>[] = references.map(() => ({
      outcome: 'unknown',
      reason: 'no_answer',
    }));
    if (!ask) return outcomes;
    const limits = this.http.limitsOf(signal);
    await eachOf([...references.entries()], maxRequests, async ([index, reference]) => {
      const exchange = await this.http.send(askRequest(request, ask), { others: { reference } }, limits);
      if ('answer' in exchange) outcomes[index] = readAskAnswer(ask, exchange.answer, this.http.mask);
    });
    return outcomes;
  }

  /** Asks for our credit. Undefined if there is no answer that can be read. */
  async credit(signal?: AbortSignal): Promise<Credit | undefined> {
    const { credit, request } = this.settings;
    if (!credit) return undefined;
    const values = { others: formValues(request) };
    const exchange = await this.http.send(askRequest(request, credit), values, this.http.limitsOf(signal));
    if (!('answer' in exchange) || exchange.answer.status > 299) return undefined;
    return readCredit(credit, parseJson(exchange.answer.text));
  }

  /** Sends messages in one request. If it is refused as a whole, its halves are sent, so that one message cannot fail others. */
  private async send(messages: readonly OutgoingMessage[], limits: CallLimits): Promise<HttpCall[]> {
    const { settings } = this;
    const [message] = messages;
    const own = message && this.options.requestFor?.(message);
    const exchange = await this.http.send(
      own?.request ?? settings.request,
      own ? { messages, others: own.others } : { messages },
      limits,
    );
    if ('call' in exchange) return messages.map(() => exchange.call);
    const { answer } = exchange;
    const shown = exchange.shown.withAnswer(answer);
    const recipients = messages.map(({ recipient }) => recipient);
    const items = readItems(settings, answer, recipients, this.http.mask);
    if (items) return items.map((outcome) => ({ ...outcome, shown }));
    const whole = readAnswer(settings, answer, this.http.mask);
    if (messages.length === 1) return [{ ...whole, shown }];
    const isRefused = whole.outcome === 'failed' || whole.outcome === 'refused';
    // A price in the answer would be the price of all messages.
    if (!isRefused || isAboutSender(whole, messages))
      return messages.map(() => ({ ...whole, cost: undefined, shown }));
    const middle = Math.ceil(messages.length / 2);
    const first = await this.send(messages.slice(0, middle), limits);
    return [...first, ...(await this.send(messages.slice(middle), limits))];
  }
}

/** Whether all messages share the cause of a refusal: a hundred of them would otherwise be 199 requests. */
const isAboutSender = ({ reason }: CallOutcome, messages: readonly OutgoingMessage[]): boolean =>
  reason === 'invalid_sender' && messages.every(({ sender }) => sender === messages[0]?.sender);

/** Handles all items, at most `atOnce` at a time. */
async function eachOf<T>(
  items: readonly T[],
  atOnce: number,
  handle: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const item of rest) await handle(item);
  };
  await Promise.all(Array.from({ length: Math.max(1, atOnce) }, work));
}
