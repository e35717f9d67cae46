import type { ParsedPhone } from '@gangan/contracts';
import { costInAnswer, costTableOf } from '../../cost/cost-settings.js';
import type { Cost } from '../../cost/money.js';
import { type HttpCall, type HttpCallerOptions, HttpExchange } from '../http-exchange.js';
import { parseJson } from '../json-values.js';
import { readLookupAnswer } from '../read-answer.js';
import type { Answer } from '../read-part.js';
import type { LookupOutcome, LookupSettings } from './lookup-settings.js';
import type { LookupFinding } from './lookup-finding.js';
import { readFinding } from './read-finding.js';

export interface LookupCall extends HttpCall<LookupOutcome> {
  /** Set if the answer was accepted. */
  readonly finding?: LookupFinding;
}

/** Asks one provider about numbers as its settings say. Never fails. */
export class LookupCaller {
  private readonly http: HttpExchange;

  constructor(private readonly options: HttpCallerOptions<LookupSettings>) {
    this.http = new HttpExchange(options);
  }

  async call(
    { e164, nationalNumber, country = '' }: Pick<ParsedPhone, 'e164' | 'nationalNumber' | 'country'>,
    signal?: AbortSignal,
  ): Promise<LookupCall> {
    const { settings } = this.options;
    const others = { phone: e164, phone_digits: e164.slice(1), phone_national: nationalNumber, country };
    const exchange = await this.http.send(settings.request, { others }, this.http.limitsOf(signal));
    if ('call' in exchange) return exchange.call;
    const { answer } = exchange;
    const shown = exchange.shown.withAnswer(answer);
    const read = readLookupAnswer(settings, answer, this.http.mask);
    const cost = this.costOf(e164, answer);
    if (read.outcome !== 'accepted') return { ...read, shown, ...(read.outcome === 'not_found' && { cost }) };
    const finding = readFinding(settings.finding, answer.text);
    return typeof finding === 'string'
      ? { shown, outcome: 'unknown', reason: finding, detail: `${answer.status} none of the fields` }
      : { shown, outcome: 'accepted', finding, cost };
  }

  /** The cost in the answer, otherwise that of the table. */
  private costOf(e164: string, { text }: Answer): Cost | undefined {
    const { cost } = this.options.settings;
    return cost && (costInAnswer(cost, parseJson(text)) ?? costTableOf(cost).costOf(e164, 1));
  }
}
