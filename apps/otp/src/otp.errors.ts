import { AppError, type FieldError, invalidRequest, notFound, unavailable } from '@gangan/protocol';

/** The gateway validates the recipient first. The worker checks again because a job is input too. */
export const invalidRecipient = (): AppError =>
  invalidRequest([{ field: 'recipient', message: 'recipient must be a phone number', type: 'phone' }]);

export const noProvider = (): AppError =>
  unavailable(
    'No message provider is configured for live organisations. Retry later, or contact the operator.',
  );

export const otpNotFound = (): AppError => notFound('The OTP');

const tokenField = (message: string, type: string): FieldError[] => [{ field: 'token', message, type }];

export function tokenMismatch(attemptsLeft: number): AppError {
  const tries = attemptsLeft === 1 ? '1 attempt is' : `${attemptsLeft} attempts are`;
  const message = `The token is wrong; ${tries} left`;
  return new AppError('token_mismatch', 400, message, { fields: tokenField(message, 'token_mismatch') });
}

export const tokenExpired = (): AppError =>
  new AppError('token_expired', 400, 'The OTP has expired: request a new one', {
    fields: tokenField('The token is no longer valid', 'token_expired'),
  });

export const tokenRevoked = (): AppError =>
  new AppError('token_revoked', 400, 'The OTP was revoked: request a new one', {
    fields: tokenField('The token was revoked', 'token_revoked'),
  });

export const tokenUndeliverable = (): AppError =>
  new AppError('token_undeliverable', 400, 'The OTP could not be delivered: request a new one', {
    fields: tokenField('The token was not delivered to its recipient', 'token_undeliverable'),
  });

export const alreadyVerified = (): AppError =>
  new AppError('already_verified', 409, 'The OTP is already verified', {
    fields: [{ field: 'id', message: 'An OTP can be verified only once', type: 'already_verified' }],
  });

export const attemptsUsedUp = (retryAfter: number): AppError =>
  new AppError('too_many_attempts', 429, 'This OTP has no attempts left: request a new one', {
    fields: tokenField('Further tokens are not checked', 'too_many_attempts'),
    retryAfter,
  });

export const triesUsedUp = (retryAfter: number): AppError =>
  new AppError(
    'too_many_attempts',
    429,
    `Too many wrong tokens for this recipient: retry in ${retryAfter} s`,
    { fields: tokenField('The token was not checked', 'too_many_attempts'), retryAfter },
  );

const tooManySends = (message: string, field: string, retryAfter: number): AppError =>
  new AppError('too_many_attempts', 429, `${message}: retry in ${retryAfter} s`, {
    fields: [{ field, message, type: 'too_many_attempts' }],
    retryAfter,
  });

export const recipientSendsUsedUp = (max: number, retryAfter: number): AppError =>
  tooManySends(`The limit is ${max} OTPs to one recipient in 10 minutes`, 'recipient', retryAfter);

export const prefixSendsUsedUp = (max: number, retryAfter: number): AppError =>
  tooManySends(
    `The limit is ${max} OTPs in 10 minutes to numbers with this prefix while few of them are verified`,
    'recipient',
    retryAfter,
  );

export const dailySpendUsedUp = (retryAfter: number): AppError =>
  tooManySends(
    'The organisation has reached its daily limit of spending on OTPs',
    'organisation',
    retryAfter,
  );

const notAllowed = (message: string, type: string): AppError =>
  new AppError(type, 403, message, { fields: [{ field: 'recipient', message, type }] });

export const countryNotAllowed = (country: string | undefined): AppError =>
  notAllowed(
    country === undefined
      ? 'This organisation sends OTPs only to certain countries, and the number has no country'
      : `This organisation does not send OTPs to ${country}`,
    'country_not_allowed',
  );

export const numberTypeNotAllowed = (type: string): AppError =>
  notAllowed(`This organisation does not send OTPs to numbers of type ${type}`, 'number_type_not_allowed');
