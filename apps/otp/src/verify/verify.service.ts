import { type OtpRecord, otpStatuses, type VerifyOtpRequest } from '@gangan/contracts';
import type { OtpOutcome } from '@gangan/database';
import { type AppError, isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { OrganisationRulesCache } from '../organisation-rules.js';
import {
  alreadyVerified,
  attemptsUsedUp,
  otpNotFound,
  tokenExpired,
  tokenMismatch,
  tokenRevoked,
  tokenUndeliverable,
  triesUsedUp,
} from '../otp.errors.js';
import { OtpMetrics } from '../otp.metrics.js';
import { toRecord } from '../otp-record.js';
import { TokenDigests } from '../tokens.js';
import type { VerifyResult } from './decide.js';
import { VerifyRepository } from './verify.repository.js';

@Injectable()
export class VerifyService {
  constructor(
    private readonly repository: VerifyRepository,
    private readonly rules: OrganisationRulesCache,
    private readonly digests: TokenDigests,
    private readonly metrics: OtpMetrics,
  ) {}

  async verify({ id, token }: VerifyOtpRequest, context: RequestContext): Promise<OtpRecord> {
    if (!isId(id)) throw otpNotFound();
    const [otpId, organisationId] = [id.toLowerCase(), requireOrganisationId(context)];
    const { triesPerRecipient } = await this.rules.get(organisationId);
    const result = await this.repository.decide({
      id: context.operationId,
      otpId,
      organisationId,
      digests: this.digests.candidates({ organisationId, otpId, token }),
      limit: triesPerRecipient,
    });
    if (!result?.repeated)
      this.metrics.countVerification(result?.outcome ?? 'unknown_otp', result?.recipient);
    if (!result) throw otpNotFound();
    if (result.outcome !== 'verified') throw errors[result.outcome](result);
    return toRecord({ ...result, id: otpId, status: otpStatuses.VERIFIED });
  }
}

const errors: Record<Exclude<OtpOutcome, 'verified'>, (result: VerifyResult) => AppError> = {
  mismatch: ({ attemptsLeft }) => tokenMismatch(attemptsLeft),
  exhausted: ({ retryAfter }) => attemptsUsedUp(retryAfter ?? 1),
  ended: ({ retryAfter }) => attemptsUsedUp(retryAfter ?? 1),
  capped: ({ retryAfter }) => triesUsedUp(retryAfter ?? 1),
  expired: tokenExpired,
  revoked: tokenRevoked,
  undeliverable: tokenUndeliverable,
  already_verified: alreadyVerified,
};
