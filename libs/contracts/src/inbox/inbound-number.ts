import { maxPhoneLength, parsePhone } from '../phone-number.js';
import { trimSpaces } from '../text/trim-spaces.js';

const shortCode = /^\d{3,8}$/;

/** Reads a number at which messages are received: a short code of three to eight digits, or a phone number (E.164). */
export function parseInboundNumber(given: string, defaultRegion?: string): string | undefined {
  if (given.length > maxPhoneLength) return undefined;
  const text = trimSpaces(given);
  return shortCode.test(text) ? text : parsePhone(text, defaultRegion)?.e164;
}
