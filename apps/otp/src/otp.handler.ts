import * as dto from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { OtpService } from './otp.service.js';
import { RequestService } from './request/request.service.js';
import { FallbackService } from './sends/fallback.service.js';
import { ResendService } from './sends/resend.service.js';
import { VerifyService } from './verify/verify.service.js';

@Controller()
export class OtpHandler {
  constructor(
    private readonly requests: RequestService,
    private readonly verifications: VerifyService,
    private readonly otps: OtpService,
    private readonly resends: ResendService,
    private readonly fallbacks: FallbackService,
  ) {}

  @Handles(dto.requestOtp)
  requestOtp(request: dto.RequestOtpRequest, context: RequestContext) {
    return this.requests.request(request, context);
  }

  @Handles(dto.verifyOtp)
  verifyOtp(request: dto.VerifyOtpRequest, context: RequestContext) {
    return this.verifications.verify(request, context);
  }

  @Handles(dto.findOtp)
  findOtp(request: dto.RecordId, context: RequestContext) {
    return this.otps.find(request, context);
  }

  @Handles(dto.listOtpsOfRecipient)
  listOtpsOfRecipient(request: dto.OtpsOfRecipientRequest, context: RequestContext) {
    return this.otps.list(request, context);
  }

  @Handles(dto.revokeOtp)
  revokeOtp(request: dto.RecordId, context: RequestContext) {
    return this.otps.revoke(request, context);
  }

  @Handles(dto.resendOtp)
  resendOtp(request: dto.ResendOtpRequest, context: RequestContext) {
    return this.resends.resend(request, context);
  }

  @Handles(dto.otpDeliveryEnded)
  otpDeliveryEnded(event: dto.OtpDeliveryEnded, context: RequestContext) {
    return this.fallbacks.deliveryEnded(event, context);
  }
}
