import { defineRequest } from '@gangan/protocol';
import {
  FindOtpRequest,
  OtpRecord,
  OtpsOfRecipientRequest,
  RequestOtpRequest,
  VerifyOtpRequest,
} from './otp.dto.js';

const queue = 'otp';

export const requestOtp = defineRequest({
  queue,
  name: 'otp.request',
  deadlineMs: 10_000,
  request: RequestOtpRequest,
  reply: OtpRecord,
});

export const verifyOtp = defineRequest({
  queue,
  name: 'otp.verify',
  deadlineMs: 10_000,
  request: VerifyOtpRequest,
  reply: OtpRecord,
});

export const findOtp = defineRequest({
  queue,
  name: 'otp.find',
  deadlineMs: 5_000,
  request: FindOtpRequest,
  reply: OtpRecord,
});

export const listOtpsOfRecipient = defineRequest({
  queue,
  name: 'otp.of-recipient',
  deadlineMs: 10_000,
  request: OtpsOfRecipientRequest,
  reply: [OtpRecord],
});

export const revokeOtp = defineRequest({
  queue,
  name: 'otp.revoke',
  deadlineMs: 10_000,
  request: FindOtpRequest,
  reply: OtpRecord,
});
