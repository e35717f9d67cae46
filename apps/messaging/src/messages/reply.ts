import { parsePhone, type SendSmsRequest, splitRecipients } from '@gangan/contracts';
import { fieldError, type FieldError, invalidRequest } from '@gangan/protocol';
import type { RepliedMessage } from '../inbox/inbox.repository.js';

const unknownMessage = (): FieldError =>
  fieldError(
    'reply_to',
    'reply_to does not match a message that your organisation received; GET /inbox lists them',
  );

const noPhone = (): FieldError =>
  fieldError('reply_to', 'reply_to cannot be answered: its sender has no phone number');

const otherRecipients = (): FieldError =>
  fieldError(
    'recipients',
    'recipients must be the sender of the message in reply_to: omit it, or give this number',
  );

const otherChannel = (channel: string): FieldError =>
  fieldError('channel', `channel must be ${channel}, that of the message in reply_to, or absent`);

/**
 * A reply as a request to the sender of a message, on its channel.
 * @throws AppError 400 if there is no such message, or if the request contradicts it
 */
export function replyRequest(
  request: Readonly<SendSmsRequest>,
  target: RepliedMessage | undefined,
  region: string,
): SendSmsRequest {
  if (!target) throw invalidRequest([unknownMessage()]);
  const { channel, sender } = target;
  if (parsePhone(sender, region)?.e164 !== sender) throw invalidRequest([noPhone()]);
  const given = request.recipients === undefined || request.recipients === '' ? sender : request.recipients;
  const isOther = splitRecipients(given).some((item) => parsePhone(item, region)?.e164 !== sender);
  const faults = [
    ...(isOther ? [otherRecipients()] : []),
    ...(request.channel !== undefined && request.channel !== channel ? [otherChannel(channel)] : []),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  return { ...request, recipients: given, channel };
}
