import { parsePhone } from '@gangan/contracts';
import type { FieldError } from '@gangan/protocol';
import type { Personalisation, Recipient } from '../message-text.js';
import { placeholdersOf, type Substitutions } from '../text/rendering.js';
import { inSlices } from './in-slices.js';
import type { PlacedRecipient } from './recipients.js';

/** What is filled in for one recipient, and which field of the request says so. */
export interface Filling {
  readonly substitutions: Substitutions;
  readonly field?: string;
}

export interface Fillings {
  readonly byRecipient: ReadonlyMap<string, Filling>;
  readonly faults: readonly FieldError[];
}

const nothing: Filling = { substitutions: {} };

/** Finds out whom each item is for. */
export async function readPersonalisation(
  items: readonly Personalisation[],
  recipients: readonly Recipient[],
): Promise<Fillings> {
  const bySpelling = new Map(recipients.map(({ recipient, recipientGiven }) => [recipientGiven, recipient]));
  const known = new Set(recipients.map(({ recipient }) => recipient));
  const byRecipient = new Map<string, Filling>();
  const faults: FieldError[] = [];
  await inSlices(items, ({ to, substitutions }, place) => {
    const number = bySpelling.get(to) ?? parsePhone(to)?.e164;
    const field = `personalisation.${place}`;
    const refuse = (message: string, type = 'value_error'): void => {
      faults.push({ field: `${field}.to`, message: `${field}.to ${message}`, type });
    };
    if (number === undefined) refuse('must be a phone number such as +2348031234567', 'phone');
    else if (!known.has(number)) refuse('is not among the recipients');
    else if (byRecipient.has(number)) refuse('was personalised before: name each recipient once');
    else byRecipient.set(number, { substitutions, field });
  });
  return { byRecipient, faults };
}

export const fillingOf = (fillings: Fillings, { recipient }: Recipient): Filling =>
  fillings.byRecipient.get(recipient) ?? nothing;

/** The placeholders that somebody would read raw. */
export function unfilled(
  body: string,
  recipients: readonly PlacedRecipient[],
  fillings: Fillings,
): FieldError[] {
  const names = placeholdersOf(body);
  const faults: FieldError[] = [];
  let left: PlacedRecipient | undefined;
  for (const recipient of recipients) {
    const { substitutions, field } = fillingOf(fillings, recipient);
    const missing = names.filter((name) => !Object.hasOwn(substitutions, name));
    if (field === undefined) left ??= missing.length > 0 ? recipient : undefined;
    else faults.push(...missing.map((name) => absent(`${field}.substitutions.${name}`)));
  }
  if (left) faults.push(absentFor(left, names));
  return faults;
}

const absent = (field: string): FieldError => ({
  field,
  message: `${field} is required: the template has a place for it`,
  type: 'missing',
});

const absentFor = ({ place }: PlacedRecipient, names: readonly string[]): FieldError => ({
  field: 'personalisation',
  message: `The template has places for ${names.join(', ')}, and nothing is given for recipients.${place}`,
  type: 'missing',
});
