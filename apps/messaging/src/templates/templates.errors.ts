import { type AppError, type FieldError, invalidRequest, notFound } from '@gangan/protocol';

export const noSuchTemplate = (): AppError => notFound('The template');

export const nameTaken = (): AppError =>
  invalidRequest([
    { field: 'name', message: 'name is that of another template already', type: 'value_error' },
  ]);

export const channelIsFixed = (): AppError =>
  invalidRequest([
    {
      field: 'channel',
      message: 'channel cannot be changed: make another template',
      type: 'value_error',
    },
  ]);

export const neededForWhatsApp = (field: string): FieldError => ({
  field,
  message: `${field} is required with the channel whatsapp`,
  type: 'missing',
});

export const onlyForWhatsApp = (field: string): FieldError => ({
  field,
  message: `${field} is only for the channel whatsapp`,
  type: 'value_error',
});

export const notThePlaceholders = (): FieldError => ({
  field: 'variables',
  message: 'variables must list every placeholder of the body, and each of them once',
  type: 'value_error',
});
