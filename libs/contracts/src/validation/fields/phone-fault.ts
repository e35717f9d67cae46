import { fieldError, type FieldError } from '@gangan/protocol';
import { maxPhoneLength } from '../../phone-number.js';

/** Follows the name of the field, like the texts below. */
export const phoneForm = 'must be a phone number such as +2348031234567';

const maxShownLength = 40;

/** A text that is not a phone number, for a message to its caller: neither logged nor stored. */
export const shownPhone = (given: string): string =>
  given.length > maxShownLength ? `${given.slice(0, maxShownLength)}…` : given;

/**
 * Digits without `+` and without a leading 0, as many as a number with its country code has. A shorter number probably lacks
 * digits.
 */
function isBare(given: string): boolean {
  if (given.length > maxPhoneLength || !/^\(?[1-9][\d ().-]*$/.test(given.trim())) return false;
  const { length } = given.replaceAll(/\D/g, '');
  return length >= 10 && length <= 15;
}

const advice = '. Start a number of another country with + and its country code';

/** What is wrong with a text that `parsePhone` does not read. */
export const phoneFault = (given: string): string =>
  `${phoneForm}, not "${shownPhone(given)}"${isBare(given) ? advice : ''}`;

/** As `phoneFault` without the text itself, for messages that are stored. */
export const storedPhoneFault = (given: string): string => phoneForm + (isBare(given) ? advice : '');

export const phoneError = (field: string, given: string): FieldError =>
  fieldError(field, `${field} ${phoneFault(given)}`, 'phone');
