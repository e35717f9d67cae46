import { queueContracts } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { OtpRecord, OtpsOfRecipientRequest, RequestOtpRequest, VerifyOtpRequest } from './otp.dto.js';

const { request } = queueContracts('otp');

export const requestOtp = request('otp.request', RequestOtpRequest, OtpRecord, { deadlineMs: 10_000 });
export const verifyOtp = request('otp.verify', VerifyOtpRequest, OtpRecord, { deadlineMs: 10_000 });
export const findOtp = request('otp.find', RecordId, OtpRecord, { deadlineMs: 5_000 });
export const listOtpsOfRecipient = request('otp.of-recipient', OtpsOfRecipientRequest, [OtpRecord], {
  deadlineMs: 10_000,
});
export const revokeOtp = request('otp.revoke', RecordId, OtpRecord, { deadlineMs: 10_000 });
