import { ValidateBy } from 'class-validator';
import { type ParsedPhone, parsePhone } from '../phone-number.js';

const nigeria = '234';

export const nigerianPhoneMessage =
  'must be a Nigerian phone number such as +2348031234567: the networks serve no other country';

/** Whatever its prefix: numbers are ported, and those of the simulator belong to no network. */
export function parseNigerianPhone(given: string): ParsedPhone | undefined {
  const phone = parsePhone(given);
  return phone?.callingCode === nigeria ? phone : undefined;
}

export const IsNigerianPhone = (): PropertyDecorator =>
  ValidateBy({
    name: 'isPhone',
    constraints: ['nigerian-phone'],
    validator: {
      validate: (value: unknown) => typeof value === 'string' && parseNigerianPhone(value) !== undefined,
      defaultMessage: () => `$property ${nigerianPhoneMessage}`,
    },
  });
