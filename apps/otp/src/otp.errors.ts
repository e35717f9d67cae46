import { AppError, type FieldError, invalidRequest, notFound, unavailable } from '@gangan/protocol';

/** The gateway refuses these first, but a job is input too. */
export const notAPhone = (): AppError =>
  invalidRequest([{ field: 'recipient', message: 'recipient must be a phone number', type: 'phone' }]);

export const noCarrier = (): AppError =>
  unavailable(
    'No provider of messages is configured for live organisations: try again later, or ask the operator',
  );

export const noSuchOtp = (): AppError => notFound('The OTP');

const aboutToken = (message: string, type: string): FieldError[] => [{ field: 'token', message, type }];

export function tokenMismatch(attemptsLeft: number): AppError {
  const tries = attemptsLeft === 1 ? '1 attempt is' : `${attemptsLeft} attempts are`;
  const message = `The token is wrong; ${tries} left`;
  return new AppError('token_mismatch', 400, message, { fields: aboutToken(message, 'token_mismatch') });
}

export const tokenExpired = (): AppError =>
  new AppError('token_expired', 400, 'The OTP has expired: request a new one', {
    fields: aboutToken('The token is no longer valid', 'token_expired'),
  });

export const tokenRevoked = (): AppError =>
  new AppError('token_revoked', 400, 'The OTP was revoked: request a new one', {
    fields: aboutToken('The token was revoked', 'token_revoked'),
  });

export const tokenUndeliverable = (): AppError =>
  new AppError('token_undeliverable', 400, 'The OTP could not be delivered: request a new one', {
    fields: aboutToken('The token never reached its recipient', 'token_undeliverable'),
  });

export const alreadyVerified = (): AppError =>
  new AppError('already_verified', 409, 'The OTP was verified already', {
    fields: [{ field: 'id', message: 'An OTP can be verified once', type: 'already_verified' }],
  });

export const attemptsUsedUp = (retryAfter: number): AppError =>
  new AppError('too_many_attempts', 429, 'The attempts of this OTP are used up: request a new one', {
    fields: aboutToken('No further token is tried', 'too_many_attempts'),
    retryAfter,
  });

export const triesUsedUp = (retryAfter: number): AppError =>
  new AppError(
    'too_many_attempts',
    429,
    `Too many wrong tokens were tried for this recipient: try again in ${retryAfter} s`,
    { fields: aboutToken('No token was tried', 'too_many_attempts'), retryAfter },
  );

const tooManySends = (message: string, field: string, retryAfter: number): AppError =>
  new AppError('too_many_attempts', 429, `${message}: try again in ${retryAfter} s`, {
    fields: [{ field, message, type: 'too_many_attempts' }],
    retryAfter,
  });

export const recipientSendsUsedUp = (most: number, retryAfter: number): AppError =>
  tooManySends(`This recipient may be sent ${most} OTPs in 10 minutes`, 'recipient', retryAfter);

export const prefixSendsUsedUp = (most: number, retryAfter: number): AppError =>
  tooManySends(
    `Numbers that begin like this recipient’s may be sent ${most} OTPs in 10 minutes while so few of them are verified`,
    'recipient',
    retryAfter,
  );

export const dailySpendUsedUp = (retryAfter: number): AppError =>
  tooManySends('What this organisation may spend on OTPs in a day is used up', 'organisation', retryAfter);

const notAllowed = (message: string, type: string): AppError =>
  new AppError(type, 403, message, { fields: [{ field: 'recipient', message, type }] });

export const countryNotAllowed = (country: string | undefined): AppError =>
  notAllowed(
    country === undefined
      ? 'This organisation sends OTPs to certain countries only, and the number belongs to none'
      : `This organisation sends no OTPs to numbers of ${country}`,
    'country_not_allowed',
  );

export const numberTypeNotAllowed = (type: string): AppError =>
  notAllowed(`This organisation sends no OTPs to numbers of the type ${type}`, 'number_type_not_allowed');
