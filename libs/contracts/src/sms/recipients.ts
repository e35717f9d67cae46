import { parsePhone } from '../phone-number.js';
import type { ItemError } from '../validation/item-faults.js';

/** As written, before those that are there twice collapse. */
export const maxRecipients = 1_000;

/** The numbers of a list, as they were spelt: separated by commas, with or without spaces. */
export const splitRecipients = (text: string): string[] =>
  text.split(',').map((item) => item.replace(/^ +| +$/g, ''));

/** Without taking the list apart. */
export function countRecipients(text: string): number {
  let count = 1;
  for (let at = text.indexOf(','); at >= 0; at = text.indexOf(',', at + 1)) count += 1;
  return count;
}

/** What is wrong with one number of a list, if anything is. */
export function recipientError(item: string, place: number): ItemError | undefined {
  if (item !== '' && parsePhone(item)) return undefined;
  return item === ''
    ? { at: String(place), message: `recipients.${place} is empty`, type: 'missing' }
    : {
        at: String(place),
        message: `recipients.${place} must be a phone number such as +2348031234567`,
        type: 'phone',
      };
}

export const recipientErrors = (text: string): ItemError[] =>
  splitRecipients(text)
    .map(recipientError)
    .filter((fault) => fault !== undefined);
