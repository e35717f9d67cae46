import * as dto from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { OtpService } from './otp.service.js';
import { RequestService } from './request/request.service.js';
import { FallbackService } from './sends/fallback.service.js';
import { ResendService } from './sends/resend.service.js';
import { VerifyService } from './verify/verify.service.js';

@Controller()
@Forwards(dto.requestOtp, RequestService, (requests, ...call) => requests.request(...call))
@Forwards(dto.verifyOtp, VerifyService, (verifications, ...call) => verifications.verify(...call))
@Forwards(dto.findOtp, OtpService, (otps, ...call) => otps.find(...call))
@Forwards(dto.listOtpsOfRecipient, OtpService, (otps, ...call) => otps.list(...call))
@Forwards(dto.revokeOtp, OtpService, (otps, ...call) => otps.revoke(...call))
@Forwards(dto.resendOtp, ResendService, (resends, ...call) => resends.resend(...call))
@Forwards(dto.otpDeliveryEnded, FallbackService, (fallbacks, ...call) => fallbacks.deliveryEnded(...call))
export class OtpHandler {}
