export { OtpSettings, parseOtpSettings } from './otp-settings.js';
export { type OtpStatus, otpStatuses, otpStatusName } from './otp-status.js';
export { otpTextError, renderOtpText } from './otp-text.js';
export { findOtp, listOtpsOfRecipient, requestOtp, revokeOtp, verifyOtp } from './otp.contract.js';
export {
  FindOtpRequest,
  OtpRecord,
  OtpsOfRecipientRequest,
  RequestOtpRequest,
  defaultOtpLength,
  defaultOtpMinutes,
  VerifyOtpRequest,
} from './otp.dto.js';
