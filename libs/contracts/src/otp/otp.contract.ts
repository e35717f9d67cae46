import { queueContracts } from '../queue-contracts.js';
import { RecordId } from '../record-id.dto.js';
import { OtpRecord, OtpsOfRecipientRequest, RequestOtpRequest, VerifyOtpRequest } from './otp.dto.js';

const { request } = queueContracts('otp');

export const requestOtp = request('otp.request', 10_000, RequestOtpRequest, OtpRecord);
export const verifyOtp = request('otp.verify', 10_000, VerifyOtpRequest, OtpRecord);
export const findOtp = request('otp.find', 5_000, RecordId, OtpRecord);
export const listOtpsOfRecipient = request('otp.of-recipient', 10_000, OtpsOfRecipientRequest, [OtpRecord]);
export const revokeOtp = request('otp.revoke', 10_000, RecordId, OtpRecord);
