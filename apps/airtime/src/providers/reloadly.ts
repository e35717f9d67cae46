import { airtimeReason, type AirtimeReasonCode, type Network, networks } from '@gangan/contracts';
import {
  type Answer,
  type Cost,
  costLessCommission,
  type Credit,
  type CreditSource,
  type HttpExchange,
  notFoundAfterMs,
  parseJson,
  parsePrice,
  readCredit,
  reloadlyAccess,
  type ReloadlySettings,
  reloadlyUrl,
  type RequestSettings,
  submissionReference,
  textAt,
  valueAt,
  warnBelowMicros,
} from '@gangan/providers';
import type {
  AirtimeProvider,
  ProductLists,
  QueryResult,
  SubmitResult,
  TopUp,
  TopUpQuery,
  TopUpResult,
} from './airtime-provider.js';
import { declined, failed, notMade, refused, unknown, unknownAfter, withoutAnswer } from './http-answers.js';
import { listLimits } from './product-lists.js';
import {
  isActiveOperator,
  isOperatorOf,
  type Operator,
  readBundleCode,
  readReloadlyProducts,
} from './reloadly-bundles.js';

/** The error codes of https://docs.reloadly.com/airtime/airtime-errors/error-codes for a top-up that was not made. */
const failures: Readonly<Record<string, AirtimeReasonCode>> = {
  COUNTRY_NOT_SUPPORTED: 'not_available',
  OPERATOR_UNAVAILABLE_OR_CURRENTLY_INACTIVE: 'not_available',
  OPERATOR_NOT_IN_SERVICE: 'not_available',
  INVALID_AMOUNT_FOR_OPERATOR: 'invalid_amount',
  INVALID_AMOUNT: 'invalid_amount',
  INVALID_SENDER_PHONE: 'rejected',
  PHONE_RECENTLY_RECHARGED: 'recently_topped_up',
  TOPUP_TRANSACTION_FAILED: 'rejected',
};

/** Reloadly does not sell to this number through this operator. Others may: numbers are ported. */
const numberCodes: ReadonlySet<string> = new Set([
  ...['INVALID_RECIPIENT_PHONE', 'INVALID_PHONE_NUMBER', 'COULD_NOT_AUTO_DETECT_OPERATOR'],
]);

const accountCodes: ReadonlySet<string> = new Set([
  ...['INSUFFICIENT_BALANCE', 'MAX_DAILY_TRANSACTION_AMOUNT_REACHED', 'MAX_DAILY_TRANSACTION_COUNT_REACHED'],
  ...['ACCOUNT_NOT_FOUND', 'INACTIVE_ACCOUNT', 'TOKEN_EXPIRED', 'INVALID_TOKEN', 'INVALID_CREDENTIALS'],
]);

/** The operator of a network, or why there is none. */
type FoundOperator = Operator | { readonly result: SubmitResult };
/** Operators rarely change. */
const operatorsKeptMs = 3_600_000;

/**
 * Reloadly, as https://docs.reloadly.com/airtime says (read in public copies): /top-ups/top-up, /top-ups/top-up-status,
 * /transactions/get-transaction, /operators/operators-by-iso, /airtime-errors/error-codes and /account-balance.
 */
export class Reloadly implements AirtimeProvider {
  readonly credit: CreditSource;
  private readonly url: string;
  private operators?: { readonly at: number; readonly byName: ReadonlyMap<string, number> };

  constructor(
    readonly name: string,
    private readonly settings: ReloadlySettings,
    private readonly http: Pick<HttpExchange, 'send' | 'limitsOf'>,
  ) {
    this.url = reloadlyUrl(settings);
    this.credit = { warnBelow: warnBelowMicros(settings.credit?.warnBelow), ask: () => this.askCredit() };
  }

  referenceFor(purchaseId: string, now: Date): string {
    return submissionReference(purchaseId, now);
  }

  costOf(network: Network, kobo: bigint): Cost | undefined {
    return costLessCommission(this.settings.commission, network, kobo);
  }

  async submit(topUp: TopUp, signal: AbortSignal): Promise<SubmitResult> {
    const operator = await this.findOperator(topUp, signal);
    if ('result' in operator) return operator.result;
    const json = {
      operatorId: operator.operatorId,
      amount: Number(topUp.kobo) / 100,
      useLocalAmount: operator.isLocal,
      customIdentifier: topUp.reference,
      recipientPhone: { countryCode: 'NG', number: topUp.recipient.slice(1) },
    };
    const exchange = await this.send({ method: 'POST', url: `${this.url}/topups`, json }, signal);
    return 'call' in exchange ? withoutAnswer(exchange.call) : readReloadlyTopUp(exchange.answer);
  }

  /** Queries by Reloadly's id if an answer had one; after a lost answer by ours, in the report. */
  async query({ reference, providerReference }: TopUpQuery, signal: AbortSignal): Promise<QueryResult> {
    if (providerReference !== null) {
      const url = `${this.url}/topups/${encodeURIComponent(providerReference)}/status`;
      const exchange = await this.send({ method: 'GET', url }, signal);
      return 'call' in exchange ? unknown : readStatus(exchange.answer, '');
    }
    const url = `${this.url}/topups/reports/transactions?customIdentifier=${encodeURIComponent(reference)}`;
    const exchange = await this.send({ method: 'GET', url }, signal);
    return 'call' in exchange ? unknown : readReloadlyReport(exchange.answer, reference);
  }

  /**
   * The operator of the network that was asked for. Reloadly would detect the one of the number by its prefix, which is wrong
   * for ported numbers. Nothing is bought before it is known.
   */
  private async findOperator({ network, product }: TopUp, signal: AbortSignal): Promise<FoundOperator> {
    if (product !== undefined) return readBundleCode(product) ?? { result: declined('not_available') };
    const configured = this.settings.operators?.[network];
    if (configured !== undefined) return { operatorId: configured, isLocal: true };
    if (!this.operators || performance.now() - this.operators.at > operatorsKeptMs) {
      const read = await this.readOperators(signal);
      if ('result' in read) return read;
      this.operators = { at: performance.now(), byName: read };
    }
    const found = [...this.operators.byName].find(([name]) => isOperatorOf(network, name));
    return found ? { operatorId: found[1], isLocal: true } : { result: declined('not_available') };
  }

  /** The operators that sell airtime, by name. A list without any is a fault of the provider. */
  private async readOperators(
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, number> | { readonly result: SubmitResult }> {
    const only = 'includeBundles=false&includeData=false&includePin=false';
    const exchange = await this.send(
      { method: 'GET', url: `${this.url}/operators/countries/NG?${only}` },
      signal,
    );
    if ('call' in exchange) return { result: exchange.call.outcome === 'account' ? refused : notReached };
    const document = parseJson(exchange.answer.text);
    if (exchange.answer.status > 299 || !Array.isArray(document)) {
      const result = readReloadlyError(exchange.answer);
      return { result: result.kind === 'refused' ? refused : notReached };
    }
    const operators = document.filter(isActiveOperator).flatMap((item: unknown) => {
      const [id, name] = [valueAt(item, '/operatorId'), textAt(item, '/name') ?? ''];
      const isOther = ['/bundle', '/data', '/pin'].some((place) => valueAt(item, place) === true);
      return typeof id === 'number' && !isOther ? [[name, id] as const] : [];
    });
    return operators.length === 0 ? { result: notReached } : new Map(operators);
  }

  async products(signal: AbortSignal): Promise<ProductLists> {
    const url = `${this.url}/operators/countries/NG?includeData=true&includeBundles=true&includePin=false`;
    const exchange = await this.send({ method: 'GET', url }, signal, listLimits);
    const listed = 'call' in exchange ? undefined : readReloadlyProducts(exchange.answer);
    return new Map(networks.map((network) => [network, listed?.get(network)]));
  }

  private send(request: RequestSettings, signal?: AbortSignal, limits: { maxBytes?: number } = {}) {
    const whole = { ...reloadlyAccess(this.settings), ...request };
    return this.http.send(whole, {}, { ...this.http.limitsOf(signal), ...limits });
  }

  private async askCredit(): Promise<Credit | undefined> {
    const exchange = await this.send({ method: 'GET', url: `${this.url}/accounts/balance` });
    return 'call' in exchange
      ? undefined
      : readCredit({ amount: '/balance', currency: '/currencyCode' }, exchange.answer);
  }
}

const notReached: SubmitResult = { kind: 'not_sent', reason: airtimeReason('provider_unreachable') };

export const readReloadlyTopUp = (answer: Answer): SubmitResult =>
  answer.status > 299 ? readReloadlyError(answer) : readStatus(answer, '');

/** An error that the page does not list says nothing about the top-up. */
export function readReloadlyError({ text, status }: Answer): SubmitResult {
  const code = textAt(parseJson(text), '/errorCode') ?? '';
  if (numberCodes.has(code)) return declined('invalid_number');
  const failure = failures[code];
  if (failure !== undefined) return notMade(failure);
  return accountCodes.has(code) || status === 401 ? refused : unknownAfter(status);
}

/** Finds the top-up in the report, which may list others as well. */
export function readReloadlyReport(answer: Answer, reference: string): QueryResult {
  const content = valueAt(parseJson(answer.text), '/content');
  if (answer.status > 299 || !Array.isArray(content)) return unknown;
  const index = content.findIndex((item) => textAt(item, '/customIdentifier') === reference);
  if (index !== -1) return readStatus(answer, `/content/${index}`);
  return content.length === 0 ? { kind: 'not_found', finalAfterMs: notFoundAfterMs.reloadly } : unknown;
}

function readStatus({ status: httpStatus, text }: Answer, place: string): TopUpResult {
  if (httpStatus > 299) return unknown;
  const document = parseJson(text);
  const transaction = valueAt(document, '/transaction') ?? valueAt(document, place);
  const id = textAt(transaction, '/transactionId');
  const providerReference = id === undefined ? {} : { providerReference: id };
  switch (textAt(document, `${place}/status`) ?? '') {
    case 'SUCCESSFUL': {
      const cost = costOfTransaction(transaction);
      return { kind: 'success', ...providerReference, ...(cost && { cost }) };
    }
    case 'REFUNDED':
    case 'FAILED':
      return failed('rejected');
    default:
      return { kind: 'unknown', ...providerReference };
  }
}

/** What our account paid: the balance says so, or the amount less the discount, with the fee, all in its currency. */
function costOfTransaction(transaction: unknown): Cost | undefined {
  const at = (amount: string, currency: string): Cost | undefined =>
    parsePrice(textAt(transaction, amount) ?? '', textAt(transaction, currency));
  const paid = at('/balanceInfo/cost', '/balanceInfo/currencyCode');
  if (paid) return paid;
  const requested = at('/requestedAmount', '/requestedAmountCurrencyCode');
  const discount = at('/discount', '/discountCurrencyCode');
  if (!requested || discount?.currency !== requested.currency || discount.micros > requested.micros)
    return undefined;
  const fee = at('/fee', '/requestedAmountCurrencyCode')?.micros ?? 0n;
  return { ...requested, micros: requested.micros - discount.micros + fee };
}
