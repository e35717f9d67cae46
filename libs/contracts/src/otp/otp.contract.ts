import { queueContracts, shortDeadline } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import {
  OtpDetails,
  OtpRecord,
  OtpsOfRecipientRequest,
  RequestOtpRequest,
  ResendOtpRequest,
  VerifyOtpRequest,
} from './otp.dto.js';

const { request } = queueContracts('otp', 'otp');

export const requestOtp = request('otp.request', RequestOtpRequest, OtpRecord);
export const verifyOtp = request('otp.verify', VerifyOtpRequest, OtpRecord);
export const findOtp = request('otp.find', RecordId, OtpDetails, shortDeadline);
export const resendOtp = request('otp.resend', ResendOtpRequest, OtpDetails);
export const listOtpsOfRecipient = request('otp.of-recipient', OtpsOfRecipientRequest, [OtpRecord]);
export const revokeOtp = request('otp.revoke', RecordId, OtpRecord);
