import { type AppError, type FieldError, notFound, unavailable } from '@gangan/protocol';

export const noSuchMessage = (): AppError => notFound('The message');

export const noProvider = (channel: string): AppError =>
  unavailable(
    `No provider of ${channel} messages is configured for live organisations: try again later, or ask the operator`,
  );

export const noSuchTemplate = (): FieldError => ({
  field: 'template_id',
  message: 'template_id names no template of yours: GET /templates lists them',
  type: 'value_error',
});

export const otherChannel = (channel: string): FieldError => ({
  field: 'template_id',
  message: `template_id names a template for ${channel}: set channel to ${channel}, or take another template`,
  type: 'value_error',
});

export const unregisteredSender = (): FieldError => ({
  field: 'sender_id',
  message:
    'sender_id is not registered for your organisation: take a registered one, leave it out for your usual sender, or ask the operator to register it',
  type: 'value_error',
});
