import { AppError, fieldError, type FieldError, notFound } from '@gangan/protocol';
import { describeUnusable, type UnusableTemplate } from '@gangan/providers';
import type { IndexedRecipient } from './recipients.js';

export const messageNotFound = (): AppError => notFound('The message');

export const unknownTemplate = (): FieldError =>
  fieldError(
    'template_id',
    'template_id does not match a template of your organisation; GET /templates lists them',
  );

export const unusableTemplate = (template: UnusableTemplate): FieldError =>
  fieldError('template_id', `template_id cannot be sent: ${describeUnusable(template)}`);

export const allWindowsClosed = (): FieldError =>
  fieldError(
    'recipients',
    'No recipient has written to you on WhatsApp within 24 hours: send a template (template_id) instead of content',
    'window_closed',
  );

export function countriesNotAllowed(recipients: readonly IndexedRecipient[]): AppError {
  const fields = recipients.map(({ index, country }) =>
    fieldError(
      `recipients.${index}`,
      country === undefined
        ? 'This organisation sends messages only to certain countries, and the number has no country'
        : `This organisation does not send messages to ${country}`,
      'country_not_allowed',
    ),
  );
  return new AppError('country_not_allowed', 403, fields[0]?.message ?? '', { fields });
}

export const templateOfOtherChannel = (channel: string): FieldError =>
  fieldError(
    'template_id',
    `template_id is a template for ${channel}: set channel to ${channel}, or use another template`,
  );

export const unregisteredSender = (): FieldError =>
  fieldError(
    'sender_id',
    'sender_id is not registered for your organisation: use a registered one, omit it for your default sender, or ask the operator to register it',
  );
