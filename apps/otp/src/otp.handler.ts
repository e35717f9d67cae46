import * as dto from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { OtpService } from './otp.service.js';
import { RequestService } from './request/request.service.js';
import { VerifyService } from './verify/verify.service.js';

@Controller()
@Forwards(dto.requestOtp, RequestService, (requests, ...call) => requests.request(...call))
@Forwards(dto.verifyOtp, VerifyService, (verifications, ...call) => verifications.verify(...call))
@Forwards(dto.findOtp, OtpService, (otps, ...call) => otps.find(...call))
@Forwards(dto.listOtpsOfRecipient, OtpService, (otps, ...call) => otps.list(...call))
@Forwards(dto.revokeOtp, OtpService, (otps, ...call) => otps.revoke(...call))
@Forwards(dto.otpDeliveryEnded, OtpService, (otps, ...call) => otps.deliveryEnded(...call))
export class OtpHandler {}
