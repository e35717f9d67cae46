import { type OtpRecord, otpStatuses, type VerifyOtpRequest } from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { RulesOfOrganisations } from '../organisation-rules.js';
import { noSuchOtp } from '../otp.errors.js';
import { OtpMetrics } from '../otp-metrics.js';
import { otpRecord } from '../otp-record.js';
import { TokenDigests } from '../token-digests.js';
import { refusalOf } from './verdict.js';
import { VerificationRepository } from './verification.repository.js';

@Injectable()
export class VerifyingService {
  constructor(
    private readonly repository: VerificationRepository,
    private readonly rules: RulesOfOrganisations,
    private readonly digests: TokenDigests,
    private readonly metrics: OtpMetrics,
  ) {}

  async verify({ id, token }: VerifyOtpRequest, context: RequestContext): Promise<OtpRecord> {
    if (!isId(id)) throw noSuchOtp();
    const [otpId, organisationId] = [id.toLowerCase(), requireOrganisationId(context)];
    const { triesPerRecipient } = await this.rules.of(organisationId);
    const verdict = await this.repository.decide({
      id: context.operationId,
      otpId,
      organisationId,
      digests: this.digests.candidates({ organisationId, otpId, token }),
      cap: triesPerRecipient,
    });
    if (!verdict?.repeated)
      this.metrics.countVerification(verdict?.outcome ?? 'unknown_otp', verdict?.recipient);
    if (!verdict) throw noSuchOtp();
    if (verdict.outcome !== 'verified') throw refusalOf(verdict);
    return otpRecord({ ...verdict, id: otpId, status: otpStatuses.VERIFIED });
  }
}
