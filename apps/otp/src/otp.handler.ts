import {
  findOtp,
  type FindOtpRequest,
  listOtpsOfRecipient,
  type OtpDeliveryEnded,
  otpDeliveryEnded,
  type OtpRecord,
  type OtpsOfRecipientRequest,
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
import { RequestingService } from './requesting/requesting.service.js';
import { VerifyingService } from './verifying/verifying.service.js';

@Controller()
export class OtpHandler {
  constructor(
    private readonly requesting: RequestingService,
    private readonly verifying: VerifyingService,
    private readonly service: OtpService,
  ) {}

  @Handles(requestOtp)
  request(request: RequestOtpRequest, context: RequestContext): Promise<OtpRecord> {
    return this.requesting.request(request, context);
  }

  @Handles(verifyOtp)
  verify(request: VerifyOtpRequest, context: RequestContext): Promise<OtpRecord> {
    return this.verifying.verify(request, context);
  }

  @Handles(findOtp)
  find(request: FindOtpRequest, context: RequestContext): Promise<OtpRecord> {
    return this.service.find(request, context);
  }

  @Handles(listOtpsOfRecipient)
  list(request: OtpsOfRecipientRequest, context: RequestContext): Promise<OtpRecord[]> {
    return this.service.list(request, context);
  }

  @Handles(revokeOtp)
  revoke(request: FindOtpRequest, context: RequestContext): Promise<OtpRecord> {
    return this.service.revoke(request, context);
  }

  @Handles(otpDeliveryEnded)
  deliveryEnded(ended: OtpDeliveryEnded, context: RequestContext): Promise<void> {
    return this.service.deliveryEnded(ended, context);
  }
}
