import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { OtpConfig } from './otp.config.js';

export interface TokenOf {
  readonly organisationId: string;
  readonly otpId: string;
  readonly token: string;
}

/** All that is stored of a token: HMAC-SHA256 under a pepper that the database does not know. */
@Injectable()
export class TokenDigests {
  private readonly peppers: readonly Buffer[];

  constructor(@Inject(OtpConfig) { OTP_PEPPER: peppers }: Pick<OtpConfig, 'OTP_PEPPER'>) {
    this.peppers = peppers.map((pepper) => Buffer.from(pepper, 'base64'));
  }

  /** To store: under the first pepper. */
  digest(of: TokenOf): Buffer {
    const [first] = this.candidates(of);
    if (!first) throw new Error('OTP_PEPPER is empty');
    return first;
  }

  /** What may be stored of it: while the pepper is being changed, one of two. */
  candidates({ organisationId, otpId, token }: TokenOf): Buffer[] {
    const bound = organisationId.toLowerCase() + otpId.toLowerCase();
    return this.peppers.map((pepper) => createHmac('sha256', pepper).update(bound).update(token).digest());
  }
}
