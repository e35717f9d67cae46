import { createHmac, randomInt } from 'node:crypto';
import type { SealedPlace } from '@gangan/sealing';
import { Inject, Injectable } from '@nestjs/common';
import { OtpConfig } from './otp.config.js';

export const newToken = (length: number): string =>
  randomInt(10 ** length)
    .toString()
    .padStart(length, '0');

/** A short token is easier to guess, so it allows fewer attempts. */
export const attemptsFor = (token: string): number => (token.length <= 4 ? 3 : 5);

/** Where the token is stored until its OTP ends. */
export const sealedTokenPlace = ({ id, organisationId }: Omit<SealedPlace, 'column'>): SealedPlace => ({
  column: 'otp.sealed_token',
  organisationId,
  id,
});

export interface OtpToken {
  readonly organisationId: string;
  readonly otpId: string;
  readonly token: string;
}

/** A token is checked against its digest: HMAC-SHA256 with a pepper that is not in the database. */
@Injectable()
export class TokenDigests {
  private readonly peppers: readonly Buffer[];

  constructor(@Inject(OtpConfig) { OTP_PEPPER: peppers }: Pick<OtpConfig, 'OTP_PEPPER'>) {
    this.peppers = peppers.map((pepper) => Buffer.from(pepper, 'base64'));
  }

  digest(token: OtpToken): Buffer {
    const [first] = this.candidates(token);
    if (!first) throw new Error('OTP_PEPPER is empty');
    return first;
  }

  /** The digests that may be stored: two while the pepper is being changed. */
  candidates({ organisationId, otpId, token }: OtpToken): Buffer[] {
    const bound = organisationId.toLowerCase() + otpId.toLowerCase();
    return this.peppers.map((pepper) => createHmac('sha256', pepper).update(bound).update(token).digest());
  }
}
