import { IsNumber } from 'class-validator';
import { type ParsedPhone, parsePhone } from '../phone-number.js';
import type { ContractSettings } from '../settings.js';
import { combine, rule, textOrEmpty } from '../validation/fields/decorators.js';
import { shownPhone } from '../validation/fields/phone-fault.js';
import { ValidateWithSettings } from '../validation/fields/settings-rules.js';
import { type AmountRange, isNetwork } from './airtime-bounds.js';

const nigeria = '234';

export const nigerianPhoneFault = (given: string): string =>
  `must be a Nigerian phone number such as +2348031234567, not "${shownPhone(given)}": the networks serve no other country`;

/** Accepts every Nigerian prefix: numbers are ported, and the simulator's numbers belong to no network. */
export function parseNigerianPhone(given: string, defaultRegion?: string): ParsedPhone | undefined {
  const phone = parsePhone(given, defaultRegion);
  return phone?.callingCode === nigeria ? phone : undefined;
}

export const IsNigerianPhone = (): PropertyDecorator =>
  ValidateWithSettings({
    name: 'isPhone',
    constraints: ['nigerian-phone'],
    validate: (value, { defaultRegion }) =>
      typeof value === 'string' && parseNigerianPhone(value, defaultRegion)
        ? undefined
        : nigerianPhoneFault(textOrEmpty(value)),
  });

/** Finds the limit of the purchase's network, or the limit of all networks if the network is invalid. */
const amountLimit = (
  name: keyof AmountRange,
  words: string,
  isWithin: (amount: number, limit: number) => boolean,
): PropertyDecorator =>
  ValidateWithSettings({
    name,
    constraints: [({ airtimeBounds }: ContractSettings) => airtimeBounds.any[name]],
    validate: (value, { airtimeBounds }, purchase) => {
      const { network } = purchase as { readonly network?: unknown };
      const limit = airtimeBounds[isNetwork(network) ? network : 'any'][name];
      return typeof value === 'number' && isWithin(value, limit)
        ? undefined
        : `must be ${words} ${limit} naira`;
    },
  });

const isAboveMinimum = amountLimit('min', 'at least', (amount, min) => amount >= min);
const isBelowMaximum = amountLimit('max', 'at most', (amount, max) => amount <= max);

const isWholeKobo = rule(
  'isNaira',
  (value) => typeof value === 'number' && /^\d+(?:\.\d{1,2})?$/.test(String(value)),
  'must be naira with at most two decimals, such as 100 or 99.5',
);

/** An amount in naira, to the kobo, in the range of the purchase's network. */
export const IsAirtimeAmount = (): PropertyDecorator =>
  combine(isWholeKobo(), isBelowMaximum, isAboveMinimum, IsNumber({ allowInfinity: true }));

/** The fields of a purchase that exclude each other; they may have any value. */
interface Price {
  readonly amount?: unknown;
  readonly product_id?: unknown;
}

/** With a product, `amount` is not required. The rule of `product_id` reports the conflict. */
export const isAmountChecked = ({ amount, product_id }: Price): boolean =>
  product_id === undefined || amount !== undefined;

export const ExcludesAmount = rule(
  'excludesAmount',
  (_, { amount }: Price) => amount === undefined,
  'cannot be combined with amount',
);
