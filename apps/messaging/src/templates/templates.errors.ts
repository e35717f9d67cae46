import { type AppError, type FieldError, invalidRequest, notFound } from '@gangan/protocol';

export const templateNotFound = (): AppError => notFound('The template');

export const nameTaken = (): AppError =>
  invalidRequest([{ field: 'name', message: 'name is used by another template', type: 'value_error' }]);

export const channelIsFixed = (): AppError =>
  invalidRequest([
    {
      field: 'channel',
      message: 'channel cannot be changed; create another template',
      type: 'value_error',
    },
  ]);

export const requiredForWhatsApp = (field: string): FieldError => ({
  field,
  message: `${field} is required for the channel whatsapp`,
  type: 'missing',
});

export const onlyForWhatsApp = (field: string): FieldError => ({
  field,
  message: `${field} is allowed only for the channel whatsapp`,
  type: 'value_error',
});

export const variablesMismatch = (): FieldError => ({
  field: 'variables',
  message: 'variables must list every placeholder of the body exactly once',
  type: 'value_error',
});
