import { type AppError, fieldError, invalidRequest } from '@gangan/protocol';

/**
 * No provider of the route may get this sender.
 * @param isOtp OTPs are sent with the default sender of the organisation
 * @param numbers the recipients; absent if it concerns all
 */
export function senderNotApproved(sender: string, isOtp: boolean, numbers?: string): AppError {
  const register = 'ask the operator to register it';
  const subject = isOtp ? `OTPs are sent as ${sender}, which` : `sender_id ${sender}`;
  const message =
    `${subject} is not approved by any provider${numbers === undefined ? '' : ` for ${numbers}`}: ` +
    (isOtp ? register : `use another one, or ${register}`);
  return invalidRequest([fieldError(isOtp ? 'recipient' : 'sender_id', message, 'sender_not_approved')]);
}
