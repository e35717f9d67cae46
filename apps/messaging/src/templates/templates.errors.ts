import { AppError, fieldError, type FieldError, notFound } from '@gangan/protocol';

export const templateNotFound = (): AppError => notFound('The template');

export const tooManyTemplates = (max: number): AppError =>
  new AppError(
    'quota_exceeded',
    403,
    `The organisation has ${max.toLocaleString('en')} templates. Delete one first.`,
  );

export const nameTaken = (): FieldError => fieldError('name', 'name is used by another template');

export const channelIsFixed = (): FieldError =>
  fieldError('channel', 'channel cannot be changed; create another template');

export const requiredForWhatsApp = (field: string): FieldError =>
  fieldError(field, `${field} is required for the channel whatsapp`, 'missing');

export const onlyForWhatsApp = (field: string): FieldError =>
  fieldError(field, `${field} is allowed only for the channel whatsapp`);

export const variablesMismatch = (): FieldError =>
  fieldError('variables', 'variables must list every placeholder of the body exactly once');
