import { formatTimestamp } from '@gangan/contracts';
import { AppError } from '@gangan/protocol';

/** The same error for every invalid key, so that callers learn nothing by guessing. */
export const badKey = (): AppError =>
  new AppError(
    'bad_key',
    401,
    'The API key is missing or invalid. Send it alone, without Bearer, in one Authorization header: Authorization: <API_KEY>',
  );

export const suspended = (): AppError => new AppError('suspended', 403, 'This organisation is suspended');

export const addressNotAllowed = (): AppError => {
  const message = 'This API key may not be used from this IP address';
  return new AppError('address_not_allowed', 403, message, {
    fields: [{ field: 'authorization', message, type: 'address_not_allowed' }],
  });
};

export const keyTooNew = (usableFrom: Date): AppError => {
  const message = `This API key is new and may buy airtime from ${formatTimestamp(usableFrom)}`;
  return new AppError('key_too_new', 403, message, {
    fields: [{ field: 'authorization', message, type: 'key_too_new' }],
  });
};
