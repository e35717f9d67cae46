import { noPriceFault } from '@gangan/billing';
import { type Channel, phoneError } from '@gangan/contracts';
import type { OtpOutcome } from '@gangan/database';
import { AppError, type ErrorType, fieldError, invalidRequest, notFound } from '@gangan/protocol';
import { describeUnusable, type UnusableTemplate } from '@gangan/providers';
import type { VerifyResult } from './verify/decide.js';

/** The gateway validates the recipient first. The worker checks again because a job is input too. */
export const invalidRecipient = (given: string): AppError => invalidRequest([phoneError('recipient', given)]);

/** The template belongs to the operator; the caller can choose another channel. */
export const unusableChannel = (template: UnusableTemplate): AppError =>
  invalidRequest([
    fieldError('channel', `channel whatsapp cannot be used at the moment: ${describeUnusable(template)}`),
  ]);

export const otpNotFound = (): AppError => notFound('The OTP');

const tokenError = (
  type: ErrorType,
  status: number,
  message: string,
  tokenMessage: string,
  retryAfter?: number,
) =>
  new AppError(type, status, message, {
    fields: [{ field: 'token', message: tokenMessage, type }],
    ...(retryAfter !== undefined && { retryAfter }),
  });

function tokenMismatch({ attemptsLeft }: VerifyResult): AppError {
  const tries = attemptsLeft === 1 ? '1 attempt is' : `${attemptsLeft} attempts are`;
  const message = `The token is wrong; ${tries} left`;
  return tokenError('token_mismatch', 400, message, message);
}

function attemptsUsedUp({ retryAfter }: VerifyResult): AppError {
  const message = 'This OTP has no attempts left: request a new one';
  return tokenError('too_many_attempts', 429, message, 'Further tokens are not checked', retryAfter ?? 1);
}

function triesUsedUp({ retryAfter }: VerifyResult): AppError {
  const seconds = retryAfter ?? 1;
  const message = `Too many wrong tokens for this recipient: retry in ${seconds} s`;
  return tokenError('too_many_attempts', 429, message, 'The token was not checked', seconds);
}

const ended = (type: ErrorType, what: string, tokenMessage: string) => (): AppError =>
  tokenError(type, 400, `The OTP ${what}: request a new one`, tokenMessage);

const alreadyVerified = (): AppError =>
  new AppError('already_verified', 409, 'The OTP is already verified', {
    fields: [{ field: 'id', message: 'An OTP can be verified only once', type: 'already_verified' }],
  });

export const verificationErrors: Record<
  Exclude<OtpOutcome, 'verified'>,
  (result: VerifyResult) => AppError
> = {
  mismatch: tokenMismatch,
  exhausted: attemptsUsedUp,
  ended: attemptsUsedUp,
  capped: triesUsedUp,
  expired: ended('token_expired', 'has expired', 'The token is no longer valid'),
  revoked: ended('token_revoked', 'was revoked', 'The token was revoked'),
  undeliverable: ended(
    'token_undeliverable',
    'could not be delivered',
    'The token was not delivered to its recipient',
  ),
  already_verified: alreadyVerified,
};

const notResent = (type: ErrorType, status: number, what: string) => (): AppError => {
  const message = `The OTP ${what}: request a new one`;
  return new AppError(type, status, message, { fields: [{ field: 'id', message, type }] });
};

/** Why an OTP cannot be sent again. */
export const resendErrors = {
  verified: alreadyVerified,
  expired: notResent('token_expired', 400, 'has expired'),
  revoked: notResent('token_revoked', 400, 'was revoked'),
  undeliverable: notResent('token_undeliverable', 400, 'could not be delivered'),
  exhausted: notResent('too_many_attempts', 429, 'has no attempts left'),
  aboutToExpire: notResent('token_expired', 400, 'is about to expire'),
  tooManySends: notResent('too_many_attempts', 429, 'was sent too often'),
  /** The token was stored by an earlier version, or its key was replaced too early. */
  tokenUnavailable: notResent('token_unavailable', 400, 'cannot be sent again'),
};

const tooManySends = (message: string, field: string, retryAfter: number): AppError =>
  new AppError('too_many_attempts', 429, `${message}: retry in ${retryAfter} s`, {
    fields: [{ field, message, type: 'too_many_attempts' }],
    retryAfter,
  });

export const recipientSendsUsedUp = (max: number, retryAfter: number): AppError =>
  tooManySends(
    `The limit is ${max} messages with OTPs to one recipient in 10 minutes`,
    'recipient',
    retryAfter,
  );

export const prefixSendsUsedUp = (max: number, retryAfter: number): AppError =>
  tooManySends(
    `The limit is ${max} messages with OTPs in 10 minutes to numbers with this prefix while few of them are verified`,
    'recipient',
    retryAfter,
  );

export function noPrice(channel: Channel, country: string | undefined): AppError {
  const fault = noPriceFault('recipient', channel, country);
  return new AppError('no_price', 400, fault.message, { fields: [fault] });
}

const notAllowed = (message: string, type: ErrorType): AppError =>
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
