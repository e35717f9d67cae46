import { IsNumber, ValidateBy } from 'class-validator';
import { type ParsedPhone, parsePhone } from '../phone-number.js';
import type { ContractSettings } from '../settings.js';
import { combine } from '../validation/decorators.js';
import { ValidateWithSettings } from '../validation/settings-rules.js';
import { type AmountRange, isNetwork } from './airtime-bounds.js';

const nigeria = '234';

export const nigerianPhoneMessage =
  'must be a Nigerian phone number such as +2348031234567: the networks serve no other country';

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
        : nigerianPhoneMessage,
  });

/** The range of the purchase's network, or of all networks if the network is invalid. */
const rangeFor = ({ airtimeBounds }: ContractSettings, purchase: object): AmountRange => {
  const { network } = purchase as { readonly network?: unknown };
  return airtimeBounds[isNetwork(network) ? network : 'any'];
};

const isAboveMinimum = ValidateWithSettings({
  name: 'min',
  constraints: [({ airtimeBounds }: ContractSettings) => airtimeBounds.any.min],
  validate: (value, settings, purchase) => {
    const { min } = rangeFor(settings, purchase);
    return typeof value === 'number' && value >= min ? undefined : `must be at least ${min} naira`;
  },
});

const isBelowMaximum = ValidateWithSettings({
  name: 'max',
  constraints: [({ airtimeBounds }: ContractSettings) => airtimeBounds.any.max],
  validate: (value, settings, purchase) => {
    const { max } = rangeFor(settings, purchase);
    return typeof value === 'number' && value <= max ? undefined : `must be at most ${max} naira`;
  },
});

const isWholeKobo = ValidateBy({
  name: 'isNaira',
  validator: {
    validate: (value: unknown) => typeof value === 'number' && /^\d+(?:\.\d{1,2})?$/.test(String(value)),
    defaultMessage: () => '$property must be naira with at most two decimals, such as 100 or 99.5',
  },
});

/** An amount in naira, to the kobo, in the range of the purchase's network. */
export const IsAirtimeAmount = (): PropertyDecorator =>
  combine(isWholeKobo, isBelowMaximum, isAboveMinimum, IsNumber({ allowInfinity: true }));
