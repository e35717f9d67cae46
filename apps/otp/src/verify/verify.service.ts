import { type OtpRecord, otpStatuses, type VerifyOtpRequest } from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { OrganisationRulesCache } from '../organisation-rules.js';
import { otpNotFound, verificationErrors } from '../otp.errors.js';
import { OtpMetrics } from '../otp.metrics.js';
import { toRecord } from '../otp-record.js';
import { TokenDigests } from '../tokens.js';
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
    const { triesPerRecipient, dailyTriesPerRecipient } = await this.rules.get(organisationId);
    const result = await this.repository.decide({
      id: context.operationId,
      otpId,
      organisationId,
      requestId: context.requestId,
      digests: this.digests.candidates({ organisationId, otpId, token }),
      limit: triesPerRecipient,
      dailyLimit: dailyTriesPerRecipient,
    });
    if (!result?.repeated) this.metrics.countVerification(result?.outcome ?? 'unknown_otp', result);
    if (!result) throw otpNotFound();
    if (result.outcome !== 'verified') throw verificationErrors[result.outcome](result);
    return toRecord({ ...result, id: otpId, status: otpStatuses.VERIFIED });
  }
}
