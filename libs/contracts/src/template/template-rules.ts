import { ValidateIf } from 'class-validator';
import { combine, rule } from '../validation/fields/decorators.js';
import { placeholderError, placeholderNames } from './template-body.js';

/** The fields of a new template; they may have any value. */
interface Given {
  readonly channel?: unknown;
  readonly body?: unknown;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const isRequiredForWhatsApp = rule(
  'required',
  (value, { channel }: Given) => channel !== 'whatsapp' || !isAbsent(value),
  'is required for the channel whatsapp',
  { args: [null] },
);

/** Refuses a field that is only for WhatsApp. An invalid channel is reported by itself. */
export const IsForWhatsApp = rule(
  'isForWhatsApp',
  (value, { channel = 'sms' }: Given) => channel !== 'sms' || (Array.isArray(value) && value.length === 0),
  'is allowed only for the channel whatsapp',
  { independent: true },
);

/** A field that identifies a template at its carrier: required for WhatsApp, not allowed otherwise. */
export const CarrierField = (): PropertyDecorator =>
  combine(
    ValidateIf(({ channel }: Given, value) => channel === 'whatsapp' || !isAbsent(value)),
    isRequiredForWhatsApp(),
    IsForWhatsApp(),
  );

/** The list has the placeholders of the body. It is checked only if the body is valid. */
export const ListsPlaceholders = rule(
  'listsPlaceholders',
  (value, { channel, body }: Given) => {
    if (channel !== 'whatsapp' || !Array.isArray(value)) return true;
    if (typeof body !== 'string' || placeholderError(body) !== undefined) return true;
    const names = placeholderNames(body);
    return (
      value.length === names.size &&
      names.size === new Set(value).size &&
      value.every((name) => names.has(name as string))
    );
  },
  'must list every placeholder of the body exactly once',
);
