import { formatNaira, toKobo } from '@gangan/billing';
import { type Network, networks } from '@gangan/contracts';
import { type Answer, parseJson, textAt, valueAt } from '@gangan/providers';
import type { ProductLists, ProviderProduct } from './airtime-provider.js';
import { readProducts } from './product-lists.js';

/** Operators are called `MTN Nigeria` or `9Mobile (Etisalat) Nigeria`. */
export const isOperatorOf = (network: Network, operator: string): boolean =>
  operator.toLowerCase().includes(network.toLowerCase());

export const isActiveOperator = (operator: unknown): boolean =>
  (textAt(operator, '/status') ?? 'ACTIVE') === 'ACTIVE';

const [localAmount, accountAmount] = ['local', 'account'];

const bundleCode = new RegExp(`^(\\d+):(${localAmount}|${accountAmount}):`);

/** An operator, and whether amounts for it are in its currency or in that of our account. */
export interface Operator {
  readonly operatorId: number;
  readonly isLocal: boolean;
}

/** The operator of a bundle; undefined if the code is none of ours. */
export function readBundleCode(code: string): Operator | undefined {
  const [, operatorId, currency] = bundleCode.exec(code) ?? [];
  if (operatorId === undefined) return undefined;
  return { operatorId: Number(operatorId), isLocal: currency === localAmount };
}

/** The products by network; undefined if the answer is not a list of operators. */
export function readReloadlyProducts({ status, text }: Answer): ProductLists | undefined {
  const operators = parseJson(text);
  if (status > 299 || !Array.isArray(operators)) return undefined;
  const productsOf = (network: Network) =>
    operators
      .filter((operator) => isOperatorOf(network, textAt(operator, '/name') ?? ''))
      .flatMap(readBundles);
  return new Map(networks.map((network) => [network, productsOf(network)]));
}

/**
 * The fixed amounts of an operator of data bundles, in naira: those of the network, or those of our account if its
 * currency is the naira. Other amounts have no price in naira and are not sold.
 */
function readBundles(operator: unknown): ProviderProduct[] {
  if (
    !isActiveOperator(operator) ||
    valueAt(operator, '/data') !== true ||
    valueAt(operator, '/pin') === true
  )
    return [];
  const local = amountsAt(operator, '/localFixedAmounts', '/destinationCurrencyCode');
  const isLocal = local.length > 0;
  const amounts = isLocal ? local : amountsAt(operator, '/fixedAmounts', '/senderCurrencyCode');
  const texts = valueAt(operator, isLocal ? '/localFixedAmountsDescriptions' : '/fixedAmountsDescriptions');
  const names = new Map(
    Object.entries(texts ?? {}).map(([amount, name]) => [Number(amount), name as unknown]),
  );
  const operatorId = textAt(operator, '/operatorId') ?? '';
  return readProducts(
    amounts.map((amount) => {
      const [kobo, name] = [toKobo(amount), names.get(amount)];
      const code = [operatorId, isLocal ? localAmount : accountAmount, formatNaira(kobo ?? 0n)].join(':');
      return { code, kobo, name: typeof name === 'string' ? name : undefined };
    }),
  );
}

function amountsAt(operator: unknown, pointer: string, currency: string): number[] {
  const amounts = valueAt(operator, pointer);
  if (!Array.isArray(amounts) || textAt(operator, currency) !== 'NGN') return [];
  return amounts.filter((amount): amount is number => typeof amount === 'number');
}
