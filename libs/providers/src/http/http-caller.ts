import type { DeliveryText } from '@gangan/contracts';
import { groupMessages } from './request/batches.js';
import { type Credit, readCredit } from '../credit/credit-settings.js';
import { type CallLimits, type HttpCall, type HttpCallerOptions, HttpExchange } from './http-exchange.js';
import {
  type AskOutcome,
  askRequest,
  type AskSettings,
  formValues,
  type HttpSettings,
} from './http-settings.js';
import type { MessageValues, PlaceholderValues } from './request/placeholders.js';
import type { RequestSettings } from './request/request-settings.js';
import { readAnswer, readAskAnswer, readItems } from './read-answer.js';
import type { Answer, CallOutcome } from './read-part.js';
import { type PolledState, readPoll } from './reports/read-poll.js';

/** A message, and the template that the provider renders instead of its text. */
export type OutgoingMessage = MessageValues & Pick<DeliveryText, 'template'>;

/** A request for one message, and the values for its own placeholders. */
export interface MessageRequest {
  readonly request: RequestSettings;
  readonly others: PlaceholderValues;
}

export interface MessageCallerOptions extends HttpCallerOptions<HttpSettings> {
  /** Returns undefined if the request is that of the settings. Not used with batches. */
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
    const { request, answer } = this.settings;
    const groups = groupMessages(request, messages, answer.ownReference !== undefined);
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
    const { ask } = this.settings;
    const outcomes: CallOutcome<AskOutcome>[] = references.map(() => ({
      outcome: 'unknown',
      reason: 'no_answer',
    }));
    if (!ask) return outcomes;
    const limits = this.http.limitsOf(signal);
    await eachOf([...references.entries()], maxRequests, async ([index, reference]) => {
      const answer = await this.askAbout(ask, { reference }, limits);
      if (answer) outcomes[index] = readAskAnswer(ask, answer, this.http.mask);
    });
    return outcomes;
  }

  /** Asks for the states of messages by the references of the provider. @param maxRequests in flight at a time */
  async poll(
    references: readonly string[],
    maxRequests: number,
    signal?: AbortSignal,
  ): Promise<PolledState[]> {
    const { poll, reports } = this.settings;
    const polled: PolledState[] = references.map(() => ({ fault: 'it did not answer' }));
    if (!poll) return polled;
    await eachOf([...references.entries()], maxRequests, async ([index, provider_reference]) => {
      const answer = await this.askAbout(poll, { provider_reference }, this.http.limitsOf(signal));
      if (answer) polled[index] = readPoll(poll, reports?.states ?? [], answer);
    });
    return polled;
  }

  private async askAbout(
    question: Pick<AskSettings, 'request'>,
    others: PlaceholderValues,
    limits: CallLimits,
  ): Promise<Answer | undefined> {
    const exchange = await this.http.send(askRequest(this.settings.request, question), { others }, limits);
    return 'answer' in exchange ? exchange.answer : undefined;
  }

  /** Asks for our credit. Undefined if there is no answer that can be read. */
  async credit(signal?: AbortSignal): Promise<Credit | undefined> {
    const { credit, request } = this.settings;
    if (!credit) return undefined;
    const values = { others: formValues(request) };
    const exchange = await this.http.send(askRequest(request, credit), values, this.http.limitsOf(signal));
    if (!('answer' in exchange) || exchange.answer.status > 299) return undefined;
    return readCredit(credit, exchange.answer);
  }

  /** Sends messages in one request. If it is refused as a whole, its parts are sent, so that one message cannot fail others. */
  private async send(
    messages: readonly OutgoingMessage[],
    limits: CallLimits,
    isPart = false,
  ): Promise<HttpCall[]> {
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
    const items = readItems(settings, answer, messages, this.http.mask);
    if (items) return items.map((outcome) => ({ ...outcome, shown }));
    const whole = readAnswer(settings, answer, this.http.mask);
    if (messages.length === 1) return [{ ...whole, shown }];
    const isRefused = whole.outcome === 'failed' || whole.outcome === 'refused';
    // A price in the answer would be the price of all messages.
    if (!isRefused || isAboutSender(whole, messages))
      return messages.map(() => ({ ...whole, cost: undefined, shown }));
    const sample = isPart ? [] : sampleOf(messages, whole);
    return this.sendParts(messages, sample, { ...whole, shown }, limits);
  }

  /**
   * Sends the sample of a refused request, one by one. If all of it is refused for the same reason, so is every message: a
   * hundred would otherwise be 199 requests. Else the halves of the others are sent.
   */
  private async sendParts(
    messages: readonly OutgoingMessage[],
    sample: readonly OutgoingMessage[],
    whole: HttpCall,
    limits: CallLimits,
  ): Promise<HttpCall[]> {
    const alone = new Map<OutgoingMessage, HttpCall>();
    for (const message of sample) {
      const [call] = await this.send([message], limits);
      if (call) alone.set(message, call);
      if (call?.outcome !== whole.outcome || call.reason !== whole.reason) break;
      if (alone.size === sample.length) return messages.map((each) => alone.get(each) ?? whole);
    }
    const others = messages.filter((message) => !alone.has(message));
    const middle = Math.ceil(others.length / 2);
    for (const half of [others.slice(0, middle), others.slice(middle)]) {
      const calls = half.length > 0 ? await this.send(half, limits, true) : [];
      for (const [index, call] of calls.entries()) alone.set(half[index] as OutgoingMessage, call);
    }
    return messages.flatMap((message) => alone.get(message) ?? []);
  }
}

const sampleSize = 5;
/** These reasons are about one recipient. */
const ofRecipients: ReadonlySet<string> = new Set([
  ...['invalid_number', 'no_route', 'dnd', 'opted_out', 'recipient_blocked', 'unreachable'],
]);

/** Evenly spread: recipients next to each other may come from the same list. */
function sampleOf(messages: readonly OutgoingMessage[], { reason = '' }: CallOutcome): OutgoingMessage[] {
  if (messages.length <= 2 * sampleSize || ofRecipients.has(reason)) return [];
  const step = (messages.length - 1) / (sampleSize - 1);
  return Array.from({ length: sampleSize }, (_, index) => messages[Math.round(index * step)]).flatMap(
    (message) => message ?? [],
  );
}

/** Whether all messages share the cause of a refusal. */
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
