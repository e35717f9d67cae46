import {
  findOtp,
  listOtpsOfRecipient,
  type OtpDeliveryEnded,
  otpDeliveryEnded,
  type OtpRecord,
  type OtpsOfRecipientRequest,
  type RecordId,
  requestOtp,
  type RequestOtpRequest,
  revokeOtp,
  verifyOtp,
  type VerifyOtpRequest,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { OtpService } from './otp.service.js';
import { RequestService } from './request/request.service.js';
import { VerifyService } from './verify/verify.service.js';

@Controller()
export class OtpHandler {
  constructor(
    private readonly requests: RequestService,
    private readonly verifications: VerifyService,
    private readonly service: OtpService,
  ) {}

  @Handles(requestOtp)
  request(request: RequestOtpRequest, context: RequestContext): Promise<OtpRecord> {
    return this.requests.request(request, context);
  }

  @Handles(verifyOtp)
  verify(request: VerifyOtpRequest, context: RequestContext): Promise<OtpRecord> {
    return this.verifications.verify(request, context);
  }

  @Handles(findOtp)
  find(request: RecordId, context: RequestContext): Promise<OtpRecord> {
    return this.service.find(request, context);
  }

  @Handles(listOtpsOfRecipient)
  list(request: OtpsOfRecipientRequest, context: RequestContext): Promise<OtpRecord[]> {
    return this.service.list(request, context);
  }

  @Handles(revokeOtp)
  revoke(request: RecordId, context: RequestContext): Promise<OtpRecord> {
    return this.service.revoke(request, context);
  }

  @Handles(otpDeliveryEnded)
  deliveryEnded(ended: OtpDeliveryEnded, context: RequestContext): Promise<void> {
    return this.service.deliveryEnded(ended, context);
  }
}
